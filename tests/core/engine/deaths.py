"""Worlds whose server dies, in every state."""

from __future__ import annotations

from collections.abc import Callable

from sennit.core.engine.events import (
    CancelRequested,
    QuestionAsked,
)
from tests.core.engine.builders import (
    HERE,
    THERE,
    TICKET,
    a_task,
    a_ticket,
)
from tests.core.engine.world import World, a_world


def dies(world: World) -> None:
    """The server dies; the next one finds that."""
    world.begin(THERE, HERE)


def asks(world: World) -> None:
    world.to_running("a")
    world.tell(QuestionAsked, run=world.run("a").id, question="q_one", text="Which?")


def is_cancelled(world: World) -> None:
    world.to_running("a")
    world.tell(CancelRequested, ticket=TICKET, tasks=("a",), by=HERE)


def only_queued() -> World:
    world = World()
    world.begin()
    world.dispatch(a_ticket(a_task("a")))
    return world


def reaches(*stages: Callable[[World], None]) -> World:
    world = a_world(a_ticket(a_task("a", deadline_ms=9)))
    for stage in stages:
        stage(world)
    return world
