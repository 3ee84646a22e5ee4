"""No more tasks of a provider, with a model or with an agent run than the limits allow."""

from __future__ import annotations

from typing import Any

import pytest
from attrs import evolve

from sennit.core.engine.commands import PrepareWorkspace
from sennit.core.engine.events import (
    CancelRequested,
    QuestionAsked,
    ServerStarted,
    ServerStopped,
    Tick,
)
from sennit.core.engine.rows import ServerRow
from sennit.core.named_limits import LimitOf, NamedLimit
from sennit_protocol.states import QueuedFor, TaskState
from tests.core.engine.builders import AGENT, HERE, THERE, TICKET, a_task, a_ticket
from tests.core.engine.chains import prepared
from tests.core.engine.world import World, a_world

SMALL = evolve(AGENT, name="small", provider="us", model="mini")
LARGE = evolve(AGENT, name="large", provider="us", model="maxi")
OTHER = evolve(AGENT, name="other", provider="them")
PLAIN = evolve(AGENT, name="plain")

AGENTS = {"small": SMALL, "large": LARGE, "other": OTHER, "plain": PLAIN}


def limit(spelled: str) -> NamedLimit:
    """``provider us 1``: at most one task of that provider."""
    of, name, most = spelled.split()
    return NamedLimit(LimitOf(of), name, int(most))


def tasks(spelled: str) -> tuple[Any, ...]:
    """``a:small b:plain/maxi``: tasks by name, agent and model."""
    made = []
    for word in spelled.split():
        name, _, how = word.partition(":")
        agent, _, model = how.partition("/")
        made.append(a_task(name, agent=AGENTS[agent], model=model or None))
    return tuple(made)


def world_of(spelled: str, *limits: str, slots: int = 8) -> World:
    return a_world(a_ticket(*tasks(spelled)), limit=slots, limits=tuple(map(limit, limits)))


def waits(world: World) -> dict[str, str]:
    """What each queued task is told to wait for."""
    return {
        task.id: str(task.queued_for)
        for task in world.state.tasks(world.ticket())
        if task.queued_for is not None
    }


@pytest.mark.parametrize(
    ("given", "limits", "started", "told"),
    [
        ("a:small b:small", [], "a b", {}),
        ("a:small b:small", ["agent small 1"], "a", {"b": "agent"}),
        ("a:small b:large", ["agent small 1"], "a b", {}),
        ("a:small b:large c:other", ["provider us 1"], "a c", {"b": "provider"}),
        ("a:small b:small", ["provider us 1", "agent small 1"], "a", {"b": "provider"}),
        ("a:small b:plain/mini", ["model mini 1"], "a", {"b": "model"}),
        ("a:small/maxi b:plain/mini", ["model mini 1"], "a b", {}),
        ("a:plain b:plain", ["model mini 1", "provider us 1"], "a b", {}),
        ("a:small b:small c:small d:plain", ["agent small 2"], "a b d", {"c": "agent"}),
        ("a:small b:small", ["agent Small 1", "model MINI 1"], "a b", {}),
    ],
)
def test_a_task_waits_for_those_that_share_a_full_limit_and_for_nobody_else(
    given: str, limits: list[str], started: str, told: dict[str, str]
) -> None:
    world = world_of(given, *limits)
    assert prepared(world) == started.split()
    assert waits(world) == told


def test_a_held_task_lets_those_behind_it_go_on_and_keeps_its_place() -> None:
    world = world_of("a:small b:small c:small d:plain", "agent small 1")
    assert prepared(world) == ["a", "d"]

    world.finish("a")
    assert prepared(world) == ["a", "d", "b"]

    world.finish("b")
    assert prepared(world) == ["a", "d", "b", "c"]


def test_a_held_task_of_an_older_ticket_comes_before_those_of_newer_ones() -> None:
    world = world_of("a:small held:small", "agent small 1")
    world.dispatch(a_ticket(*tasks("other:plain later:small"), ticket="t_two"))
    world.take_bases()
    assert prepared(world) == ["a", "other"]

    world.finish("a")

    assert prepared(world) == ["a", "other", "held"]
    assert world.task("later", "t_two").queued_for is QueuedFor.AGENT


