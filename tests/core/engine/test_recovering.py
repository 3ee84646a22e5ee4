from __future__ import annotations

from typing import Any

import pytest
from attrs import evolve

from sennit.core.engine.commands import (
    COMMANDS,
    CaptureRun,
    Reconcile,
    RecoverRun,
    RemoveWorkspaces,
    RunApplication,
    SettleApplication,
    StartRun,
)
from sennit.core.engine.events import (
    ApplicationIntended,
    CancelRequested,
    DocumentUnsaved,
    Dropped,
)
from sennit.core.engine.rows import ApplicationRow, MailRow, OpenDocumentRow, ServerRow
from sennit_protocol.ids import ServerId
from sennit_protocol.states import (
    ApplicationState,
    Flag,
    Integration,
    TaskState,
    TicketState,
)
from tests.core.engine.builders import (
    HERE,
    OTHER_REPOSITORY,
    THERE,
    TICKET,
    a_failure,
    a_task,
    a_ticket,
    an_application,
)
from tests.core.engine.deaths import asks, dies, is_cancelled, only_queued, reaches
from tests.core.engine.world import World, a_world

# The death of a server, in each state.


@pytest.mark.parametrize(
    "world", [only_queued(), reaches()], ids=["base being taken", "workspace being made"]
)
def test_what_was_not_started_is_interrupted_at_once(world: World) -> None:
    dies(world)

    assert world.states() == {"a": TaskState.INTERRUPTED}
    assert world.task("a").flags == (Flag.RECOVERED,)
    assert world.verdict() is TicketState.INTERRUPTED
    assert world.ticket().owner == THERE
    assert world.last.commands == ()
    assert world.open == {}


@pytest.mark.parametrize(
    "world",
    [
        reaches(lambda world: world.to_workspace("a")),
        reaches(lambda world: world.to_running("a")),
        reaches(asks),
    ],
    ids=["starting", "running", "waiting"],
)
def test_a_run_that_may_be_there_is_examined_and_never_started_again(world: World) -> None:
    dies(world)

    assert [each.command for each in world.open.values()] == [RecoverRun(world.run("a").id)]
    assert world.timers() == []
    assert world.state.open_question(world.task("a")) is None
    world.to_end("a")
    world.to_captured("a")
    assert world.states() == {"a": TaskState.INTERRUPTED}
    assert world.revision("a").integration is Integration.RETAINED
    assert world.verdict() is TicketState.INTERRUPTED
    assert len(world.asked_for(StartRun)) == 1


def test_a_run_that_was_never_started_leaves_nothing_to_capture() -> None:
    world = reaches(lambda world: world.to_workspace("a"))
    dies(world)

    world.to_end("a", ran=False)

    assert world.states() == {"a": TaskState.INTERRUPTED}
    assert world.asked_for(CaptureRun) == []


def test_a_task_that_was_being_cancelled_is_cancelled() -> None:
    world = reaches(is_cancelled)
    dies(world)

    world.to_end("a")
    world.to_captured("a")

    assert world.verdict() is TicketState.CANCELLED


@pytest.mark.parametrize(
    ("failure", "state"),
    [(None, TaskState.COMPLETED), (a_failure("exit 1"), TaskState.FAILED)],
)
def test_a_run_that_had_ended_keeps_its_end_and_is_captured_again(
    failure: object, state: TaskState
) -> None:
    world = reaches(lambda world: world.to_running("a"))
    world.to_end("a", failure=failure)
    first = world.the(CaptureRun)
    dies(world)

    assert world.the(CaptureRun).command == first.command
    assert world.the(CaptureRun).id != first.id
    assert first.id in world.last.done
    world.to_captured("a")
    assert world.states() == {"a": state}
    assert world.task("a").flags == (Flag.RECOVERED,)


def test_merges_are_done_again_in_each_repository() -> None:
    world = a_world(a_ticket(a_task("a"), a_task("b", repository=OTHER_REPOSITORY)))
    for name in ("a", "b"):
        world.to_running(name)
        world.to_end(name)
        world.to_captured(name)

    dies(world)

    merges = [each.command for each in world.pending(Reconcile)]
    assert [[one.task for one in each.arrived] for each in merges] == [["a"], ["b"]]
    for each in world.pending(Reconcile):
        world.answer(each)
    assert world.verdict() is TicketState.COMPLETED


def test_a_quarantined_run_and_a_settled_ticket_are_left_as_they_are() -> None:
    world = a_world(a_ticket(a_task("a")))
    world.to_running("a")
    world.to_end("a", survivors=(4,))
    before = world.ticket(), world.task("a"), world.run("a")

    dies(world)

    assert (world.ticket(), world.task("a"), world.run("a")) == before
    assert world.last.commands == ()


