"""With `onConflict: follow`, a task whose proposal conflicts is done again on what it met."""

from __future__ import annotations

import pytest
from attrs import evolve

from sennit.core.engine.again import gone_on_with, in_order, is_in_hand
from sennit.core.engine.commands import CaptureRun, PrepareWorkspace, Reconcile
from sennit.core.engine.events import (
    CancelRequested,
    ConflictsResolved,
    RunStarted,
    ServerStopping,
    WorkspaceReady,
)
from sennit.core.engine.following import begun_on
from sennit.core.engine.rows import Begun, ProposalRow
from sennit.core.objects import Conflict, ConflictKind
from sennit.core.resolutions import Resolution
from sennit_protocol.conflicts import Take
from sennit_protocol.states import Integration, TaskState, TicketState
from sennit_protocol.tasks import OnConflict
from tests.core.engine.builders import HERE, THERE, TICKET, a_failure, a_task, a_ticket
from tests.core.engine.world import World, a_world

CONFLICT = {"two": Integration.CONFLICT}


def up_to_merge(world: World, task: str) -> None:
    world.to_running(task)
    end(world, task)


def end(world: World, task: str) -> None:
    world.to_end(task)
    world.to_captured(task)


def in_conflict(*also: str, follow: bool = True) -> World:
    """The tasks `one` and `two` have ended, `two` in conflict; `also` depends on `two`."""
    tasks = (a_task("one"), a_task("two"), *(a_task(name, "two") for name in also))
    said = OnConflict.FOLLOW if follow else OnConflict.SET_ASIDE
    world = a_world(a_ticket(*tasks, on_conflict=said))
    world.finish("one")
    up_to_merge(world, "two")
    world.merge(**CONFLICT)
    return world


def test_a_task_in_conflict_is_done_again_on_what_was_merged_before_it() -> None:
    world = in_conflict()
    first, met = world.revision("two"), world.revision("one")
    assert world.states() == {
        "one": TaskState.COMPLETED, "two": TaskState.COMPLETED, "two-again": TaskState.PREPARING,
    }  # fmt: skip
    assert world.verdict() is TicketState.RUNNING
    command = world.the(PrepareWorkspace, "two-again").command
    assert [(one.task, one.tree) for one in command.prerequisites] == [("one", met.tree)]
    assert command.earlier.revision == first.id
    assert command.place == world.run("two").workspace
    assert begun_on(world.state, world.task("two-again")) == {first.id, met.id}
    up_to_merge(world, "two-again")
    assert world.asked_for(CaptureRun)[-1].follows == first.id
    merged = world.pending(Reconcile)[-1].command
    assert [one.task for one in merged.arrived] == ["one", "two-again"]
    world.merge()
    again = world.revision("two-again")
    assert (again.proposal, again.number) == (first.proposal, 2)
    assert "on top of one" in again.notices[-1].message
    assert world.verdict() is TicketState.COMPLETED


def test_it_is_done_again_once_and_then_set_aside() -> None:
    world = in_conflict()
    up_to_merge(world, "two-again")
    world.merge(**{"two-again": Integration.CONFLICT})
    assert list(world.states()) == ["one", "two", "two-again"]
    assert world.verdict() is TicketState.PARTIAL


def second_turn(world: World, tree: str, *unmerged: bytes) -> None:
    """Do `two` again, and let its workspace hold a tree in the end."""
    ready = world.good_end(world.the(PrepareWorkspace, "two-again"))
    assert isinstance(ready, WorkspaceReady)
    begun = Begun("commit-begun", "tree-begun")
    world.send(evolve(ready, begun=begun, unmerged=unmerged))
    world.send(world.now(RunStarted, run=world.run("two-again").id))
    world.to_end("two-again")
    world.to_captured("two-again", tree=tree)


@pytest.mark.parametrize("tree", ["tree-repo", "tree-begun"], ids=["empties it", "does nothing"])
def test_a_second_turn_that_brings_nothing_together_leaves_the_conflict_in_review(
    tree: str,
) -> None:
    world = in_conflict("three")
    first = world.revision("two")
    second_turn(world, tree, b"f")
    again = world.task("two-again")
    assert (again.state, again.proposal) == (TaskState.COMPLETED, None)
    [told] = again.notices
    assert f"the proposal {first.proposal} of two stays as it was" in told.message
    assert f"sennit resolve {TICKET}/two" in told.message
    assert world.state.the(ProposalRow, first.proposal).revision == first.id
    assert world.revision("two") == first
    assert world.states()["three"] is TaskState.BLOCKED
    assert "depends on two, which conflicts" in str(world.task("three").failure)
    assert world.verdict() is TicketState.PARTIAL
    # What is followed up next is that work.
    assert gone_on_with(world.state, again) == gone_on_with(world.state, world.task("two"))


