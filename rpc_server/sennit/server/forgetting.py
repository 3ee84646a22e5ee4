"""Lets go of what an editor held at a dispatch, once its ticket has settled: texts are large."""

from __future__ import annotations

from collections.abc import MutableMapping
from typing import TYPE_CHECKING

from attrs import evolve

from sennit.core.engine.rows import TicketRow
from sennit.core.engine.step_values import Change, Delete, Put
from sennit_protocol.ids import TicketId
from sennit_protocol.states import FINAL_TICKET_STATES

if TYPE_CHECKING:
    from sennit.server.services import SeenAtDispatch, Services


async def forget_settled(services: Services) -> None:
    """Follow the state until cancelled."""
    with services.loop.changes() as batches:
        async for batch in batches:
            for change in batch.changes:
                forget(services.seen, change)


def forget(seen: MutableMapping[TicketId, SeenAtDispatch], change: Change) -> None:
    """Let go of the texts of a ticket that has settled, and of all where it was dropped.

    No base is taken any more; the settings of a settled ticket count for its review.
    """
    match change:
        case Put(row=TicketRow(id=ticket, state=state)) if state in FINAL_TICKET_STATES:
            if ticket in seen:
                seen[ticket] = evolve(seen[ticket], documents={})
        case Delete(table=table, key=key) if table is TicketRow:
            seen.pop(TicketId(key), None)
        case _:
            return
