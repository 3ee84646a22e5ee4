"""``sennit/steer`` and ``sennit/interrupt``: speaking with an agent at work."""

from __future__ import annotations

from sennit.core.agents import AgentKind
from sennit.core.engine.events import RunHeld, RunSteered
from sennit.core.engine.rows import TaskRow
from sennit.server.errors import task_or_error, ticket_or_error
from sennit.server.jsonrpc import Context
from sennit.server.meetings import Met
from sennit.server.services import Services
from sennit_protocol.errors import ErrorCode, Problem, RpcError, problems_error
from sennit_protocol.ids import RunId, TicketId
from sennit_protocol.requests import (
    InterruptParams,
    InterruptResult,
    Receipt,
    SteerParams,
    SteerResult,
)
from sennit_protocol.states import FINAL_TASK_STATES, TaskState, WaitingFor


async def steer(
    services: Services, _context: Context, params: SteerParams
) -> SteerResult | RpcError:
    """Say something to the agent of a task, now or after its turn."""
    if not params.text.strip():
        problem = Problem("text", "is empty; say what the agent is to hear")
        return problems_error(ErrorCode.INVALID_PARAMS, "Nothing was said", (problem,))
    task = _spoken_with(services, params.ticket, params.task)
    if isinstance(task, RpcError):
        return task
    met = _met(services, task)
    if met is None:
        return SteerResult(Receipt.NOT_APPLIED, _why_not(task))
    waited = task.waiting_for is WaitingFor.USER
    receipt = met.steer(params.text, params.steer_id)
    if receipt is Receipt.QUEUED:
        await services.tell(RunSteered, run=_run(task), text=params.text)
        return SteerResult(Receipt.DELIVERED if waited else Receipt.QUEUED)
    return SteerResult(receipt, _why_not(task) if receipt is Receipt.NOT_APPLIED else None)


def _why_not(task: TaskRow) -> str:
    """Why nothing can be said to the agent of a task now, and what to do."""
    if task.state in FINAL_TASK_STATES:
        return f"{task.id} is {task.state.value}: its agent has ended. Follow up on it."
    if task.state in {TaskState.QUEUED, TaskState.PREPARING}:
        return f"The agent of {task.id} has not started yet. Say it once it runs."
    return f"The agent of {task.id} is about to end. Follow up on the task once it has."


async def interrupt(
    services: Services, _context: Context, params: InterruptParams
) -> InterruptResult | RpcError:
    """End the turn of a task's agent; it waits until it is told how to go on, or cancelled."""
    task = _spoken_with(services, params.ticket, params.task)
    if isinstance(task, RpcError):
        return task
    met = _met(services, task)
    if met is None or not await met.interrupt():
        return InterruptResult(interrupted=False)
    await services.tell(RunHeld, run=_run(task))
    return InterruptResult(interrupted=True)


def _spoken_with(services: Services, ticket: TicketId, name: str) -> TaskRow | RpcError:
    row = ticket_or_error(services, ticket)
    if isinstance(row, RpcError):
        return row
    task = task_or_error(services, ticket, name)
    if isinstance(task, RpcError):
        return task
    if task.spec.agent.kind is not AgentKind.ACP:
        return RpcError(
            ErrorCode.WRONG_STATE,
            f"The agent {task.spec.agent.name!r} of the task {name} cannot be spoken with while it "
            "works: only agents of kind `acp` can. Cancel the task, or wait for its end.",
        )
    if row.owner != services.server and task.state not in FINAL_TASK_STATES:
        return RpcError(
            ErrorCode.WRONG_STATE,
            f"The ticket {ticket} is carried by another server: speak with its agents in the "
            "editor or terminal that dispatched it.",
        )
    return task


def _met(services: Services, task: TaskRow) -> Met | None:
    return services.meetings.of(_run(task)) if task.runs else None


def _run(task: TaskRow) -> RunId:
    return task.runs[-1]
