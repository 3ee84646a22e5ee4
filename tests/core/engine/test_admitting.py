from __future__ import annotations

import pytest
from attrs import evolve

from sennit.core.engine.admitting import Admitted, Refused, RefusedBecause
from sennit.core.engine.commands import PrepareWorkspace, TakeBase
from sennit.core.engine.events import (
    BaseFailed,
    BaseTaken,
    CancelRequested,
    DispatchRequested,
    Dropped,
    ServerStopping,
)
from sennit.core.engine.rows import BaseRow, TicketRow
from sennit_protocol.ids import TicketId
from sennit_protocol.states import FailureKind, QueuedFor, TaskState, TicketState
from sennit_protocol.tasks import BaseKind
from tests.core.engine.builders import (
    HERE,
    OTHER_REPOSITORY,
    REPOSITORY,
    TICKET,
    a_failure,
    a_task,
    a_ticket,
)
from tests.core.engine.world import World, a_world


def test_a_call_becomes_a_ticket_whose_tasks_are_queued() -> None:
    world = World()
    world.begin()

    outcome = world.dispatch(a_ticket(a_task("a"), a_task("b", "a"), label="two"))

    assert outcome == Admitted(TICKET)
    assert world.ticket().label == "two"
    assert world.states() == {"a": TaskState.QUEUED, "b": TaskState.QUEUED}
    assert world.task("a").queued_for is QueuedFor.SLOT
    assert world.task("b").queued_for is QueuedFor.DEPENDENCY


def test_each_repository_and_kind_of_base_is_taken_once() -> None:
    world = World()
    world.begin()

    world.dispatch(
        a_ticket(
            a_task("a"),
            a_task("b"),
            a_task("c", repository=OTHER_REPOSITORY),
            a_task("d", base=BaseKind.HEAD),
        )
    )

    wanted = [(each.repository, each.kind) for each in world.asked_for(TakeBase)]
    assert wanted == [
        (REPOSITORY, BaseKind.LIVE),
        (OTHER_REPOSITORY, BaseKind.LIVE),
        (REPOSITORY, BaseKind.HEAD),
    ]
    assert len({row.id for row in world.state.rows(BaseRow)}) == 3


SAME = a_ticket(a_task("a"), operation_id="op", request="the request")


@pytest.mark.parametrize(
    ("second", "outcome"),
    [
        (evolve(SAME, ticket=TicketId("t_two")), Admitted(TICKET, repeated=True)),
        (
            evolve(SAME, ticket=TicketId("t_two"), request="another"),
            RefusedBecause.OPERATION_CONFLICT,
        ),
        (evolve(SAME, ticket=TicketId("t_two"), operation_id="op2"), Admitted(TicketId("t_two"))),
        (evolve(SAME, ticket=TicketId("t_two"), operation_id=None), Admitted(TicketId("t_two"))),
    ],
)
def test_an_operation_is_done_once(second: DispatchRequested, outcome: object) -> None:
    world = a_world(SAME)

    said = world.dispatch(second)

    assert (said.because if isinstance(said, Refused) else said) == outcome
    if outcome != Admitted(TicketId("t_two")):
        assert world.last.changes == ()
        assert world.last.commands == ()


def test_an_operation_whose_ticket_has_settled_still_gives_that_ticket() -> None:
    world = a_world(SAME)
    world.tell(CancelRequested, ticket=TICKET, tasks=("a",), by=HERE)

    assert world.dispatch(SAME) == Admitted(TICKET, repeated=True)


def test_a_ticket_over_the_limit_is_refused_until_one_has_settled() -> None:
    world = a_world(a_ticket(a_task("a")))
    second = a_ticket(a_task("a"), ticket="t_two", limit_tickets=1)

    said = world.dispatch(second)

    assert isinstance(said, Refused)
    assert said.because is RefusedBecause.LIMIT
    assert world.state.ticket("t_two") is None
    world.finish("a")
    assert world.dispatch(second) == Admitted(TicketId("t_two"))


def test_a_server_that_ends_takes_no_new_ticket() -> None:
    world = a_world()
    world.tell(ServerStopping, server=HERE)

    said = world.dispatch(a_ticket(a_task("a")))

    assert isinstance(said, Refused)
    assert said.because is RefusedBecause.STOPPING
    assert list(world.state.rows(TicketRow)) == []


def test_a_task_starts_when_its_base_is_there() -> None:
    world = World()
    world.begin()
    world.dispatch(a_ticket(a_task("a"), a_task("b", repository=OTHER_REPOSITORY)))
    first, second = world.pending(TakeBase)

    world.answer(first)
    assert world.states() == {"a": TaskState.PREPARING, "b": TaskState.QUEUED}
    world.answer(second)

    assert world.states() == {"a": TaskState.PREPARING, "b": TaskState.PREPARING}
    commands = world.asked_for(PrepareWorkspace)
    assert [each.base_commit for each in commands] == ["commit-repo", "commit-other"]


def test_a_base_that_fails_in_one_repository_leaves_the_other_alone() -> None:
    world = World()
    world.begin()
    world.dispatch(
        a_ticket(
            a_task("a"),
            a_task("b", repository=OTHER_REPOSITORY),
            a_task("c", "a", repository=OTHER_REPOSITORY),
        )
    )
    first, second = world.pending(TakeBase)

    world.tell(
        BaseFailed, cause=first.id, base=first.command.base, ticket=TICKET,
        failure=a_failure("index.lock is there"),
    )  # fmt: skip
    world.answer(second)

    assert world.states() == {
        "a": TaskState.FAILED,
        "b": TaskState.PREPARING,
        "c": TaskState.BLOCKED,
    }
    failure = world.task("a").failure
    assert failure is not None
    assert failure.kind is FailureKind.EXIT
    assert "index.lock is there" in failure.message
    assert world.task("a").runs == ()
    world.finish("b")
    assert world.verdict() is TicketState.PARTIAL


def test_a_ticket_fails_when_no_base_can_be_taken() -> None:
    world = World()
    world.begin()
    world.dispatch(a_ticket(a_task("a"), a_task("b", "a")))

    world.fail(world.the(TakeBase))

    assert world.states() == {"a": TaskState.FAILED, "b": TaskState.FAILED}
    assert world.verdict() is TicketState.FAILED


@pytest.mark.parametrize("kind", [BaseTaken, BaseFailed])
def test_a_base_that_comes_after_its_ticket_was_dropped_is_nothing(kind: type) -> None:
    world = World()
    world.begin()
    world.dispatch(a_ticket(a_task("a")))
    taking = world.the(TakeBase)
    world.tell(CancelRequested, ticket=TICKET, tasks=("a",), by=HERE)
    world.tell(Dropped, tickets=(TICKET,))

    if kind is BaseTaken:
        world.answer(taking)
    else:
        world.fail(taking)

    assert world.last.changes == ()
    assert world.last.done == (taking.id,)


def test_a_base_that_comes_after_the_cancel_starts_nothing() -> None:
    world = World()
    world.begin()
    world.dispatch(a_ticket(a_task("a")))
    world.tell(CancelRequested, ticket=TICKET, tasks=("a",), by=HERE)

    world.take_bases()

    assert world.last.commands == ()
    assert world.verdict() is TicketState.CANCELLED