def test_a_second_turn_with_nothing_left_to_do_is_a_revision_all_the_same() -> None:
    world = in_conflict()
    second_turn(world, "tree-begun")
    world.merge()
    assert world.revision("two-again").follows == world.revision("two").id
    assert world.verdict() is TicketState.COMPLETED


def test_it_waits_for_those_before_it_which_may_change_what_it_meets() -> None:
    world = a_world(a_ticket(*map(a_task, ("one", "two", "late")), on_conflict=OnConflict.FOLLOW))
    up_to_merge(world, "two")
    world.merge(**CONFLICT)
    assert "two-again" not in world.states()
    assert is_in_hand(world.state, world.ticket(), world.task("two"))
    up_to_merge(world, "one")
    assert "two-again" not in world.states()
    world.merge(**CONFLICT)
    assert list(world.states()) == ["one", "two", "two-again", "late"]


def test_those_that_depend_on_it_wait_and_build_on_what_was_done_again() -> None:
    world = in_conflict("three")
    assert world.states()["three"] is TaskState.QUEUED
    up_to_merge(world, "two-again")
    world.merge()
    command = world.the(PrepareWorkspace, "three").command
    assert [one.task for one in command.prerequisites] == ["one", "two-again"]
    assert in_order(world.state, world.ticket()) == ("one", "two", "two-again", "three")


def test_those_that_depend_on_it_are_blocked_when_it_fails_again() -> None:
    world = in_conflict("three")
    up_to_merge(world, "two-again")
    world.merge(**{"two-again": Integration.CONFLICT})
    assert world.states()["three"] is TaskState.BLOCKED
    assert world.verdict() is TicketState.PARTIAL


def test_its_turn_comes_when_what_is_before_it_is_blocked() -> None:
    tasks = (a_task("one"), a_task("bad"), a_task("after", "bad"), a_task("two"))
    world = a_world(a_ticket(*tasks, on_conflict=OnConflict.FOLLOW))
    world.finish("one")
    up_to_merge(world, "two")
    world.merge(**CONFLICT)
    assert "two-again" not in world.states()
    world.to_running("bad")
    world.to_end("bad", failure=a_failure())
    world.to_captured("bad", tree="tree-repo")
    assert world.states()["after"] is TaskState.BLOCKED
    assert world.states()["two-again"] is TaskState.PREPARING


def test_what_had_begun_before_goes_in_once_what_it_builds_on_is_done_again() -> None:
    tasks = (a_task("one"), a_task("two"), a_task("three", "two"))
    world = a_world(a_ticket(*tasks, on_conflict=OnConflict.FOLLOW))
    world.finish("two")
    world.to_running("three")
    up_to_merge(world, "one")
    world.merge(**CONFLICT)
    world.to_end("three")
    world.to_captured("three")
    world.merge(**CONFLICT, three=Integration.FAILED)
    assert world.revision("three").integration is Integration.FAILED
    up_to_merge(world, "two-again")
    merged = world.pending(Reconcile)[-1].command
    assert {one.task for one in merged.arrived} == {"one", "two-again", "three"}
    world.merge()
    assert world.revision("three").integration is Integration.CLEAN
    assert world.revision("three").failure is None
    assert world.verdict() is TicketState.COMPLETED


@pytest.mark.parametrize("late", [False, True], ids=["captured before", "captured after"])
def test_what_was_built_on_the_first_try_says_so(*, late: bool) -> None:
    tasks = (a_task("one"), a_task("two"), a_task("three", "two"))
    world = a_world(a_ticket(*tasks, on_conflict=OnConflict.FOLLOW))
    world.finish("two")
    first = world.revision("two")
    world.to_running("three")
    assert world.run("three").built_on == (first.id,)
    up_to_merge(world, "one")
    world.merge(**CONFLICT)
    if not late:
        end(world, "three")
        assert not world.revision("three").notices
    up_to_merge(world, "two-again")
    if late:
        end(world, "three")
    told = world.revision("three").notices
    assert [f"built on two as of revision {first.number}" in one.message for one in told] == [True]
    assert f"sennit follow {TICKET}/three" in told[0].message
    assert not any("built on" in one.message for one in world.revision("two-again").notices)


