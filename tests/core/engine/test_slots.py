"""No more tasks run than there are slots."""

from __future__ import annotations

from sennit.core.engine.commands import PrepareWorkspace
from sennit.core.engine.events import QuestionAsked, Tick
from sennit.core.engine.slots import free_slots
from sennit_protocol.states import (
    QueuedFor,
)
from tests.core.engine.builders import (
    HERE,
    THERE,
    a_task,
    a_ticket,
)
from tests.core.engine.chains import prepared
from tests.core.engine.world import World, a_world

# Slots.


def test_no_more_tasks_start_than_there_are_slots_and_in_order() -> None:
    world = a_world(a_ticket(*(a_task(f"n{number}") for number in range(5))), limit=2)
    assert prepared(world) == ["n0", "n1"]
    assert free_slots(world.state) == 0

    world.finish("n1")

    assert prepared(world) == ["n0", "n1", "n2"]
    assert world.task("n4").queued_for is QueuedFor.SLOT


def test_older_tickets_come_first() -> None:
    world = a_world(a_ticket(a_task("a")), limit=1)
    world.dispatch(a_ticket(a_task("second"), ticket="t_b"))
    world.dispatch(a_ticket(a_task("third"), ticket="t_a"))
    world.take_bases()

    world.finish("a")

    assert prepared(world) == ["a", "second"]


def test_a_slot_is_held_until_the_work_is_captured() -> None:
    world = a_world(a_ticket(a_task("a"), a_task("b")), limit=1)
    world.to_running("a")
    world.to_end("a")
    assert prepared(world) == ["a"]

    world.to_captured("a")

    assert prepared(world) == ["a", "b"]


def test_the_lowest_limit_of_all_servers_counts() -> None:
    world = World()
    world.begin(HERE, limit=5)
    world.begin(THERE, limit=2)
    tasks = tuple(a_task(f"n{number}") for number in range(3))
    world.dispatch(a_ticket(*tasks))
    world.dispatch(a_ticket(*tasks, ticket="t_two", owner=THERE))

    world.take_bases()

    assert prepared(world) == ["n0", "n1"]


def test_a_server_uses_the_slot_that_another_has_freed_when_it_looks() -> None:
    world = World()
    world.begin(HERE, limit=1)
    world.begin(THERE, limit=1)
    world.dispatch(a_ticket(a_task("mine")))
    world.dispatch(a_ticket(a_task("yours"), ticket="t_two", owner=THERE))
    world.take_bases()
    world.finish("mine")
    assert prepared(world) == ["mine"]

    world.send(world.now(Tick, server=THERE), THERE)

    assert prepared(world) == ["mine", "yours"]
    assert world.the(PrepareWorkspace).server == THERE


def test_without_a_server_there_is_no_slot() -> None:
    assert free_slots(World().state) == 0


def test_a_ticket_keeps_to_its_own_limit() -> None:
    tasks = tuple(a_task(f"n{number}") for number in range(3))
    world = a_world(a_ticket(*tasks, max_concurrent=1))
    assert prepared(world) == ["n0"]
    world.dispatch(a_ticket(a_task("other"), ticket="t_two"))
    world.take_bases()
    assert prepared(world) == ["n0", "other"]

    world.finish("n0")

    assert prepared(world) == ["n0", "other", "n1"]


def test_a_task_that_waits_for_the_user_gives_up_its_slot_and_takes_it_back() -> None:
    world = a_world(a_ticket(a_task("a"), a_task("b")), limit=1)
    world.to_running("a")

    world.tell(QuestionAsked, run=world.run("a").id, question="q_one", text="Which?")

    assert prepared(world) == ["a", "b"]
    assert free_slots(world.state) == 0
