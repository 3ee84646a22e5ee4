"""``sennit/cancel``: ends tasks; without ``force`` tells what would be lost."""

from __future__ import annotations

import anyio

from sennit.core.engine.events import CancelRequested
from sennit.core.engine.moves import is_final
from sennit.core.engine.rows import TaskRow, task_key
from sennit.core.engine.running import Cancelled, would_stop
from sennit.core.engine.state import State
from sennit.core.stored import StoreProblem
from sennit.server.errors import store_error, task_or_error, ticket_or_error
from sennit.server.jsonrpc import Context
from sennit.server.services import Services
from sennit_protocol.errors import ErrorCode, Problem, RpcError, problems_error
from sennit_protocol.ids import TicketId
from sennit_protocol.requests import CancelledTask, CancelParams, CancelResult
from sennit_protocol.states import Stopped

PATIENCE_S = 3
"""How long another server may take to do what it was asked to."""


async def cancel(
    services: Services, _context: Context, params: CancelParams
) -> CancelResult | RpcError:
    """Cancel, or say what a cancel would do."""
    ticket = ticket_or_error(services, params.ticket)
    if isinstance(ticket, RpcError):
        return ticket
    if params.tasks == ():
        problem = Problem("tasks", "is empty; name at least one task, or leave it out for all")
        return problems_error(ErrorCode.INVALID_PARAMS, "Nothing was cancelled", (problem,))
    names = params.tasks if params.tasks is not None else ticket.tasks
    for name in names:
        task = task_or_error(services, params.ticket, name)
        if isinstance(task, RpcError):
            return task
    if not params.force:
        tasks = tuple(_told(services, params.ticket, name) for name in names)
        return CancelResult(done=False, tasks=tasks, state=ticket.state)
    return await _cancel(services, params.ticket, names)


async def _cancel(
    services: Services, ticket: TicketId, names: tuple[str, ...]
) -> CancelResult | RpcError:
    outcome: Cancelled | StoreProblem = await services.tell(
        CancelRequested, ticket=ticket, tasks=names, by=services.server
    )
    if isinstance(outcome, StoreProblem):
        return store_error(outcome)
    stopped, done = outcome.tasks, True
    if outcome.forwarded:
        done = await _done_elsewhere(services, ticket, names)
        stopped = tuple(_since(services, ticket, name, how) for name, how in stopped)
    row = ticket_or_error(services, ticket)
    if isinstance(row, RpcError):
        return row
    tasks = tuple(CancelledTask(name, how, KEEPS[how]) for name, how in stopped)
    return CancelResult(done=done, tasks=tasks, state=row.state, asked=not done)


async def _done_elsewhere(services: Services, ticket: TicketId, names: tuple[str, ...]) -> bool:
    """Wait for the server that carries the ticket; False where it takes too long."""

    def done(state: State) -> bool:
        found = (state.get(TaskRow, task_key(ticket, name)) for name in names)
        return all(row is None or row.stopped is not None or is_final(row) for row in found)

    with anyio.move_on_after(PATIENCE_S):
        await services.loop.wait_until(done)
        return True
    return False


def _since(
    services: Services, ticket: TicketId, name: str, foreseen: Stopped
) -> tuple[str, Stopped]:
    """How far a task had come when the other server stopped it, which is later than it was seen."""
    row = services.state.get(TaskRow, task_key(ticket, name))
    if row is None or (is_final(row) and row.stopped is None):
        return name, Stopped.ALREADY_ENDED
    if foreseen is Stopped.ALREADY_ENDED or row.stopped is None:
        return name, foreseen
    return name, row.stopped


def _told(services: Services, ticket: TicketId, name: str) -> CancelledTask:
    task: TaskRow = services.state.task(ticket, name)
    how = would_stop(task)
    return CancelledTask(name, how, KEEPS[how])


KEEPS = {
    Stopped.NEVER_STARTED: "It has done nothing yet, so nothing is lost.",
    Stopped.IN_THE_MIDDLE: "The agent is ended; what it has changed so far is kept as a proposal.",
    Stopped.ALREADY_ENDED: "It has ended already; its proposal stays as it is.",
}