def test_what_holds_a_task_is_in_the_story_once() -> None:
    world = world_of("a:small b:small", "provider us 1")
    said = [line.message for line in world.last.journal if line.task == "b"]
    assert said == ["waits: limits.provider.us lets 1 run at once"]

    world.send(world.now(Tick, server=HERE), HERE)

    assert world.last.journal == ()


def test_a_task_that_no_limit_of_its_own_holds_any_more_waits_for_a_slot() -> None:
    world = world_of("a:small b:plain c:small", "agent small 1", slots=3)
    assert waits(world) == {"c": "agent"}

    server = evolve(world.state.the(ServerRow, HERE), limit_tasks=1, limits=())
    world.tell(ServerStarted, server=server)
    world.send(world.now(Tick, server=HERE), HERE)

    assert prepared(world) == ["a", "b"]
    assert waits(world) == {"c": "slot"}


def test_a_limit_that_is_raised_lets_the_next_ones_start() -> None:
    world = world_of("a:small b:small c:small", "agent small 1")
    server = world.state.the(ServerRow, HERE)
    world.tell(ServerStarted, server=evolve(server, limits=(limit("agent small 2"),)))

    world.send(world.now(Tick, server=HERE), HERE)

    assert prepared(world) == ["a", "b"]


def test_a_limit_that_is_lowered_ends_nothing() -> None:
    world = world_of("a:small b:small c:small", "agent small 2")
    server = world.state.the(ServerRow, HERE)
    world.tell(ServerStarted, server=evolve(server, limits=(limit("agent small 1"),)))

    world.finish("a")

    assert prepared(world) == ["a", "b"]
    assert world.task("b").state is TaskState.PREPARING


def test_the_lowest_limit_of_all_servers_counts_until_its_server_is_gone() -> None:
    world = World()
    world.begin(HERE, limits=(limit("agent small 3"),))
    world.begin(THERE, limits=(limit("agent small 1"), limit("provider them 1")))
    world.dispatch(a_ticket(*tasks("a:small b:small c:other d:other")))
    world.take_bases()
    assert prepared(world) == ["a", "c"]

    world.send(world.now(ServerStopped, server=THERE), THERE)
    world.send(world.now(Tick, server=HERE), HERE)

    assert prepared(world) == ["a", "c", "b", "d"]


def test_what_runs_on_another_server_counts() -> None:
    world = World()
    world.begin(HERE, limits=(limit("provider us 1"),))
    world.begin(THERE)
    world.dispatch(a_ticket(*tasks("mine:small")))
    world.dispatch(a_ticket(*tasks("yours:large free:plain"), ticket="t_two", owner=THERE))
    world.take_bases()
    assert prepared(world) == ["mine", "free"]
    assert world.task("yours", "t_two").queued_for is QueuedFor.PROVIDER

    world.finish("mine")
    world.send(world.now(Tick, server=THERE), THERE)

    assert prepared(world) == ["mine", "free", "yours"]
    assert world.the(PrepareWorkspace, "yours").server == THERE


def test_a_task_that_waits_for_the_user_gives_up_its_place_at_its_agent() -> None:
    world = world_of("a:small b:small", "agent small 1")
    world.to_running("a")

    world.tell(QuestionAsked, run=world.run("a").id, question="q_one", text="Which?")

    assert prepared(world) == ["a", "b"]


def test_a_held_dependent_is_told_what_holds_it_and_not_that_it_depends() -> None:
    held = a_task("c", "a", agent=SMALL)
    limits = (limit("agent small 1"),)
    world = a_world(a_ticket(*tasks("a:plain b:small"), held), limits=limits)
    assert waits(world) == {"c": "dependency"}

    world.finish("a")

    assert waits(world) == {"c": "agent"}
    world.finish("b")
    assert prepared(world) == ["a", "b", "c"]


def test_a_held_task_that_is_cancelled_never_starts_and_holds_up_nobody() -> None:
    world = world_of("a:small b:small c:small", "agent small 1")

    world.tell(CancelRequested, ticket=TICKET, tasks=("b",), by=HERE)
    world.finish("a")

    assert world.task("b").state is TaskState.CANCELLED
    assert prepared(world) == ["a", "c"]
