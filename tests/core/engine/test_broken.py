from __future__ import annotations

from typing import Any

import pytest

from sennit.core.engine.broken import equivalent_event, without_event
from sennit.core.engine.commands import (
    COMMANDS,
    CaptureRun,
    DeliverAnswer,
    OfferRevision,
    PrepareWorkspace,
    Reconcile,
    RecoverRun,
    RemoveWorkspaces,
    RunApplication,
    SettleApplication,
    StartRun,
    StopRun,
    TakeBase,
)
from sennit.core.engine.draft import Draft
from sennit.core.engine.events import (
    AnswerGiven,
    ApplicationIntended,
    CancelRequested,
    CommandFailed,
    Dropped,
    QuestionAsked,
)
from sennit.core.engine.rows import ApplicationRow
from sennit_protocol.ids import CommandId, RunId
from sennit_protocol.states import (
    ApplicationState,
    Flag,
    Integration,
    Offer,
    RunState,
    TaskState,
    TicketState,
)
from tests.core.engine.builders import HERE, TICKET, a_failure, a_task, a_ticket, an_application
from tests.core.engine.world import World, a_world


def world_with(kind: type) -> World:
    """A world in which a command of that kind is open."""
    world = World()
    world.begin()
    world.dispatch(a_ticket(a_task("a"), offer=Offer.SETTLED))
    stages: dict[type, Any] = {
        TakeBase: world.take_bases,
        PrepareWorkspace: lambda: world.to_running("a"),
        StartRun: lambda: _ask_and_answer(world),
        DeliverAnswer: lambda: world.to_end("a"),
        CaptureRun: lambda: world.to_captured("a"),
        Reconcile: world.merge,
        OfferRevision: lambda: _apply(world),
        RunApplication: lambda: world.begin(HERE, HERE),
        SettleApplication: lambda: _drop(world),
    }
    if kind in {StopRun, RecoverRun}:
        world.take_bases()
        world.to_running("a")
        if kind is StopRun:
            world.tell(CancelRequested, ticket=TICKET, tasks=("a",), by=HERE)
        else:
            world.begin(HERE, HERE)
        return world
    for stage, go in stages.items():
        if kind is stage:
            break
        go()
    return world


def _ask_and_answer(world: World) -> None:
    world.tell(QuestionAsked, run=world.run("a").id, question="q_one", text="Which?")
    world.tell(AnswerGiven, ticket=TICKET, task="a", question="q_one", answer="this")


def _apply(world: World) -> None:
    row = an_application(revisions=(world.revision("a").id,))
    world.tell(ApplicationIntended, application=row)


def _drop(world: World) -> None:
    world.answer(world.the(SettleApplication))
    world.tell(Dropped, tickets=(TICKET,))


@pytest.mark.parametrize("kind", COMMANDS)
def test_the_failure_of_every_command_ends_it(kind: type) -> None:
    world = world_with(kind)
    each = world.the(kind)

    world.fail(each, a_failure("a bug."))

    assert each.id in world.last.done
    assert each.id not in world.open


@pytest.mark.parametrize("kind", COMMANDS)
def test_the_failure_of_every_command_is_told_of(kind: type) -> None:
    world = world_with(kind)

    world.fail(world.the(kind), a_failure("a bug."))
    for each in tuple(world.open.values()):
        world.fail(each, a_failure("a bug."))
    for each in tuple(world.open.values()):
        world.fail(each, a_failure("a bug."))

    told = [*world.story]
    for table in world.state.tables.values():
        told += [repr(row) for row in table.values()]
    assert any(f"{kind.__name__} broke: a bug." in line for line in told)


@pytest.mark.parametrize("kind", COMMANDS)
def test_a_command_without_an_event_of_its_stage_is_known(kind: type) -> None:
    world = world_with(kind)
    each = world.the(kind)
    event = CommandFailed(at=1, cause=each.id, command=each.command, failure=a_failure())

    same = equivalent_event(event)

    draft = Draft(world.state, 1, 1, 1)
    if same is None:
        without_event(draft, event)
    else:
        assert same.cause == each.id
        with pytest.raises(TypeError, match="has an event"):
            without_event(draft, event)


