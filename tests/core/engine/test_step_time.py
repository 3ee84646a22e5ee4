"""A step costs by what it is about, not by how much there is: counted in calls, not in time."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable
from types import FrameType

from sennit.core.engine.commands import CaptureRun, PrepareWorkspace, Reconcile, TakeBase
from sennit.core.engine.events import Event, Tick
from sennit.core.engine.step import step
from sennit.core.named_limits import LimitOf, NamedLimit
from tests.core.engine.builders import AGENT, HERE, a_task, a_ticket
from tests.core.engine.world import World, a_world

TASKS = tuple(a_task(f"k{number}") for number in range(64))


def calls_of(world: World, event: Event) -> int:
    """How many functions of Python a step calls."""
    count = 0

    def profile(_frame: FrameType, what: str, _argument: object) -> None:
        nonlocal count
        count += what == "call"

    # What others have left would be cleared away, and counted, in between.
    gc.collect()
    gc.disable()
    sys.setprofile(profile)
    try:
        step(world.state, event, world.sequence + 1)
    finally:
        sys.setprofile(None)
        gc.enable()
    return count


def tickets(count: int) -> World:
    return a_world(*(a_ticket(*TASKS, ticket=f"t_{place}") for place in range(count)), limit=4)


def to_ready(world: World) -> Event:
    return world.good_end(world.pending(PrepareWorkspace)[0])


def to_captured(world: World) -> Event:
    world.to_running("k0")
    world.to_end("k0")
    return world.good_end(world.the(CaptureRun))


def to_merged(world: World) -> Event:
    world.send(to_captured(world))
    return world.good_end(world.the(Reconcile))


def to_tick(world: World) -> Event:
    return world.now(Tick, server=HERE)


def check(stage: Callable[[World], Event], most: int) -> None:
    alone, among_many = tickets(1), tickets(64)

    few, many = calls_of(alone, stage(alone)), calls_of(among_many, stage(among_many))

    assert many <= few + 64 * 10
    assert many <= most


def test_a_workspace_among_64_tickets_of_64_tasks() -> None:
    check(to_ready, 200)


def test_a_capture_among_64_tickets_of_64_tasks() -> None:
    check(to_captured, 3000)


def test_a_merge_among_64_tickets_of_64_tasks() -> None:
    check(to_merged, 1500)


def test_a_look_among_64_tickets_of_64_tasks() -> None:
    check(to_tick, 600)


def test_settled_tickets_cost_nothing() -> None:
    def base_after(settled: int) -> int:
        world = a_world()
        for place in range(settled):
            world.dispatch(a_ticket(*TASKS[:4], ticket=f"t_{place}"))
            world.fail(world.the(TakeBase))
        world.dispatch(a_ticket(*TASKS[:4], operation_id="op"))
        return calls_of(world, world.good_end(world.the(TakeBase)))

    assert base_after(200) == base_after(1)


def test_a_look_costs_little_for_each_task_that_a_limit_holds() -> None:
    limits = (NamedLimit(LimitOf.AGENT, AGENT.name, 1),)
    calls = {}
    for count in (8, 64):
        world = a_world(
            *(a_ticket(*TASKS, ticket=f"t_{place}") for place in range(count)), limits=limits
        )
        calls[count] = calls_of(world, to_tick(world))

    assert calls[64] - calls[8] <= 56 * len(TASKS) * 20
