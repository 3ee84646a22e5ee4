"""``sennit/tickets`` and ``sennit/ticket``: the list, and one in full."""

from __future__ import annotations

import os

from sennit.core.engine.rows import TURN_OF_TICKETS, TicketRow
from sennit.core.facts import BadFolder, folder_path
from sennit.core.views import concerns, ticket_summary
from sennit.server.errors import ticket_or_error
from sennit.server.jsonrpc import Context
from sennit.server.methods.waiting import whole_view
from sennit.server.services import Services
from sennit_protocol.errors import ErrorCode, Problem, RpcError, problems_error
from sennit_protocol.requests import TicketParams, TicketsParams, TicketsResult
from sennit_protocol.views import TicketView

MOST = 1000


async def tickets(
    services: Services, _context: Context, params: TicketsParams
) -> TicketsResult | RpcError:
    """List tickets, newest first."""
    wrong = limit_error(params.limit)
    if wrong is not None:
        return wrong
    folder = folder_or_error(params.folder)
    if isinstance(folder, RpcError):
        return folder
    found = (
        row for row in services.state.rows(TicketRow) if concerns(services.state, row.id, folder)
    )
    rows = sorted(found, key=TURN_OF_TICKETS, reverse=True)
    if params.before is not None:
        limit = ticket_or_error(services, params.before)
        if isinstance(limit, RpcError):
            return limit
        # It need not be in the list: it may be a ticket of another folder.
        rows = [row for row in rows if TURN_OF_TICKETS(row) < TURN_OF_TICKETS(limit)]
    shown = rows[: params.limit]
    return TicketsResult(
        tuple(ticket_summary(services.state, row) for row in shown), more=len(rows) > len(shown)
    )


async def ticket(
    services: Services, _context: Context, params: TicketParams
) -> TicketView | RpcError:
    """One ticket; with ``since`` only the tasks that have changed."""
    row = ticket_or_error(services, params.ticket)
    if isinstance(row, RpcError):
        return row
    return await whole_view(services, params.ticket, params.since)


def folder_or_error(folder: str | None) -> bytes | RpcError | None:
    """The real path of the folder that a list is about; None is all folders."""
    if folder is None:
        return None
    path = folder_path(folder)
    if isinstance(path, BadFolder):
        problem = Problem("folder", path.message)
        return problems_error(ErrorCode.INVALID_PARAMS, "Nothing can be listed", (problem,))
    return os.path.realpath(path)


def limit_error(limit: int, most: int = MOST) -> RpcError | None:
    """The error for a page that is too small or too large."""
    if 1 <= limit <= most:
        return None
    problem = Problem("limit", f"is {limit}", (f"1 to {most}",))
    return problems_error(ErrorCode.INVALID_PARAMS, "The page cannot be given", (problem,))
