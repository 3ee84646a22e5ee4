from __future__ import annotations

import pytest

from sennit.core.engine.commands import (
    CaptureRun,
    PrepareWorkspace,
    StartRun,
    StopRun,
    TakeBase,
)
from sennit.core.engine.events import (
    Captured,
    Dropped,
    QuestionAsked,
    RunEnded,
    RunStalled,
    RunStarted,
    TimerFired,
    WorkspaceFailed,
    WorkspaceReady,
)
from sennit.core.engine.rows import Counts
from sennit.core.engine.transitions import ImpossibleTransitionError
from sennit_protocol.states import (
    FailureKind,
    Flag,
    Integration,
    Phase,
    RunState,
    TaskState,
    TicketState,
)
from sennit_protocol.views import Notice
from tests.core.engine.builders import TICKET, a_failure, a_task, a_ticket
from tests.core.engine.cancelled import cancel
from tests.core.engine.world import a_world

# From the workspace to the end.


def test_a_task_goes_from_its_queue_to_a_clean_proposal() -> None:
    world = a_world(a_ticket(a_task("a")))
    seen = [world.states()["a"]]
    for stage in (world.to_running, world.to_end, world.to_captured):
        stage("a")
        seen.append(world.states()["a"])
    world.merge()

    assert seen == [
        TaskState.PREPARING,
        TaskState.RUNNING,
        TaskState.RUNNING,
        TaskState.COMPLETED,
    ]
    assert world.run("a").state is RunState.CAPTURED
    assert world.revision("a").integration is Integration.CLEAN
    assert world.verdict() is TicketState.COMPLETED
    assert world.open == {}
    assert world.timers() == []


def test_what_the_workspace_notices_is_kept_with_the_task() -> None:
    world = a_world(a_ticket(a_task("a")))
    preparing = world.the(PrepareWorkspace)

    world.tell(
        WorkspaceReady, cause=preparing.id, run=world.run("a").id, folder=b"/w",
        base_commit="c9", base_tree="t9", notices=(Notice("a submodule is left out"),),
    )  # fmt: skip

    assert world.task("a").notices == (Notice("a submodule is left out"),)
    assert world.run("a").base_tree == "t9"
    assert world.the(StartRun).command.run == world.run("a").id


def test_a_workspace_that_cannot_be_made_fails_its_task_alone() -> None:
    world = a_world(a_ticket(a_task("a"), a_task("b")))
    preparing = world.the(PrepareWorkspace, "a")

    world.tell(
        WorkspaceFailed, cause=preparing.id, run=world.run("a").id, failure=a_failure("disk full")
    )

    assert world.states() == {"a": TaskState.FAILED, "b": TaskState.PREPARING}
    assert world.run("a").state is RunState.ENDED
    assert world.run("a").failure == a_failure("disk full")
    assert world.asked_for(StartRun) == []


def test_a_program_that_cannot_start_fails_its_task_and_is_not_captured() -> None:
    world = a_world(a_ticket(a_task("a")))
    world.to_workspace("a")

    world.to_end("a", ran=False, failure=a_failure("no such program", FailureKind.SPAWN))

    assert world.states() == {"a": TaskState.FAILED}
    assert world.task("a").failure == a_failure("no such program", FailureKind.SPAWN)
    assert world.asked_for(CaptureRun) == []
    assert world.verdict() is TicketState.FAILED


def test_a_workspace_with_what_could_not_be_read_is_known_as_the_only_place_of_it() -> None:
    world = a_world(a_ticket(a_task("a"), a_task("b")))
    for name in ("a", "b"):
        world.to_workspace(name)
        world.to_end(name)
        world.to_captured(name, incomplete=name == "a")

    assert (world.run("a").uncaptured, world.run("b").uncaptured) == (True, False)


def test_a_program_that_was_never_seen_to_start_is_captured_all_the_same() -> None:
    world = a_world(a_ticket(a_task("a")))
    world.to_workspace("a")

    world.to_end("a")
    world.to_captured("a")
    world.merge()

    assert world.verdict() is TicketState.COMPLETED


def test_output_that_was_cut_is_flagged() -> None:
    world = a_world(a_ticket(a_task("a")))
    world.to_running("a")

    world.to_end("a", output_truncated=True, output_bytes=99)

    assert world.task("a").flags == (Flag.OUTPUT_TRUNCATED,)
    assert world.run("a").output_bytes == 99


# Time limits.


def test_a_deadline_stops_the_run_and_fails_the_task() -> None:
    world = a_world(a_ticket(a_task("a", deadline_ms=500)))
    world.to_running("a")
    timer = f"deadline:{world.run('a').id}"
    assert world.timers() == [timer]

    world.tell(TimerFired, timer=timer)

    assert world.the(StopRun).command.run == world.run("a").id
    assert world.states()["a"] is TaskState.RUNNING
    world.to_end("a")
    world.to_captured("a")
    failure = world.task("a").failure
    assert failure is not None
    assert (failure.kind, failure.phase) == (FailureKind.TIMEOUT, Phase.RUNNING)
    assert world.revision("a").integration is Integration.RETAINED


