"""Tasks and tickets are cancelled in each state, also those of another server."""

from __future__ import annotations

from sennit.core.engine.commands import (
    PrepareWorkspace,
    RecoverRun,
    StartRun,
    StopRun,
)
from sennit.core.engine.events import (
    CancelRequested,
    Dropped,
    QuestionAsked,
    RunStarted,
    ServerStopped,
    Tick,
)
from sennit.core.engine.rows import MailRow
from sennit.core.engine.running import Cancelled
from sennit_protocol.states import (
    Integration,
    RunState,
    Stopped,
    TaskState,
    TicketState,
)
from tests.core.engine.builders import HERE, THERE, TICKET, a_failure, a_task, a_ticket
from tests.core.engine.cancelled import cancel
from tests.core.engine.world import World, a_world

# Cancel, in each state.


def test_a_queued_task_is_cancelled_at_once() -> None:
    world = a_world(a_ticket(a_task("a"), a_task("b")), limit=1)

    said = cancel(world, "b")

    assert said == Cancelled((("b", Stopped.NEVER_STARTED),))
    assert world.states()["b"] is TaskState.CANCELLED
    assert world.task("b").stopped is Stopped.NEVER_STARTED


def test_a_task_is_cancelled_before_its_workspace_is_there() -> None:
    world = a_world(a_ticket(a_task("a"), a_task("b")), limit=1)

    said = cancel(world, "a")

    assert said == Cancelled((("a", Stopped.NEVER_STARTED),))
    assert world.last.commands == ()
    world.to_workspace("a")
    assert world.states() == {"a": TaskState.CANCELLED, "b": TaskState.PREPARING}
    assert world.asked_for(StartRun) == []


def test_a_cancelled_task_whose_workspace_fails_is_cancelled() -> None:
    world = a_world(a_ticket(a_task("a")))
    cancel(world)

    world.fail(world.the(PrepareWorkspace))

    assert world.states() == {"a": TaskState.CANCELLED}
    assert world.verdict() is TicketState.CANCELLED


def test_a_starting_task_that_is_cancelled_is_stopped_even_if_the_ladder_came_too_early() -> None:
    world = a_world(a_ticket(a_task("a")))
    world.to_workspace("a")
    cancel(world)
    world.answer(world.the(StopRun))
    assert world.pending(StopRun) == []

    world.tell(RunStarted, run=world.run("a").id)

    assert world.the(StopRun).command.run == world.run("a").id
    assert world.task("a").stopped is Stopped.IN_THE_MIDDLE
    world.to_end("a")
    world.to_captured("a", tree="tree-repo")
    assert world.states() == {"a": TaskState.CANCELLED}


def test_a_starting_task_that_is_cancelled_is_not_stopped_twice_at_once() -> None:
    world = a_world(a_ticket(a_task("a")))
    world.to_workspace("a")
    cancel(world)

    world.tell(RunStarted, run=world.run("a").id)
    cancel(world)

    assert len(world.pending(StopRun)) == 1


def test_a_starting_task_that_is_cancelled_may_never_run() -> None:
    world = a_world(a_ticket(a_task("a")))
    world.to_workspace("a")
    cancel(world)

    world.to_end("a", ran=False)

    assert world.states() == {"a": TaskState.CANCELLED}
    assert world.task("a").stopped is Stopped.NEVER_STARTED


def test_a_running_task_is_stopped_and_its_work_kept() -> None:
    world = a_world(a_ticket(a_task("a"), a_task("b")))
    world.to_running("a")

    said = cancel(world)

    assert said == Cancelled((("a", Stopped.IN_THE_MIDDLE),))
    assert world.states()["a"] is TaskState.RUNNING
    assert world.run("a").state is RunState.STOPPING
    world.to_end("a", failure=a_failure())
    world.to_captured("a")
    assert world.states()["a"] is TaskState.CANCELLED
    assert world.revision("a").integration is Integration.RETAINED
    assert world.verdict() is TicketState.RUNNING


def test_a_waiting_task_is_stopped_and_its_question_closed() -> None:
    world = a_world(a_ticket(a_task("a")))
    world.to_running("a")
    world.tell(QuestionAsked, run=world.run("a").id, question="q_one", text="Which?")

    said = cancel(world)

    assert said == Cancelled((("a", Stopped.IN_THE_MIDDLE),))
    assert world.timers() == []
    assert world.state.open_question(world.task("a")) is None
    assert world.states() == {"a": TaskState.RUNNING}
    world.to_end("a")
    world.to_captured("a")
    assert world.states() == {"a": TaskState.CANCELLED}