def test_dependents_of_what_was_interrupted_end_with_it() -> None:
    world = a_world(a_ticket(a_task("a"), a_task("b", "a")))
    world.to_running("a")

    dies(world)
    world.to_end("a")
    world.to_captured("a", tree="tree-repo")

    assert world.states() == {"a": TaskState.INTERRUPTED, "b": TaskState.INTERRUPTED}
    assert world.verdict() is TicketState.INTERRUPTED


def test_a_server_that_dies_while_it_recovers_is_taken_over_in_turn() -> None:
    world = reaches(lambda world: world.to_running("a"))
    dies(world)

    world.begin(ServerId("s_third"), THERE)

    assert world.the(RecoverRun).server == "s_third"
    world.to_end("a")
    world.to_captured("a")
    assert world.verdict() is TicketState.INTERRUPTED


@pytest.mark.parametrize("command", [each for each in COMMANDS if each.ONCE])  # type: ignore[attr-defined]
def test_what_is_done_once_is_never_asked_for_again(command: type) -> None:
    world = a_world(a_ticket(a_task("a"), a_task("b")))
    world.finish("a")
    world.to_workspace("b")
    world.tell(ApplicationIntended, application=an_application(revisions=(world.revision("a").id,)))
    asked = len(world.asked_for(command))

    dies(world)

    assert len(world.asked_for(command)) == asked
    assert world.pending(command) == []


def test_removals_are_asked_for_again_under_a_new_id() -> None:
    world = a_world(a_ticket(a_task("a")))
    world.finish("a")
    world.tell(Dropped, tickets=(TICKET,))
    first = world.the(RemoveWorkspaces)

    dies(world)

    assert world.the(RemoveWorkspaces).command == first.command
    assert first.id in world.last.done


@pytest.mark.parametrize(
    ("state", "settles"),
    [
        (ApplicationState.APPLYING, True),
        (ApplicationState.UNKNOWN, True),
        (ApplicationState.APPLIED, False),
        (ApplicationState.UNDONE, False),
    ],
)
def test_applications_of_dead_servers_are_compared(
    state: ApplicationState,
    settles: bool,  # noqa: FBT001  a row of the table
) -> None:
    world = a_world(a_ticket(a_task("a")))
    world.finish("a")
    world.tell(ApplicationIntended, application=an_application(revisions=(world.revision("a").id,)))
    if state is not ApplicationState.APPLYING:
        event: Any = world.good_end(world.the(RunApplication))
        world.send(evolve(event, state=state))

    dies(world)

    row = world.state.the(ApplicationRow, "a_one")
    if settles:
        assert world.the(SettleApplication).command.application == "a_one"
        assert row.owner == THERE
        world.answer(world.the(SettleApplication))
        assert world.state.the(ApplicationRow, "a_one").state is ApplicationState.APPLIED
    else:
        assert world.asked_for(SettleApplication) == []


def test_a_live_servers_work_is_left_alone() -> None:
    world = a_world(a_ticket(a_task("a")))
    world.to_running("a")
    before = world.ticket(), world.task("a")

    world.begin(THERE)

    assert (world.ticket(), world.task("a")) == before
    assert world.last.commands == ()
    assert len(list(world.state.rows(ServerRow))) == 2


def test_what_a_dead_server_had_beside_tickets_is_forgotten() -> None:
    world = a_world(a_ticket(a_task("a")))
    world.begin(THERE)
    world.tell(DocumentUnsaved, server=HERE, path=b"/f", sha256="1")
    world.tell(DocumentUnsaved, server=THERE, path=b"/f", sha256="2")
    world.send(world.now(CancelRequested, ticket=TICKET, tasks=("a",), by=THERE), THERE)

    world.bury(HERE, by=THERE)

    assert [row.server for row in world.state.rows(OpenDocumentRow)] == [THERE]
    assert list(world.state.rows(MailRow)) == []
    assert world.state.server(HERE) is None


def test_a_running_server_that_finds_another_dead_takes_over_and_goes_on() -> None:
    world = World()
    world.begin(HERE, limit=1)
    world.begin(THERE, limit=1)
    world.dispatch(a_ticket(a_task("a")))
    world.dispatch(a_ticket(a_task("b"), ticket="t_two", owner=THERE))
    world.take_bases()
    world.to_running("a")

    world.bury(HERE, by=THERE)

    assert world.the(RecoverRun).server == THERE
    assert world.states("t_two") == {"b": TaskState.QUEUED}
    world.to_end("a")
    world.to_captured("a")
    assert world.states("t_two") == {"b": TaskState.PREPARING}
