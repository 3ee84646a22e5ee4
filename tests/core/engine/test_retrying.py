from __future__ import annotations

from typing import Any

import pytest

from sennit.core.engine.commands import PrepareWorkspace
from sennit.core.engine.events import CancelRequested, RunHeld, RunSteered, TimerFired
from sennit.core.engine.rows import RunReport
from sennit.core.retry import FIRST_BACKOFF_MS, LONGEST_BACKOFF_MS, backoff_ms, is_passing
from sennit_protocol.states import (
    FailureKind,
    Flag,
    Phase,
    QueuedFor,
    TaskState,
    TicketState,
    WaitingFor,
)
from sennit_protocol.views import Failure
from tests.core.engine.builders import HERE, TICKET, a_failure, a_task, a_ticket
from tests.core.engine.world import World, a_world

BEFORE_ITS_TASK = RunReport(acted=False, given=False)
HARMLESS = RunReport(acted=False)
BROKEN = a_failure("it broke off", FailureKind.PROTOCOL)


def ended(failure: Failure, report: RunReport | None, **spec: Any) -> World:
    """A task whose run failed and left nothing."""
    world = a_world(a_ticket(a_task("a", **spec), a_task("b", "a")))
    world.to_running("a")
    world.to_end("a", failure=failure, report=report)
    world.to_captured("a", tree="tree-repo")
    return world


def test_a_run_that_failed_without_a_trace_is_done_again_after_a_while() -> None:
    world = ended(BROKEN, HARMLESS)

    assert world.task("a").state is TaskState.QUEUED
    assert world.task("a").queued_for is QueuedFor.RETRY
    (timer,) = world.timers()
    assert timer == f"retry:{TICKET}/a"
    assert world.states()["b"] is TaskState.QUEUED

    world.tell(TimerFired, timer=timer)

    assert len(world.asked_for(PrepareWorkspace)) == 2
    world.to_running("a")
    world.to_end("a")
    world.to_captured("a")
    assert world.task("a").state is TaskState.COMPLETED
    assert len(world.task("a").runs) == 2
    assert world.task("a").failure is None


def test_a_second_failure_is_the_tasks_own() -> None:
    world = ended(BROKEN, HARMLESS)
    world.tell(TimerFired, timer=world.timers()[0])
    world.to_running("a")
    world.to_end("a", failure=BROKEN, report=HARMLESS)
    world.to_captured("a", tree="tree-repo")

    assert world.task("a").state is TaskState.FAILED
    assert world.states()["b"] is TaskState.BLOCKED
    assert world.verdict() is TicketState.FAILED


@pytest.mark.parametrize(
    ("failure", "report", "spec"),
    [
        (BROKEN, None, {}),
        (BROKEN, RunReport(acted=True), {}),
        (BROKEN, HARMLESS, {"retries": 0}),
        (BROKEN, HARMLESS, {"retries": 3, "most_runs": 1}),
        (a_failure("exit 1", FailureKind.EXIT), HARMLESS, {}),
        (a_failure("no", FailureKind.REFUSED), BEFORE_ITS_TASK, {}),
        (a_failure("no", FailureKind.NOT_SIGNED_IN), BEFORE_ITS_TASK, {}),
        (Failure(FailureKind.TIMEOUT, "slow", Phase.RUNNING), HARMLESS, {}),
    ],
)
def test_what_may_have_had_effects_or_cannot_pass_is_not_done_again(
    failure: Failure, report: RunReport | None, spec: dict[str, Any]
) -> None:
    world = ended(failure, report, **spec)

    assert world.task("a").state is TaskState.FAILED
    assert world.timers() == []


@pytest.mark.parametrize(
    ("failure", "report", "spec"),
    [
        (a_failure("exit 1", FailureKind.EXIT), BEFORE_ITS_TASK, {}),
        (Failure(FailureKind.TIMEOUT, "slow", Phase.STARTING), BEFORE_ITS_TASK, {}),
        (BROKEN, RunReport(acted=True), {"retry_safe": True}),
        (BROKEN, None, {"retry_safe": True}),
    ],
)
def test_what_is_safe_to_repeat_is_repeated(
    failure: Failure, report: RunReport | None, spec: dict[str, Any]
) -> None:
    assert ended(failure, report, **spec).task("a").queued_for is QueuedFor.RETRY


def test_a_task_that_waits_for_its_retry_can_be_cancelled() -> None:
    world = ended(BROKEN, HARMLESS)
    timer = world.timers()[0]

    world.tell(CancelRequested, ticket=TICKET, tasks=("a", "b"), by=HERE)
    world.tell(TimerFired, timer=timer)

    assert set(world.states().values()) == {TaskState.CANCELLED}
    assert len(world.asked_for(PrepareWorkspace)) == 1


def test_work_that_was_left_is_retained_and_not_done_again() -> None:
    world = a_world(a_ticket(a_task("a")))
    world.to_running("a")
    world.to_end("a", failure=BROKEN, report=HARMLESS)
    world.to_captured("a")

    assert world.task("a").state is TaskState.FAILED


def test_a_result_that_does_not_fit_leaves_the_task_partial() -> None:
    world = a_world(a_ticket(a_task("a")))
    world.to_running("a")
    world.to_end("a", report=RunReport(text="no", unfitting="the message is no JSON"))
    world.to_captured("a", tree="tree-repo")

    task = world.task("a")
    assert task.state is TaskState.PARTIAL
    assert task.failure is not None
    assert task.failure.kind is FailureKind.DELIVERY
    assert Flag.UNCHANGED not in task.flags
    assert world.verdict() is TicketState.PARTIAL


def test_an_interrupted_task_gives_its_slot_up_until_it_is_told_more() -> None:
    world = a_world(a_ticket(a_task("a"), a_task("b"), max_concurrent=1))
    world.to_running("a")
    run = world.run("a").id

    world.tell(RunHeld, run=run)

    assert world.task("a").waiting_for is WaitingFor.USER
    assert world.states() == {"a": TaskState.WAITING, "b": TaskState.PREPARING}

    world.tell(RunSteered, run=run, text="go on")

    assert world.states()["a"] is TaskState.RUNNING
    assert "is told: go on" in world.story


def test_an_interrupted_task_ends_with_its_run() -> None:
    world = a_world(a_ticket(a_task("a")))
    world.to_running("a")
    world.tell(RunHeld, run=world.run("a").id)
    world.to_end("a", failure=BROKEN)
    world.to_captured("a")

    assert world.task("a").state is TaskState.FAILED
    assert world.task("a").waiting_for is None


def test_the_backoff_doubles_up_to_a_cap_and_never_takes_longer() -> None:
    waits = [backoff_ms(retry, 1.0) for retry in range(1, 10)]

    assert waits[:3] == [FIRST_BACKOFF_MS, 2 * FIRST_BACKOFF_MS, 4 * FIRST_BACKOFF_MS]
    assert max(waits) == LONGEST_BACKOFF_MS
    assert backoff_ms(1, 0.0) == FIRST_BACKOFF_MS * 7 // 10


def test_only_what_may_pass_is_passing() -> None:
    passing = {kind for kind in FailureKind if is_passing(Failure(kind, "x"), given=True)}

    assert passing == {
        FailureKind.PROTOCOL,
        FailureKind.SIGNAL,
        FailureKind.STALLED,
        FailureKind.MODEL_ERROR,
    }