def test_a_task_that_is_cancelled_while_it_is_captured_is_cancelled() -> None:
    world = a_world(a_ticket(a_task("a")))
    world.to_running("a")
    world.to_end("a")

    said = cancel(world)

    assert said == Cancelled((("a", Stopped.IN_THE_MIDDLE),))
    assert world.asked_for(StopRun) == []
    world.to_captured("a")
    assert world.states() == {"a": TaskState.CANCELLED}
    assert world.revision("a").integration is Integration.RETAINED


def test_what_has_ended_is_not_cancelled() -> None:
    world = a_world(a_ticket(a_task("a"), a_task("b")))
    world.finish("a")

    said = cancel(world, "a", "b")

    assert said == Cancelled((("a", Stopped.ALREADY_ENDED), ("b", Stopped.NEVER_STARTED)))
    assert world.states()["a"] is TaskState.COMPLETED
    assert world.verdict() is TicketState.CANCELLING
    world.to_workspace("b")
    assert world.verdict() is TicketState.CANCELLED


def test_dependents_of_a_cancelled_task_are_blocked() -> None:
    world = a_world(a_ticket(a_task("a"), a_task("b", "a")))
    cancel(world, "a")

    world.to_workspace("a")

    assert world.states() == {"a": TaskState.CANCELLED, "b": TaskState.BLOCKED}


def test_tasks_that_are_cancelled_one_after_the_other_make_a_cancelled_ticket() -> None:
    world = World()
    world.begin()
    world.dispatch(a_ticket(a_task("a"), a_task("b")))

    cancel(world, "a")
    cancel(world, "b")

    assert world.verdict() is TicketState.CANCELLED


def test_a_cancelled_task_frees_its_slot() -> None:
    world = a_world(a_ticket(a_task("a"), a_task("b")), limit=1)
    world.to_running("a")
    cancel(world, "a")
    assert world.states()["b"] is TaskState.QUEUED

    world.to_end("a")
    world.to_captured("a")

    assert world.states()["b"] is TaskState.PREPARING


def test_a_cancel_of_a_dropped_ticket_finds_it_ended() -> None:
    world = a_world(a_ticket(a_task("a")))
    world.finish("a")
    world.tell(Dropped, tickets=(TICKET,))

    assert cancel(world) == Cancelled((("a", Stopped.ALREADY_ENDED),))


# Cancel by another server.


def test_another_servers_ticket_is_cancelled_by_letter() -> None:
    world = a_world(a_ticket(a_task("a"), a_task("b")), limit=1)
    world.begin(THERE, limit=1)
    world.to_running("a")

    event = world.now(CancelRequested, ticket=TICKET, tasks=("a", "b"), by=THERE)
    said = world.send(event, THERE)

    stopped = (("a", Stopped.IN_THE_MIDDLE), ("b", Stopped.NEVER_STARTED))
    assert said == Cancelled(stopped, forwarded=True)
    assert world.verdict() is TicketState.RUNNING
    assert world.last.commands == ()
    world.send(world.now(Tick, server=THERE), THERE)
    assert len(list(world.state.rows(MailRow))) == 1
    world.tell(Tick, server=HERE)
    assert list(world.state.rows(MailRow)) == []
    assert world.verdict() is TicketState.CANCELLING
    assert world.the(StopRun).server == HERE
    assert world.states()["b"] is TaskState.CANCELLED


def test_a_letter_about_a_dropped_ticket_is_thrown_away() -> None:
    world = a_world(a_ticket(a_task("a")))
    world.begin(THERE)
    world.send(world.now(CancelRequested, ticket=TICKET, tasks=("a",), by=THERE), THERE)
    world.finish("a")
    world.tell(Dropped, tickets=(TICKET,))

    world.tell(Tick, server=HERE)

    assert list(world.state.rows(MailRow)) == []


def test_a_settled_ticket_of_another_server_needs_no_letter() -> None:
    world = a_world(a_ticket(a_task("a")))
    world.begin(THERE)
    world.finish("a")

    said = world.send(world.now(CancelRequested, ticket=TICKET, tasks=("a",), by=THERE), THERE)

    assert said == Cancelled((("a", Stopped.ALREADY_ENDED),))


def test_a_ticket_that_nobody_carries_is_taken_over_and_cancelled() -> None:
    world = a_world(a_ticket(a_task("a"), a_task("b")), limit=1)
    world.begin(THERE, limit=1)
    world.to_running("a")
    world.tell(ServerStopped, server=HERE)

    said = world.send(world.now(CancelRequested, ticket=TICKET, tasks=("a", "b"), by=THERE), THERE)

    assert said == Cancelled((("a", Stopped.IN_THE_MIDDLE), ("b", Stopped.ALREADY_ENDED)))
    assert world.ticket().owner == THERE
    assert world.the(RecoverRun).server == THERE
    for each in world.pending(StartRun):
        del world.open[each.id]
    world.to_end("a")
    world.to_captured("a")
    assert world.verdict() is TicketState.CANCELLED
