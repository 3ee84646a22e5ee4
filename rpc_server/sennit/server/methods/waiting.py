"""``sennit/wait``: answers when a ticket has settled, needs the user, or has changed."""

from __future__ import annotations

import anyio

from sennit.core.engine.again import is_in_hand, standing
from sennit.core.engine.indexes import QUESTIONS_OF
from sennit.core.engine.rows import TicketRow
from sennit.core.engine.state import State
from sennit.core.views import Beside, ticket_sequence, ticket_view
from sennit.server.errors import ticket_or_error
from sennit.server.handing_off import last_words
from sennit.server.jsonrpc import Context
from sennit.server.services import Services
from sennit_protocol.errors import ErrorCode, Problem, RpcError, problems_error
from sennit_protocol.ids import TicketId
from sennit_protocol.requests import WaitParams, WaitResult
from sennit_protocol.states import FINAL_TICKET_STATES, Integration, WaitUntil
from sennit_protocol.views import TicketView


async def wait(services: Services, _context: Context, params: WaitParams) -> WaitResult | RpcError:
    """Wait; a time-out or a cancel detaches this waiter and nothing else."""
    if params.timeout_ms is not None and params.timeout_ms < 0:
        problem = Problem("timeoutMs", f"is {params.timeout_ms}", ("0 or more milliseconds",))
        return problems_error(ErrorCode.INVALID_PARAMS, "Nobody can wait as long", (problem,))
    ticket = ticket_or_error(services, params.ticket)
    if isinstance(ticket, RpcError):
        return ticket
    seconds = None if params.timeout_ms is None else params.timeout_ms / 1000
    done = False
    with anyio.move_on_after(seconds):
        await waited(services, params.ticket, params.until, params.since)
        done = True
    gone = ticket_or_error(services, params.ticket)
    if isinstance(gone, RpcError):
        return gone
    return WaitResult(await whole_view(services, params.ticket), timed_out=not done)


async def waited(services: Services, ticket: TicketId, until: WaitUntil, since: int | None) -> None:
    """Return once the ticket is as far; a ticket that was dropped is as far as can be."""
    row = services.state.ticket(ticket)
    known = since
    if known is None and row is not None:
        known = ticket_sequence(services.state, row)

    def reached(state: State) -> bool:
        now = state.ticket(ticket)
        return now is None or _reached(state, now, until, known or 0)

    await services.loop.wait_until(reached)


def _reached(state: State, ticket: TicketRow, until: WaitUntil, known: int) -> bool:
    final = ticket.state in FINAL_TICKET_STATES
    match until:
        case WaitUntil.SETTLED:
            return final
        case WaitUntil.CHANGE:
            return final or ticket_sequence(state, ticket) > known
        case WaitUntil.ATTENTION:
            return final or _needs_the_user(state, ticket)


def _needs_the_user(state: State, ticket: TicketRow) -> bool:
    questions = any(row.closed is None for row in state.find(QUESTIONS_OF, ticket.id))
    conflicts = any(
        revision.integration is Integration.CONFLICT
        and not is_in_hand(state, ticket, state.task(ticket.id, revision.task))
        for revision in standing(state, ticket)
    )
    return questions or conflicts


async def whole_view(services: Services, ticket: TicketId, since: int | None = None) -> TicketView:
    """The ticket in full, with the ends of its tasks' outputs."""
    row = services.state.the(TicketRow, ticket)
    results: dict[str, str] = {}
    most = services.settings.of(b"").limits.output_view_chars
    for task in services.state.tasks(row):
        if task.runs:
            results[task.id] = await last_words(services, task, most)
    beside = Beside(services.live.progress, results)
    return ticket_view(services.state, row, services.server, beside, since)
