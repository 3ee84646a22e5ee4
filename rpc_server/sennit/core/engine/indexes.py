"""What rows are looked for by, beside their keys: so that no step reads through the history."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, Generic, TypeVar

from attrs import frozen

from sennit.core.engine.rows import (
    ApplicationRow,
    BaseRow,
    ProposalRow,
    QuestionRow,
    RevisionRow,
    RunRow,
    TaskRow,
    TicketRow,
    TimerRow,
    task_key,
)
from sennit_protocol.ids import TicketId
from sennit_protocol.states import (
    FINAL_TASK_STATES,
    FINAL_TICKET_STATES,
    ApplicationState,
    QueuedFor,
    TaskState,
)

IN_A_SLOT = frozenset({TaskState.PREPARING, TaskState.RUNNING})
HELD = frozenset({QueuedFor.PROVIDER, QueuedFor.MODEL, QueuedFor.AGENT})
READY = HELD | {QueuedFor.SLOT}
UNSETTLED = frozenset({ApplicationState.APPLYING, ApplicationState.UNKNOWN})

IndexedT = TypeVar("IndexedT")


@frozen(eq=False)
class Index(Generic[IndexedT]):
    """Finds the rows of a table by what ``of`` says of them; rows that give None are left out."""

    table: type[IndexedT]
    of: Callable[[IndexedT], Hashable | None]


def _of_ticket(row: BaseRow | RunRow | ProposalRow | RevisionRow | TimerRow) -> TicketId:
    return row.ticket


def _is_open(row: TicketRow) -> bool | None:
    return True if row.state not in FINAL_TICKET_STATES else None


def _open_in(row: TaskRow) -> TicketId | None:
    return row.ticket if row.state not in FINAL_TASK_STATES else None


def _holds_slot(row: TaskRow) -> bool | None:
    return True if row.state in IN_A_SLOT else None


def _holds_slot_in(row: TaskRow) -> TicketId | None:
    return row.ticket if row.state in IN_A_SLOT else None


def _ready_in(row: TaskRow) -> TicketId | None:
    ready = row.state is TaskState.QUEUED and row.queued_for in READY
    return row.ticket if ready else None


def _is_held(row: TaskRow) -> bool | None:
    return True if row.queued_for in HELD else None


def _depends_in(row: TaskRow) -> TicketId | None:
    waits = row.state is TaskState.QUEUED and row.queued_for is not QueuedFor.RETRY
    return row.ticket if waits and row.spec.depends_on else None


def _open_at(row: QuestionRow) -> str | None:
    return task_key(row.ticket, row.task) if row.closed is None else None


def _is_unsettled(row: ApplicationRow) -> bool | None:
    return True if row.state in UNSETTLED else None


OPEN_TICKETS = Index(TicketRow, _is_open)
TICKETS_BY_OPERATION: Index[TicketRow] = Index(TicketRow, lambda row: row.operation_id)
TASKS_OF: Index[TaskRow] = Index(TaskRow, lambda row: row.ticket)
OPEN_TASKS = Index(TaskRow, _open_in)
TASKS_IN_SLOTS = Index(TaskRow, _holds_slot)
TASKS_IN_SLOTS_OF = Index(TaskRow, _holds_slot_in)
READY_TASKS = Index(TaskRow, _ready_in)
HELD_TASKS = Index(TaskRow, _is_held)
DEPENDENT_TASKS = Index(TaskRow, _depends_in)
BASES_OF = Index(BaseRow, _of_ticket)
RUNS_OF = Index(RunRow, _of_ticket)
RUNS_IN: Index[RunRow] = Index(RunRow, lambda row: row.workspace)
PROPOSALS_OF = Index(ProposalRow, _of_ticket)
REVISIONS_OF = Index(RevisionRow, _of_ticket)
TIMERS_OF = Index(TimerRow, _of_ticket)
QUESTIONS_OF: Index[QuestionRow] = Index(QuestionRow, lambda row: row.ticket)
OPEN_QUESTIONS = Index(QuestionRow, _open_at)
APPLICATIONS_OF: Index[ApplicationRow] = Index(ApplicationRow, lambda row: row.ticket)
APPLICATIONS_IN: Index[ApplicationRow] = Index(ApplicationRow, lambda row: row.repository)
UNSETTLED_APPLICATIONS = Index(ApplicationRow, _is_unsettled)

INDEXES: tuple[Index[Any], ...] = (
    OPEN_TICKETS,
    TICKETS_BY_OPERATION,
    TASKS_OF,
    OPEN_TASKS,
    TASKS_IN_SLOTS,
    TASKS_IN_SLOTS_OF,
    READY_TASKS,
    HELD_TASKS,
    DEPENDENT_TASKS,
    BASES_OF,
    RUNS_OF,
    RUNS_IN,
    PROPOSALS_OF,
    REVISIONS_OF,
    TIMERS_OF,
    QUESTIONS_OF,
    OPEN_QUESTIONS,
    APPLICATIONS_OF,
    APPLICATIONS_IN,
    UNSETTLED_APPLICATIONS,
)

OF_TICKET: tuple[Index[Any], ...] = (
    TASKS_OF,
    BASES_OF,
    RUNS_OF,
    PROPOSALS_OF,
    REVISIONS_OF,
    APPLICATIONS_OF,
    QUESTIONS_OF,
    TIMERS_OF,
)
"""Everything that belongs to one ticket, beside its own row."""
