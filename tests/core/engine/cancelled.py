"""Cancels tasks of a world."""

from __future__ import annotations

from sennit.core.engine.events import (
    CancelRequested,
)
from sennit.core.engine.running import Cancelled
from tests.core.engine.builders import HERE, TICKET
from tests.core.engine.world import World


def cancel(world: World, *tasks: str) -> Cancelled:
    outcome = world.tell(CancelRequested, ticket=TICKET, tasks=tasks or ("a",), by=HERE)
    assert isinstance(outcome, Cancelled)
    return outcome