def test_what_was_built_on_the_second_try_has_nothing_to_say() -> None:
    world = in_conflict("three")
    up_to_merge(world, "two-again")
    world.merge()
    up_to_merge(world, "three")
    assert not world.revision("three").notices
    newer = {world.revision(name).id for name in ("one", "two-again")}
    assert begun_on(world.state, world.task("three")) == newer


@pytest.mark.parametrize("said", OnConflict)
def test_what_was_clean_does_not_go_in_without_what_it_builds_on(said: OnConflict) -> None:
    tasks = (a_task("one"), a_task("two"), a_task("three", "two"))
    world = a_world(a_ticket(*tasks, on_conflict=said))
    world.finish("two")
    world.finish("three")
    assert world.revision("three").integration is Integration.CLEAN
    up_to_merge(world, "one")
    world.merge("three", **CONFLICT)
    assert world.revision("three").integration is Integration.FAILED
    # A merge that breaks later takes nothing back.
    assert world.revision("one").integration is Integration.CLEAN


def test_a_chain_waits_for_what_its_first_is_done_again_upon() -> None:
    tasks = (a_task("one"), a_task("two"), a_task("three", "two"), a_task("four", "three"))
    world = a_world(a_ticket(*tasks, on_conflict=OnConflict.FOLLOW))
    world.finish("two")
    world.to_running("three")
    up_to_merge(world, "one")
    world.merge(**CONFLICT)
    world.to_end("three")
    world.to_captured("three")
    world.merge("three", **CONFLICT)
    assert world.states()["four"] is TaskState.QUEUED
    up_to_merge(world, "two-again")
    world.merge()
    assert world.states()["four"] is TaskState.PREPARING


def test_nothing_is_done_again_unless_it_was_asked_for() -> None:
    world = in_conflict("three", follow=False)
    assert world.states()["three"] is TaskState.BLOCKED
    assert "two-again" not in world.states()
    assert world.verdict() is TicketState.PARTIAL


def test_a_conflict_that_somebody_settles_first_is_left_alone() -> None:
    world = a_world(a_ticket(a_task("one"), a_task("two"), on_conflict=OnConflict.FOLLOW))
    up_to_merge(world, "two")
    world.merge(**CONFLICT)
    resolution = Resolution(Conflict(ConflictKind.CONTENT, b"f", None, None, None), Take.OURS, ())
    revision = world.revision("two").id
    world.tell(ConflictsResolved, revision=revision, resolutions=(resolution,))
    world.merge()
    up_to_merge(world, "one")
    world.merge()
    assert list(world.states()) == ["one", "two"]
    assert world.verdict() is TicketState.COMPLETED


def test_nothing_is_begun_again_in_a_ticket_that_is_cancelled_or_whose_server_ends() -> None:
    for how in ("cancel", "stop"):
        world = a_world(a_ticket(a_task("one"), a_task("two"), on_conflict=OnConflict.FOLLOW))
        up_to_merge(world, "two")
        world.merge(**CONFLICT)
        if how == "cancel":
            world.tell(CancelRequested, ticket=TICKET, tasks=("one", "two"), by=HERE)
        else:
            world.tell(ServerStopping, server=HERE)
        assert list(world.states()) == ["one", "two"]
        assert not world.pending(PrepareWorkspace, "two-again")


def test_another_server_that_takes_a_ticket_over_begins_nothing_again() -> None:
    world = a_world(a_ticket(a_task("one"), a_task("two"), on_conflict=OnConflict.FOLLOW))
    up_to_merge(world, "two")
    world.merge(**CONFLICT)
    world.begin(THERE, HERE)
    assert list(world.states()) == ["one", "two"]
    assert world.ticket().on_conflict is OnConflict.SET_ASIDE


def test_names_of_tasks_done_again_are_free_and_fit() -> None:
    name = "n" * 64
    tasks = (a_task("one"), a_task(name), a_task(f"{'n' * 58}-again"))
    world = a_world(a_ticket(*tasks, on_conflict=OnConflict.FOLLOW))
    world.finish("one")
    up_to_merge(world, name)
    world.merge(**{name: Integration.CONFLICT})
    assert f"{'n' * 56}-again-2" in world.states()


def test_the_story_tells_by_which_task_it_is_done_again() -> None:
    assert "conflicts, and is done again as two-again" in in_conflict().story