def test_a_deadline_counts_from_the_start_of_the_program_and_ends_with_it() -> None:
    world = a_world(a_ticket(a_task("a", deadline_ms=500)))
    world.to_workspace("a")
    assert world.timers() == []
    world.tell(RunStarted, run=world.run("a").id)
    timer = f"deadline:{world.run('a').id}"

    world.to_end("a")

    assert world.timers() == []
    world.tell(TimerFired, timer=timer)
    assert world.last.commands == ()
    world.to_captured("a")
    assert world.states() == {"a": TaskState.COMPLETED}


def test_a_timer_of_no_known_kind_is_a_bug() -> None:
    with pytest.raises(ValueError, match="no such kind of timer"):
        a_world().tell(TimerFired, timer="tea:one")


def test_a_silent_run_is_stopped_and_fails() -> None:
    world = a_world(a_ticket(a_task("a", idle_ms=100)))
    world.to_running("a")

    world.tell(RunStalled, run=world.run("a").id, idle_ms=150)
    world.tell(RunStalled, run=world.run("a").id, idle_ms=250)

    assert len(world.asked_for(StopRun)) == 1
    world.to_end("a")
    world.to_captured("a", tree="tree-repo")
    failure = world.task("a").failure
    assert failure is not None
    assert failure.kind is FailureKind.STALLED
    assert "150 ms" in failure.message


def test_a_silent_run_says_whether_it_ever_answered_its_prompt() -> None:
    world = a_world(a_ticket(a_task("a", idle_ms=100)))
    world.to_running("a")

    world.tell(RunStalled, run=world.run("a").id, idle_ms=150, unanswered=True)

    ending = world.task("a").ending
    assert ending is not None
    assert ending.failure is not None
    assert "not a word since it was prompted" in ending.failure.message


def test_a_run_that_waits_for_the_user_is_not_stalled() -> None:
    world = a_world(a_ticket(a_task("a", idle_ms=100)))
    world.to_running("a")
    world.tell(QuestionAsked, run=world.run("a").id, question="q_one", text="Which?")

    world.tell(RunStalled, run=world.run("a").id, idle_ms=5000)

    assert world.asked_for(StopRun) == []


@pytest.mark.parametrize("dropped", [False, True])
def test_a_stall_that_is_seen_too_late_is_nothing(dropped: bool) -> None:  # noqa: FBT001  a row
    world = a_world(a_ticket(a_task("a")))
    run = world.run("a").id
    world.finish("a")
    if dropped:
        world.tell(Dropped, tickets=(TICKET,))

    world.tell(RunStalled, run=run, idle_ms=5000)

    assert world.last.changes == ()
    assert world.last.commands == ()


# What cannot be ended.


def test_a_run_with_survivors_is_quarantined_and_not_read() -> None:
    world = a_world(a_ticket(a_task("a"), a_task("b")), limit=1)
    world.to_running("a")

    world.to_end("a", survivors=(41, 42))

    assert world.run("a").state is RunState.QUARANTINED
    assert world.task("a").flags == (Flag.QUARANTINED,)
    assert world.asked_for(CaptureRun) == []
    failure = world.task("a").failure
    assert failure is not None
    assert "41, 42" in failure.message
    assert world.states() == {"a": TaskState.FAILED, "b": TaskState.PREPARING}


def test_quarantine_does_not_change_what_a_cancelled_task_is() -> None:
    world = a_world(a_ticket(a_task("a")))
    world.to_running("a")
    cancel(world)

    world.to_end("a", survivors=(41,))

    assert world.states() == {"a": TaskState.CANCELLED}
    failure = world.task("a").failure
    assert failure is not None
    assert "41" in failure.message


def test_a_run_that_failed_by_itself_says_so_before_the_quarantine() -> None:
    world = a_world(a_ticket(a_task("a")))
    world.to_running("a")

    world.to_end("a", survivors=(41,), failure=a_failure("exit 3"))

    assert world.task("a").failure == a_failure("exit 3")
    (notice,) = world.task("a").notices
    assert "41" in notice.message


# What does not fit.


@pytest.mark.parametrize("kind", [RunStarted, RunEnded, Captured])
def test_a_signal_that_does_not_fit_raises_and_changes_nothing(kind: type) -> None:
    world = a_world(a_ticket(a_task("a")))
    world.finish("a")
    before = {table: dict(rows) for table, rows in world.state.tables.items()}
    values = {"commit": "c", "tree": "t", "counts": Counts(0, 0, 0)} if kind is Captured else {}

    with pytest.raises(ImpossibleTransitionError):
        world.tell(kind, run=world.run("a").id, **values)

    assert world.state.tables == before


def test_a_run_that_is_not_there_is_a_bug() -> None:
    with pytest.raises(KeyError, match="RunRow"):
        a_world().tell(RunStarted, run="n_none")


def test_a_base_is_not_taken_twice() -> None:
    assert len(a_world(a_ticket(a_task("a"), a_task("b"))).asked_for(TakeBase)) == 1
