from __future__ import annotations

from typing import Any

import pytest
from attrs import evolve

from sennit.core.engine.admission import Admitted, Refused, RefusedBecause
from sennit.core.engine.commands import CaptureRun, PrepareWorkspace, RemoveWorkspaces, StartRun
from sennit.core.engine.events import (
    DecisionsMade,
    Dropped,
    RunEnded,
    SessionKnown,
    WorkspaceReady,
)
from sennit.core.engine.following import is_newest, lineage
from sennit.core.engine.rows import Begun, Followed, ProposalRow, RevisionRow, TaskRow
from sennit_protocol.following import Begin
from sennit_protocol.ids import ProposalId, TicketId, UnitId
from sennit_protocol.states import Decision, Flag, Integration, Review, TaskState
from tests.core.engine.builders import TICKET, a_failure, a_task, a_ticket
from tests.core.engine.world import World, a_world

TWO, THREE = TicketId("t_two"), TicketId("t_three")


def followed(world: World, ticket: str = TICKET, **values: Any) -> Followed:
    task = world.task("a", ticket)
    revision = world.state.revision_of(task)
    named = (None, None) if revision is None else (revision.proposal, revision.id)
    return Followed(TicketId(ticket), "a", *named, **values)


def follow(world: World, ticket: TicketId = TWO, **values: Any) -> Any:
    """Ask for a follow-up on the task `a` of a ticket, in its workspace."""
    spec = {"following": followed(world), "place": world.run("a").workspace, **values}
    outcome = world.dispatch(a_ticket(a_task("a", **spec), ticket=ticket))
    world.take_bases()
    return outcome


def a_followed_world() -> World:
    world = a_world(a_ticket(a_task("a")))
    world.finish("a")
    return world


def run_it(world: World, **captured: Any) -> None:
    """Bring the open task `a` to its end, on what was merged into its base."""
    prepare = world.the(PrepareWorkspace, "a")
    ready = world.good_end(prepare)
    assert isinstance(ready, WorkspaceReady)
    world.send(evolve(ready, begun=Begun("c-begun", "tree-begun")))
    world.to_end("a")
    world.to_captured("a", **captured)


def of(world: World, ticket: str) -> RevisionRow:
    revision = world.state.revision_of(world.task("a", ticket))
    assert revision is not None
    return revision


def test_a_follow_up_makes_the_next_revision_of_the_same_proposal() -> None:
    world = a_followed_world()
    first = of(world, TICKET)
    assert isinstance(follow(world), Admitted)
    prepared = world.the(PrepareWorkspace, "a").command
    assert (prepared.place, prepared.earlier.revision) == (world.run("a").id, first.id)
    assert world.task("a").followed_by == TWO
    run_it(world)
    assert world.asked_for(CaptureRun)[-1].follows == first.id
    world.merge()

    second = of(world, TWO)
    assert (second.proposal, second.follows, second.number) == (first.proposal, first.id, 2)
    assert world.state.the(ProposalRow, first.proposal).ticket == TWO
    assert of(world, TICKET) == first
    assert (is_newest(world.state, first), is_newest(world.state, second)) == (False, True)
    assert lineage(world.state, second) == (second, first)


def test_a_follow_up_on_the_live_text_alone_gets_no_earlier_work() -> None:
    world = a_followed_world()
    follow(world, following=followed(world, begin=Begin.LIVE))
    assert world.the(PrepareWorkspace, "a").command.earlier is None


def test_decisions_are_kept_for_the_same_units_and_the_others_are_told() -> None:
    world = a_followed_world()
    first = of(world, TICKET)
    units = [UnitId(f"{first.id}:{number}:x") for number in range(3)]
    said = (Decision.ACCEPTED, Decision.REJECTED, Decision.ACCEPTED)
    world.tell(
        DecisionsMade, revision=first.id, decisions=tuple(zip(units, said, strict=True)), total=3
    )
    follow(world)
    run_it(world, units=2, same_units=((units[0], ":1:x"), (units[1], ":0:x")))

    second = of(world, TWO)
    assert dict(second.decisions) == {
        f"{second.id}:1:x": Decision.ACCEPTED, f"{second.id}:0:x": Decision.REJECTED,
    }  # fmt: skip
    assert second.review is Review.PARTLY_ACCEPTED
    assert "could not be carried over" in second.notices[-1].message


def test_a_follow_up_that_adds_nothing_keeps_the_earlier_work_and_is_flagged() -> None:
    world = a_followed_world()
    follow(world)
    run_it(world, tree="tree-begun")
    assert of(world, TWO).integration is Integration.PENDING
    assert Flag.UNCHANGED in world.task("a", TWO).flags
    world.merge()
    follow(world, THREE, following=followed(world, TWO))
    run_it(world, tree="tree-repo")
    assert of(world, THREE).integration is Integration.NO_CHANGES
    assert f"dropping the ticket {THREE}" in of(world, THREE).notices[-1].message


def test_unfinished_work_is_a_proposal_of_its_own() -> None:
    world = a_followed_world()
    first = of(world, TICKET)
    follow(world)
    world.to_running("a")
    run = world.the(StartRun, "a")
    world.send(world.now(RunEnded, cause=run.id, run=run.command.run, failure=a_failure()))
    world.to_captured("a", tree="half")
    kept = of(world, TWO)
    assert (kept.integration, kept.number) == (Integration.RETAINED, 1)
    assert kept.proposal != first.proposal
    assert is_newest(world.state, first)


