"""``sennit/story``: everything that happened to a ticket or to one task of it."""

from __future__ import annotations

from sennit.server.errors import task_or_error, ticket_or_error
from sennit.server.jsonrpc import Context
from sennit.server.methods.tickets import limit_error
from sennit.server.services import Services
from sennit_protocol.errors import RpcError
from sennit_protocol.texts import StoryParams, StoryResult

MOST_LINES = 10_000


async def story(
    services: Services, _context: Context, params: StoryParams
) -> StoryResult | RpcError:
    """The newest lines of a story, oldest first."""
    wrong = limit_error(params.limit, MOST_LINES)
    if wrong is not None:
        return wrong
    if params.task is None:
        ticket = ticket_or_error(services, params.ticket)
        if isinstance(ticket, RpcError):
            return ticket
    else:
        task = task_or_error(services, params.ticket, params.task)
        if isinstance(task, RpcError):
            return task
    return await services.story(params.ticket, params.task, params.limit)