@pytest.mark.parametrize("kind", COMMANDS)
def test_a_failure_that_comes_twice_or_after_all_is_over_is_nothing_new(kind: type) -> None:
    world = world_with(kind)
    each = world.the(kind)
    while world.open:
        world.answer(next(iter(world.open.values())))
    if world.state.ticket(TICKET) is not None:
        before = world.ticket(), world.states()
        world.fail(each)
        assert (world.ticket().state, world.states()) == (before[0].state, before[1])
        world.tell(Dropped, tickets=(TICKET,))

    world.fail(each)

    assert world.state.ticket(TICKET) is None


def test_a_start_that_broke_is_examined_and_its_work_kept() -> None:
    world = world_with(StartRun)

    world.fail(world.the(StartRun), a_failure("a bug."))

    assert world.the(RecoverRun).command.run == world.run("a").id
    assert world.the(StopRun).command.run == world.run("a").id
    assert world.states() == {"a": TaskState.RUNNING}
    world.to_end("a")
    world.to_captured("a")
    failure = world.task("a").failure
    assert failure is not None
    assert "StartRun broke: a bug." in failure.message
    assert world.revision("a").integration is Integration.RETAINED


def test_a_start_that_broke_while_it_asks_waits_for_nobody() -> None:
    world = world_with(StartRun)
    world.tell(QuestionAsked, run=world.run("a").id, question="q_two", text="Which?")

    world.fail(world.the(StartRun))

    assert world.timers() == []
    assert world.states() == {"a": TaskState.RUNNING}


def test_a_run_of_which_nobody_can_tell_is_quarantined() -> None:
    world = world_with(RecoverRun)

    world.fail(world.the(RecoverRun), a_failure("a bug."))

    assert world.run("a").state is RunState.QUARANTINED
    assert Flag.QUARANTINED in world.task("a").flags
    assert world.states() == {"a": TaskState.INTERRUPTED}
    assert world.asked_for(CaptureRun) == []


def test_a_stop_that_broke_can_be_tried_again() -> None:
    world = world_with(StopRun)
    world.fail(world.the(StopRun), a_failure("a bug."))
    (notice,) = world.task("a").notices
    assert "cancel it again" in notice.message

    world.tell(CancelRequested, ticket=TICKET, tasks=("a",), by=HERE)

    assert world.the(StopRun).command.run == world.run("a").id
    assert world.run("a").state is RunState.STOPPING


def test_a_stop_that_broke_after_the_end_is_nothing() -> None:
    world = world_with(StopRun)
    stopping = world.the(StopRun)
    world.to_end("a")

    world.fail(stopping)

    assert world.task("a").notices == ()


@pytest.mark.parametrize("kind", [RunApplication, SettleApplication])
def test_an_application_that_broke_is_unknown(kind: type) -> None:
    world = world_with(kind)

    world.fail(world.the(kind))

    row = world.state.the(ApplicationRow, "a_one")
    assert row.state is ApplicationState.UNKNOWN
    assert world.revision("a").application is ApplicationState.UNKNOWN


def test_a_removal_that_broke_is_told_of() -> None:
    world = world_with(RemoveWorkspaces)

    world.fail(world.the(RemoveWorkspaces), a_failure("a bug."))

    assert world.story[-1].startswith("RemoveWorkspaces broke: a bug.")


def test_a_merge_that_broke_leaves_work_that_failed_to_merge() -> None:
    world = world_with(Reconcile)

    world.fail(world.the(Reconcile))

    assert world.revision("a").integration is Integration.FAILED
    assert world.verdict() is TicketState.FAILED


def test_a_failure_that_nothing_waits_for_ends_its_command_and_no_more() -> None:
    world = a_world()
    command = StartRun(RunId("n_none"), TICKET, "a")

    world.send(CommandFailed(at=1, cause=CommandId("c_none"), command=command, failure=a_failure()))

    assert world.last.done == ("c_none",)
    assert world.last.changes == ()
