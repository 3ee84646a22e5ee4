"""The engine's state: the rows of all tables, and the questions that the engine asks of them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable, Iterator
from typing import Any, TypeVar, assert_never, cast

from attrs import define, field

from sennit.core.engine.indexes import (
    APPLICATIONS_OF,
    BASES_OF,
    INDEXES,
    OPEN_QUESTIONS,
    QUESTIONS_OF,
    Index,
)
from sennit.core.engine.rows import (
    ApplicationRow,
    BaseRow,
    ProposalRow,
    QuestionRow,
    RepositoryRef,
    RevisionRow,
    RunRow,
    ServerRow,
    TaskRow,
    TicketRow,
    base_key,
    task_key,
)
from sennit.core.engine.step_values import Change, Delete, Put, Row
from sennit_protocol.ids import TicketId
from sennit_protocol.tasks import BaseKind

RowT = TypeVar("RowT", bound=Row)


class Tables(ABC):
    """What can be asked of rows, wherever they are."""

    @abstractmethod
    def rows(self, table: type[RowT]) -> Iterator[RowT]:
        """All rows of a table, in the order in which they were made."""

    @abstractmethod
    def get(self, table: type[RowT], key: str) -> RowT | None:
        """The row with that key."""

    @abstractmethod
    def find(self, index: Index[RowT], value: Hashable) -> tuple[RowT, ...]:
        """The rows that an index has under a value, in no order that means anything."""

    def the(self, table: type[RowT], key: str) -> RowT:
        """The row with that key; a missing one is a bug and raises KeyError."""
        row = self.get(table, key)
        if row is None:
            raise KeyError(table.__name__, key)
        return row

    def server(self, key: str) -> ServerRow | None:
        """The server with that id."""
        return self.get(ServerRow, key)

    def ticket(self, key: str) -> TicketRow | None:
        """The ticket with that id."""
        return self.get(TicketRow, key)

    def task(self, ticket: TicketId, task: str) -> TaskRow:
        """The task of a ticket."""
        return self.the(TaskRow, task_key(ticket, task))

    def tasks(self, ticket: TicketRow) -> tuple[TaskRow, ...]:
        """The tasks of a ticket in their order."""
        return tuple(self.task(ticket.id, task) for task in ticket.tasks)

    def base(self, ticket: TicketId, repository: RepositoryRef, kind: BaseKind) -> BaseRow:
        """The base of a ticket in a repository."""
        return self.the(BaseRow, base_key(ticket, repository, kind))

    def bases(self, ticket: TicketId) -> tuple[BaseRow, ...]:
        """The bases of a ticket."""
        return tuple(sorted(self.find(BASES_OF, ticket), key=lambda row: row.key))

    def last_run(self, task: TaskRow) -> RunRow | None:
        """The newest run of a task."""
        return self.the(RunRow, task.runs[-1]) if task.runs else None

    def revision_of(self, task: TaskRow) -> RevisionRow | None:
        """The revision that a task made; its follow-ups may have made newer ones since."""
        if task.proposal is None:
            return None
        if task.revision is not None:
            return self.get(RevisionRow, task.revision)
        return self.the(RevisionRow, self.the(ProposalRow, task.proposal).revision)

    def revisions(self, ticket: TicketRow) -> tuple[RevisionRow, ...]:
        """The revisions that a ticket's tasks made, in task order."""
        found = (self.revision_of(task) for task in self.tasks(ticket))
        return tuple(revision for revision in found if revision is not None)

    def open_questions(self, task: TaskRow) -> tuple[QuestionRow, ...]:
        """The questions of a task that wait for an answer, oldest first."""
        found = self.find(OPEN_QUESTIONS, task.key)
        return tuple(sorted(found, key=lambda row: row.turn))

    def open_question(self, task: TaskRow) -> QuestionRow | None:
        """The oldest question of a task that waits for an answer."""
        return next(iter(self.open_questions(task)), None)

    def closed_questions(self, task: TaskRow) -> tuple[QuestionRow, ...]:
        """The questions of a task that wait no more, oldest first."""
        found = self.find(QUESTIONS_OF, task.ticket)
        closed = (row for row in found if row.task == task.id and row.closed is not None)
        return tuple(sorted(closed, key=lambda row: row.turn))

    def applications(self, ticket: TicketId) -> tuple[ApplicationRow, ...]:
        """The applications of a ticket, oldest first."""
        found = self.find(APPLICATIONS_OF, ticket)
        return tuple(sorted(found, key=lambda row: row.turn))


_Entries = dict[Hashable, dict[str, Row]]


@define
class State(Tables):
    """Rows by class and key. Only the runtime changes it, by what a stored step gave."""

    tables: dict[type, dict[str, Row]] = field(factory=dict)
    _entries: dict[Index[Any], _Entries] = field(init=False, factory=dict, eq=False, repr=False)

    def __attrs_post_init__(self) -> None:
        for table, rows in self.tables.items():
            for row in rows.values():
                self._reindex(table, None, row)

    def apply(self, changes: Iterable[Change]) -> None:
        """Take over what a stored step has changed."""
        for change in changes:
            match change:
                case Put(row=row):
                    rows = self.tables.setdefault(type(row), {})
                    self._reindex(type(row), rows.get(row.key), row)
                    rows[row.key] = row
                case Delete(table=table, key=key):
                    self._reindex(table, self.tables.get(table, {}).pop(key, None), None)
                case _:
                    assert_never(change)

    def rows(self, table: type[RowT]) -> Iterator[RowT]:
        """All rows of a table, in the order in which they were made."""
        return cast("Iterator[RowT]", iter(tuple(self.tables.get(table, {}).values())))

    def get(self, table: type[RowT], key: str) -> RowT | None:
        """The row with that key."""
        return cast("RowT | None", self.tables.get(table, {}).get(key))

    def find(self, index: Index[RowT], value: Hashable) -> tuple[RowT, ...]:
        """The rows that an index has under a value, in no order that means anything."""
        entries = self._entries.get(index, {}).get(value, {})
        return cast("tuple[RowT, ...]", tuple(entries.values()))

    def _reindex(self, table: type, before: Row | None, after: Row | None) -> None:
        for index in _INDEXES_OF.get(table, ()):
            old = index.of(before) if before is not None else None
            new = index.of(after) if after is not None else None
            entries = self._entries.setdefault(index, {})
            if before is not None and old is not None and old != new:
                _remove(entries, old, before.key)
            if after is not None and new is not None:
                entries.setdefault(new, {})[after.key] = after


def _remove(entries: _Entries, value: Hashable, key: str) -> None:
    del entries[value][key]
    if not entries[value]:
        del entries[value]


_INDEXES_OF: dict[type, tuple[Index[Any], ...]] = {
    table: tuple(index for index in INDEXES if index.table is table)
    for table in {index.table for index in INDEXES}
}
