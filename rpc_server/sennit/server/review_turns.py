"""What a client says about proposals counts in the order in which it arrived."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import anyio
from attrs import define, field

from sennit.core.engine.rows import ProposalRow
from sennit_protocol.ids import ProposalId, TicketId

if TYPE_CHECKING:
    from sennit.server.services import Services


@define(eq=False)
class ReviewTurns:
    """A queue a ticket: its proposals are merged together, so that one decides about another.

    Requests run side by side, and what has to be read before one of them counts takes longer than
    for another. Those who wait here stand in the order of their arrival, as long as they come
    before they await anything else.
    """

    _locks: dict[TicketId, anyio.Lock] = field(factory=dict, init=False)

    @asynccontextmanager
    async def turn(self, ticket: TicketId) -> AsyncIterator[None]:
        """Wait for those who came before, and let the others wait until the end."""
        lock = self._locks.setdefault(ticket, anyio.Lock())
        try:
            async with lock:
                yield
        finally:
            now = lock.statistics()
            if not now.locked and not now.tasks_waiting:
                self._locks.pop(ticket, None)

    async def before(self, tickets: Iterable[TicketId]) -> None:
        """Wait until all that was said about the proposals of tickets so far counts."""
        for ticket in dict.fromkeys(tickets):
            if ticket in self._locks:
                async with self.turn(ticket):
                    pass


@asynccontextmanager
async def in_turn(services: Services, proposal: ProposalId) -> AsyncIterator[None]:
    """Take the turn of the ticket that a proposal belongs to; of an unknown one there is none."""
    row = services.state.get(ProposalRow, proposal)
    if row is None:
        yield
        return
    async with services.reviews.turn(row.ticket):
        yield


async def all_said(
    services: Services, ticket: TicketId | None, proposals: Iterable[ProposalId] = ()
) -> None:
    """Wait until what was said of a ticket, and of the tickets of proposals, counts."""
    rows = (services.state.get(ProposalRow, name) for name in proposals)
    named = () if ticket is None else (ticket,)
    await services.reviews.before((*named, *(row.ticket for row in rows if row is not None)))
