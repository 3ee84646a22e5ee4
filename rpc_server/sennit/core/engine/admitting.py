"""Steps of a ticket's beginning: admission, the rows of a new ticket, the bases it needs."""

from __future__ import annotations

from attrs import evolve

from sennit.core.counted import counted, named
from sennit.core.engine.admission import Admitted, Refused, RefusedBecause
from sennit.core.engine.commands import TakeBase
from sennit.core.engine.draft import Draft
from sennit.core.engine.events import BaseFailed, BaseTaken, DispatchRequested
from sennit.core.engine.following import in_the_way, mark_followed
from sennit.core.engine.indexes import BASES_OF, OPEN_TICKETS, TICKETS_BY_OPERATION
from sennit.core.engine.moves import end_task, is_final
from sennit.core.engine.rows import BaseRow, TaskRow, TaskSpec, TicketRow, base_key
from sennit.core.engine.settling import go_on
from sennit.core.engine.state import Tables
from sennit.core.uris import display
from sennit_protocol.ids import BaseId, IdKind, TicketId
from sennit_protocol.states import QueuedFor, TaskState, TicketState

__all__ = [
    "Admitted",
    "Refused",
    "RefusedBecause",
    "answer_without_ticket",
    "base_failed",
    "base_taken",
    "dispatch",
]

SHORT_ID = 12
"""Digits of a commit's id in a line for people."""


def dispatch(draft: Draft, event: DispatchRequested) -> None:
    """Admit a call or refuse it as a whole."""
    answer = answer_without_ticket(draft, event)
    if answer is None:
        _make_ticket(draft, event)
        mark_followed(draft, event)
        answer = Admitted(event.ticket)
    draft.outcome = answer


def answer_without_ticket(tables: Tables, event: DispatchRequested) -> Admitted | Refused | None:
    """What a call is answered that gets no ticket of its own; None where it gets one."""
    return (
        _earlier(tables, event)
        or _at_the_end(tables, event)
        or _over_the_limit(tables, event)
        or in_the_way(tables, event.tasks)
    )


def _earlier(tables: Tables, event: DispatchRequested) -> Admitted | Refused | None:
    if event.operation_id is None:
        return None
    for ticket in tables.find(TICKETS_BY_OPERATION, event.operation_id):
        if ticket.request == event.request:
            return Admitted(ticket.id, repeated=True)
        message = (
            f"operationId {event.operation_id!r} belongs to the ticket {ticket.id}, which was made"
            " by another request. Choose a new operationId, or repeat the request unchanged."
        )
        return Refused(RefusedBecause.OPERATION_CONFLICT, message, ticket.id)
    return None


def _at_the_end(tables: Tables, event: DispatchRequested) -> Refused | None:
    server = tables.server(event.owner)
    if server is None or not server.stopping:
        return None
    message = "this server is ending and takes no new work. Start it again and dispatch then."
    return Refused(RefusedBecause.STOPPING, message)


def _over_the_limit(tables: Tables, event: DispatchRequested) -> Refused | None:
    running = len(tables.find(OPEN_TICKETS, value=True))
    if running < event.limit_tickets:
        return None
    running_now = f"{counted(running, 'ticket')} {named(running, 'runs', 'run')}"
    message = (
        f"{running_now} on this machine and limits.tickets allows"
        f" {event.limit_tickets}. Wait for one of them, cancel one, or raise the limit."
    )
    return Refused(RefusedBecause.LIMIT, message)


def _make_ticket(draft: Draft, event: DispatchRequested) -> None:
    draft.put(
        TicketRow(
            id=event.ticket,
            state=TicketState.RUNNING,
            owner=event.owner,
            created_at=event.at,
            tasks=tuple(task.id for task in event.tasks),
            offer=event.offer,
            ask_deadline_ms=event.ask_deadline_ms,
            label=event.label,
            max_concurrent=event.max_concurrent,
            operation_id=event.operation_id,
            request=event.request,
            order=event.order,
            on_conflict=event.on_conflict,
            notices=event.notices,
        )
    )
    draft.note(event.ticket, None, f"dispatched, tasks: {len(event.tasks)}")
    for order, task in enumerate(event.tasks):
        queued_for = QueuedFor.DEPENDENCY if task.spec.depends_on else QueuedFor.SLOT
        row = TaskRow(event.ticket, task.id, order, TaskState.QUEUED, task.spec, queued_for)
        draft.put(evolve(row, notices=task.notices))
        _want_base(draft, event.ticket, task.spec)


def _want_base(draft: Draft, ticket: TicketId, spec: TaskSpec) -> None:
    """Take a base once for all tasks that begin with it."""
    if draft.get(BaseRow, base_key(ticket, spec.repository, spec.base)) is not None:
        return
    name = BaseId(draft.new_id(IdKind.BASE))
    draft.put(BaseRow(name, ticket, spec.repository, spec.base))
    draft.issue(TakeBase(name, ticket, spec.repository, spec.base))
    draft.note(ticket, None, f"takes the base of {display(spec.repository.top)}")


def base_taken(draft: Draft, event: BaseTaken) -> None:
    """Keep the base and let tasks begin."""
    row = _base(draft, event.ticket, event.base)
    if row is None:
        return
    draft.put(evolve(row, commit=event.commit, tree=event.tree, manifest=event.manifest))
    draft.note(
        event.ticket,
        None,
        f"has the base of {display(event.repository.top)}, kept as {event.commit[:SHORT_ID]}",
    )
    go_on(draft, event.ticket)


def base_failed(draft: Draft, event: BaseFailed) -> None:
    """Fail the tasks that were to begin with that base; nothing of them was started."""
    row = _base(draft, event.ticket, event.base)
    if row is None:
        return
    draft.put(evolve(row, failure=event.failure))
    said = f"no base could be taken, nothing was started: {event.failure.message}"
    failure = evolve(event.failure, message=said)
    for task in draft.tasks(draft.the(TicketRow, event.ticket)):
        begins_here = (task.spec.repository, task.spec.base) == (row.repository, row.kind)
        if begins_here and not is_final(task):
            end_task(draft, task, TaskState.FAILED, failure)
    go_on(draft, event.ticket)


def _base(draft: Draft, ticket: TicketId, base: BaseId) -> BaseRow | None:
    """The base's row; None when its ticket was dropped while the base was being taken."""
    return next((row for row in draft.find(BASES_OF, ticket) if row.id == base), None)
