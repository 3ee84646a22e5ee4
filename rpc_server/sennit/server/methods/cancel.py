"""``sennit/cancel``: ends tasks; without ``force`` tells what would be lost."""

from __future__ import annotations

from sennit.core.engine.events import CancelRequested
from sennit.core.engine.rows import TaskRow
from sennit.core.engine.running import Cancelled, would_stop
from sennit.core.stored import StoreProblem
from sennit.server.errors import store_error, task_or_error, ticket_or_error
from sennit.server.jsonrpc import Context
from sennit.server.services import Services
from sennit_protocol.errors import ErrorCode, Problem, RpcError, problems_error
from sennit_protocol.ids import TicketId
from sennit_protocol.requests import CancelledTask, CancelParams, CancelResult
from sennit_protocol.states import Stopped


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
    row = ticket_or_error(services, ticket)
    if isinstance(row, RpcError):
        return row
    tasks = tuple(CancelledTask(name, how, KEEPS[how]) for name, how in outcome.tasks)
    return CancelResult(done=True, tasks=tasks, state=row.state)


def _told(services: Services, ticket: TicketId, name: str) -> CancelledTask:
    task: TaskRow = services.state.task(ticket, name)
    how = would_stop(task)
    return CancelledTask(name, how, KEEPS[how])


KEEPS = {
    Stopped.NEVER_STARTED: "It has done nothing yet, so nothing is lost.",
    Stopped.IN_THE_MIDDLE: "The agent is ended; what it has changed so far is kept as a proposal.",
    Stopped.ALREADY_ENDED: "It has ended already; its proposal stays as it is.",
}
