"""A step in the making: the state as it was, and on top of it what the step changes."""

from __future__ import annotations

import hashlib
from collections.abc import Hashable, Iterator
from typing import Any, TypeVar, cast

from attrs import define, evolve, field

from sennit.core.engine.commands import Command
from sennit.core.engine.indexes import Index
from sennit.core.engine.state import State, Tables
from sennit.core.engine.step_values import Change, Delete, Issued, JournalLine, Put, Row, Step
from sennit_protocol.ids import CommandId, IdKind, TicketId, encode_id

RowT = TypeVar("RowT", bound=Row)


@define
class Draft(Tables):
    """Lives for one step only. ``put`` stamps rows with the step's sequence number.

    Also with that of the step that made them, which orders them where a clock was set back.
    """

    state: State
    at: int
    seed: int
    sequence: int
    changed: dict[type, dict[str, Row | None]] = field(factory=dict)
    issued: list[Issued] = field(factory=list)
    ended: list[CommandId] = field(factory=list)
    lines: list[JournalLine] = field(factory=list)
    outcome: object = None
    made_ids: int = 0

    def rows(self, table: type[RowT]) -> Iterator[RowT]:
        """All rows of a table as the step has left them so far."""
        mine = dict(self.changed.get(table, {}))
        for row in self.state.rows(table):
            now = mine.pop(row.key) if row.key in mine else row
            if now is not None:
                yield cast("RowT", now)
        yield from (cast("RowT", row) for row in mine.values() if row is not None)

    def get(self, table: type[RowT], key: str) -> RowT | None:
        """The row with that key as the step has left it so far."""
        mine = self.changed.get(table, {})
        return cast("RowT | None", mine[key]) if key in mine else self.state.get(table, key)

    def find(self, index: Index[RowT], value: Hashable) -> tuple[RowT, ...]:
        """The rows that an index has under a value, as the step has left them so far."""
        mine = cast("dict[str, RowT | None]", self.changed.get(index.table, {}))
        untouched = [row for row in self.state.find(index, value) if row.key not in mine]
        touched = [row for row in mine.values() if row is not None and index.of(row) == value]
        return (*untouched, *touched)

    def put(self, row: Row) -> None:
        """Insert or replace a row; one that is equal to what is there changes nothing."""
        there = self.get(type(row), row.key)
        if there == row:
            return
        stamped = cast("Any", row)
        if hasattr(row, "sequence"):
            stamped = evolve(stamped, sequence=self.sequence)
        if hasattr(row, "made"):
            made = self.sequence if there is None else cast("Any", there).made
            stamped = evolve(stamped, made=made)
        self.changed.setdefault(type(row), {})[row.key] = stamped

    def delete(self, table: type, key: str) -> None:
        """Remove a row."""
        if self.get(table, key) is not None:
            self.changed.setdefault(table, {})[key] = None

    def issue(self, command: Command) -> CommandId:
        """Ask something of the outside world."""
        name = CommandId(self.new_id(IdKind.COMMAND))
        self.issued.append(Issued(name, command, command.ONCE))
        return name

    def note(self, ticket: TicketId, task: str | None, message: str) -> None:
        """Add a line to the story."""
        self.lines.append(JournalLine(ticket, task, message))

    def new_id(self, kind: IdKind) -> str:
        """Make an id out of the event's seed; the same event gives the same ids."""
        self.made_ids += 1
        text = f"{self.seed}:{self.made_ids}".encode()
        return encode_id(kind, int.from_bytes(hashlib.sha256(text).digest()[:8]))

    @property
    def chance(self) -> float:
        """A number from 0 to 1 out of the event's seed."""
        return self.seed % 1000 / 999

    def finish(self) -> Step[object]:
        """Give the step that was drafted."""
        return Step(
            changes=tuple(self._changes()),
            commands=tuple(self.issued),
            outcome=self.outcome,
            done=tuple(self.ended),
            journal=tuple(self.lines),
        )

    def _changes(self) -> Iterator[Change]:
        for table, rows in self.changed.items():
            for key, row in rows.items():
                if row is not None:
                    yield Put(row)
                elif self.state.get(table, key) is not None:
                    yield Delete(table, key)