@pytest.mark.parametrize("again", ["the first", "another one"])
def test_one_open_task_at_a_time_works_in_a_workspace(again: str) -> None:
    world = a_followed_world()
    follow(world)
    values = {} if again == "the first" else {"following": None}
    refused = follow(world, THREE, **values)
    assert isinstance(refused, Refused)
    assert (refused.because, refused.ticket) == (RefusedBecause.IN_USE, TWO)
    assert world.state.ticket(THREE) is None


def test_a_session_has_one_owner() -> None:
    world = a_followed_world()
    follow(world, session="s-1")
    task = a_task("b", session="s-1")
    assert world.dispatch(a_ticket(task, ticket=THREE)).because is RefusedBecause.IN_USE
    other = evolve(task, spec=evolve(task.spec, agent=evolve(task.spec.agent, name="other")))
    assert isinstance(world.dispatch(a_ticket(other, ticket=THREE)), Admitted)


def test_what_has_not_ended_or_was_followed_is_not_followed() -> None:
    world = a_world(a_ticket(a_task("a")))
    world.to_running("a")
    refused = follow(world, place=None)
    assert refused.because is RefusedBecause.NOT_ENDED
    world.to_end("a")
    world.to_captured("a")
    world.merge()
    early = followed(world)
    follow(world)
    run_it(world)
    world.merge()
    refused = follow(world, THREE, following=early, place=None)
    assert (refused.because, refused.ticket) == (RefusedBecause.FOLLOWED, TWO)
    world.tell(Dropped, tickets=(TWO, TICKET))
    refused = follow_gone(world, early)
    assert refused.because is RefusedBecause.GONE


def follow_gone(world: World, following: Followed) -> Any:
    return world.dispatch(a_ticket(a_task("a", following=following), ticket=THREE))


def test_a_dropped_follow_up_gives_its_proposal_back() -> None:
    world = a_followed_world()
    first, place = of(world, TICKET), world.run("a").workspace
    follow(world)
    run_it(world)
    world.merge()
    world.tell(Dropped, tickets=(TWO,))
    row = world.state.the(ProposalRow, first.proposal)
    assert (row.ticket, row.revision) == (TICKET, first.id)
    assert world.task("a").followed_by is None
    # The first task's run has worked there as well.
    assert world.asked_for(RemoveWorkspaces)[-1].places == ()
    world.tell(Dropped, tickets=(TICKET,))
    assert world.asked_for(RemoveWorkspaces)[-1].places == (place,)


def test_a_revision_in_the_middle_that_is_dropped_leaves_the_others_in_order() -> None:
    world = a_followed_world()
    first = of(world, TICKET)
    follow(world)
    run_it(world)
    world.merge()
    follow(world, THREE, following=followed(world, TWO))
    run_it(world)
    world.merge()
    third = of(world, THREE)
    assert third.number == 3
    world.tell(Dropped, tickets=(TWO,))
    assert lineage(world.state, of(world, THREE)) == (of(world, THREE), first)


def test_a_dropped_proposal_is_dropped_with_all_its_revisions() -> None:
    world = a_followed_world()
    first = of(world, TICKET)
    follow(world)
    run_it(world)
    world.merge()
    world.tell(Dropped, proposals=(ProposalId(first.proposal),))
    assert {of(world, name).integration for name in (TICKET, TWO)} == {Integration.DISCARDED}
    # What follows from here on is a lineage of its own.
    follow(world, THREE, following=followed(world, TWO))
    run_it(world)
    assert of(world, THREE).proposal != first.proposal


@pytest.mark.parametrize(
    ("resumed", "words"), [(True, "went on with its earlier session"), (False, "began a new one")]
)
def test_the_task_says_whether_the_session_went_on(*, resumed: bool, words: str) -> None:
    world = a_followed_world()
    follow(world, session="s-1")
    world.to_workspace("a")
    run = world.run("a", TWO).id
    world.tell(SessionKnown, run=run, session="s-2", resumed=resumed)
    world.tell(SessionKnown, run=run, session="s-2", resumed=resumed)
    assert world.run("a", TWO).resumed is resumed
    assert [note.message for note in world.task("a", TWO).notices if words in note.message] != []
    assert len(world.task("a", TWO).notices) == 1


def test_a_task_that_never_began_can_be_followed() -> None:
    world = a_world(a_ticket(a_task("a"), a_task("b", "a")))
    world.to_running("a")
    world.to_end("a", failure=a_failure())
    world.to_captured("a", tree="tree-repo")
    assert world.states()["b"] is TaskState.BLOCKED
    spec = {"following": Followed(TICKET, "b")}
    assert isinstance(world.dispatch(a_ticket(a_task("b", **spec), ticket=TWO)), Admitted)
    world.take_bases()
    assert world.the(PrepareWorkspace, "b").command.earlier is None
    assert world.state.the(TaskRow, f"{TICKET}/b").followed_by == TWO


def test_a_workspace_is_ready_with_what_it_began_with() -> None:
    world = a_followed_world()
    follow(world)
    prepare = world.the(PrepareWorkspace, "a")
    ready = world.good_end(prepare)
    assert isinstance(ready, WorkspaceReady)
    world.send(evolve(ready, unmerged=(b"x",)))
    assert world.run("a", TWO).unmerged == (b"x",)
