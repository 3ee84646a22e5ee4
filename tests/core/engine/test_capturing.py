from __future__ import annotations

import pytest

from sennit.core.engine.commands import CaptureRun, Reconcile
from sennit.core.engine.events import CancelRequested, CaptureFailed
from sennit.core.engine.rows import ProposalRow
from sennit_protocol.states import FailureKind, Flag, Integration, RunState, TaskState, TicketState
from sennit_protocol.tasks import ExpectChanges
from sennit_protocol.views import Failure, Notice
from tests.core.engine.builders import HERE, TICKET, a_failure, a_task, a_ticket
from tests.core.engine.world import World, a_world


def ended(failure: Failure | None = None, **spec: object) -> World:
    world = a_world(a_ticket(a_task("a", **spec)))
    world.to_running("a")
    world.to_end("a", failure=failure)
    return world


def test_a_capture_is_asked_for_against_what_the_run_began_with() -> None:
    command = ended().the(CaptureRun).command

    assert (command.base_commit, command.base_tree) == ("commit-repo", "tree-repo")


def test_what_was_captured_is_a_revision_of_a_proposal() -> None:
    world = ended()

    world.to_captured("a", notices=(Notice("a link leads out"),))

    revision = world.revision("a")
    assert (revision.base_tree, revision.tree) == ("tree-repo", "tree-of-a")
    assert revision.integration is Integration.PENDING
    assert revision.notices == (Notice("a link leads out"),)
    (proposal,) = world.state.rows(ProposalRow)
    assert (proposal.task, proposal.revision) == ("a", revision.id)
    assert world.task("a").proposal == proposal.id


@pytest.mark.parametrize(
    ("expect", "state", "flags"),
    [
        (ExpectChanges.OFF, TaskState.COMPLETED, ()),
        (ExpectChanges.FLAG, TaskState.COMPLETED, (Flag.UNCHANGED,)),
        (ExpectChanges.FAIL, TaskState.FAILED, ()),
    ],
)
def test_a_run_that_changed_nothing(
    expect: ExpectChanges, state: TaskState, flags: tuple[Flag, ...]
) -> None:
    world = ended(expect_changes=expect)

    world.to_captured("a", tree="tree-repo")

    assert world.states() == {"a": state}
    assert world.task("a").flags == flags
    assert world.asked_for(Reconcile) == []
    if state is TaskState.COMPLETED:
        assert world.revision("a").integration is Integration.NO_CHANGES
        assert world.verdict() is TicketState.COMPLETED
    else:
        failure = world.task("a").failure
        assert failure is not None
        assert failure.kind is FailureKind.NO_CHANGES
        assert world.task("a").proposal is None


@pytest.mark.parametrize("expect", list(ExpectChanges))
def test_a_run_that_changed_something_is_as_expected(expect: ExpectChanges) -> None:
    world = ended(expect_changes=expect)

    world.to_captured("a")
    world.merge()

    assert world.states() == {"a": TaskState.COMPLETED}
    assert world.task("a").flags == ()


def test_the_work_of_a_failed_run_is_retained() -> None:
    world = ended(a_failure("exit 1"))

    world.to_captured("a")

    assert world.states() == {"a": TaskState.FAILED}
    assert world.task("a").failure == a_failure("exit 1")
    assert world.revision("a").integration is Integration.RETAINED
    assert world.asked_for(Reconcile) == []
    assert world.verdict() is TicketState.FAILED


def test_a_failed_run_that_changed_nothing_has_no_proposal() -> None:
    world = ended(a_failure("exit 1"), expect_changes=ExpectChanges.FAIL)

    world.to_captured("a", tree="tree-repo")

    assert world.task("a").failure == a_failure("exit 1")
    assert list(world.state.rows(ProposalRow)) == []


def test_a_capture_that_fails_keeps_the_workspace_and_names_it() -> None:
    world = ended()
    capturing = world.the(CaptureRun)

    world.tell(
        CaptureFailed, cause=capturing.id, run=world.run("a").id, failure=a_failure("disk full.")
    )

    assert world.states() == {"a": TaskState.FAILED}
    assert world.run("a").state is RunState.CAPTURED
    failure = world.task("a").failure
    assert failure is not None
    assert failure.message == f"disk full. What is there is kept: /w/{world.run('a').id}"


def test_a_workspace_that_is_gone_is_not_said_to_be_kept() -> None:
    world = ended()
    gone = a_failure("The workspace is not there any more.")

    world.tell(
        CaptureFailed, cause=world.the(CaptureRun).id, run=world.run("a").id, failure=gone,
        is_there=False,
    )  # fmt: skip

    assert world.task("a").failure == gone


def test_a_capture_that_fails_does_not_hide_why_the_run_failed() -> None:
    world = ended(a_failure("exit 1"))

    world.fail(world.the(CaptureRun), a_failure("disk full."))

    assert world.task("a").failure == a_failure("exit 1")
    (notice,) = world.task("a").notices
    assert "disk full" in notice.message


def test_a_cancelled_task_whose_capture_fails_is_cancelled() -> None:
    world = ended()
    world.tell(CancelRequested, ticket=TICKET, tasks=("a",), by=HERE)

    world.fail(world.the(CaptureRun), a_failure("disk full."))

    assert world.states() == {"a": TaskState.CANCELLED}
    assert world.verdict() is TicketState.CANCELLED
