from __future__ import annotations

from typing import Any

import pytest
from attrs import evolve

from sennit.core.disk_application import Intention
from sennit.core.engine.commands import (
    CaptureRun,
    Reconcile,
    RemoveWorkspaces,
    RunApplication,
    TakeBase,
)
from sennit.core.engine.events import (
    ApplicationIntended,
    ApplicationSettled,
    CancelRequested,
    DecisionsMade,
    DriftSeen,
    Dropped,
    QuestionAsked,
    WorkspacesRemoved,
)
from sennit.core.engine.reviewing import (
    Decided,
    DropDone,
    Intended,
    NotDecided,
    NotIntended,
    review_of,
)
from sennit.core.engine.rows import (
    ROWS,
    ApplicationRow,
    FileOutcome,
    ProposalRow,
    RepositoryRef,
)
from sennit.core.objects import Conflict, ConflictKind
from sennit_protocol.ids import ApplicationId, ProposalId, RevisionId, TicketId, UnitId
from sennit_protocol.states import (
    ApplicationState,
    Decision,
    Flag,
    Integration,
    Review,
    Target,
    TaskState,
    TicketState,
)
from sennit_protocol.views import Notice
from tests.core.engine.builders import (
    HERE,
    OTHER_REPOSITORY,
    REPOSITORY,
    TICKET,
    a_failure,
    a_task,
    a_ticket,
    an_application,
)
from tests.core.engine.world import Open, World, a_world

YES, NO, OPEN = Decision.ACCEPTED, Decision.REJECTED, Decision.UNDECIDED
APPLIED, PARTLY = ApplicationState.APPLIED, ApplicationState.PARTLY_APPLIED
FAILED, UNKNOWN = ApplicationState.FAILED, ApplicationState.UNKNOWN
UNDONE, APPLYING = ApplicationState.UNDONE, ApplicationState.APPLYING


def settled_world(*names: str) -> World:
    tasks = names or ("a",)
    world = a_world(a_ticket(*(a_task(name) for name in tasks)))
    for name in tasks:
        world.finish(name)
    return world


# Verdicts of merges.


def arrived(*names: str) -> World:
    world = a_world(a_ticket(*(a_task(name) for name in names)))
    for name in names:
        world.to_running(name)
        world.to_end(name)
        world.to_captured(name)
    return world


def test_the_verdict_of_an_older_merge_is_late() -> None:
    world = arrived("a", "b")
    older, newer = world.pending(Reconcile)

    world.answer(older)
    assert world.revision("a").integration is Integration.PENDING
    assert world.last.done == (older.id,)
    world.answer(newer)

    assert world.revision("a").integration is Integration.CLEAN
    assert world.verdict() is TicketState.COMPLETED


def test_the_verdict_of_an_older_merge_is_late_after_the_newer_one_too() -> None:
    world = arrived("a", "b")
    older, _ = world.pending(Reconcile)
    world.merge(b=Integration.CONFLICT)

    world.fail(older)

    assert world.revision("a").integration is Integration.CLEAN
    assert world.revision("b").integration is Integration.CONFLICT


def test_a_conflict_is_kept_with_its_sides() -> None:
    world = arrived("a")
    merging = world.the(Reconcile)
    event: Any = world.good_end(merging)
    conflict = Conflict(ConflictKind.CONTENT, b"f", None, None, None)
    verdict = evolve(
        event.verdicts[0], integration=Integration.CONFLICT, conflicts=(conflict,),
        conflicts_with=("z",), uncertain=(b"g",), message="f differs",
    )  # fmt: skip

    world.send(evolve(event, verdicts=(verdict,)))

    revision = world.revision("a")
    assert revision.conflicts == (conflict,)
    assert revision.conflicts_with == ("z",)
    assert revision.uncertain == (b"g",)
    assert "merges conflict: f differs" in world.story


def test_verdicts_stand_when_a_later_merge_breaks() -> None:
    world = a_world(a_ticket(a_task("a"), a_task("b")))
    world.finish("a")
    world.to_running("b")
    world.to_end("b")
    world.to_captured("b")

    world.fail(world.the(Reconcile), a_failure("git is gone."))

    assert world.revision("a").integration is Integration.CLEAN
    assert world.revision("b").integration is Integration.FAILED
    failure = world.revision("b").failure
    assert failure is not None
    assert "git is gone." in failure.message
    assert world.verdict() is TicketState.PARTIAL


def test_a_later_arrival_may_bring_an_earlier_one_into_conflict() -> None:
    world = a_world(a_ticket(a_task("a"), a_task("b")))
    world.finish("b")
    world.to_running("a")
    world.to_end("a")
    world.to_captured("a")

    world.merge(b=Integration.CONFLICT)

    assert world.revision("b").integration is Integration.CONFLICT


# Decisions.


def decide(world: World, *said: tuple[str, Decision], total: int = 2) -> Any:
    decisions = tuple((UnitId(unit), decision) for unit, decision in said)
    return world.tell(
        DecisionsMade, revision=world.revision("a").id, decisions=decisions, total=total
    )


@pytest.mark.parametrize(
    ("said", "total", "review"),
    [
        ([], 2, Review.OFFERED),
        ([], 0, Review.OFFERED),
        ([YES], 2, Review.PARTLY_ACCEPTED),
        ([YES, YES], 2, Review.ACCEPTED),
        ([YES, NO], 2, Review.PARTLY_ACCEPTED),
        ([NO], 2, Review.OFFERED),
        ([NO, NO], 2, Review.REJECTED),
    ],
)
def test_what_decisions_say_of_the_whole(said: list[Decision], total: int, review: Review) -> None:
    assert review_of(said, total) is review


def test_later_words_win_and_a_reset_forgets() -> None:
    world = settled_world()
    name = world.revision("a").id

    assert decide(world, ("u1", YES), ("u2", YES)) == Decided(name)
    assert world.revision("a").review is Review.ACCEPTED
    decide(world, ("u1", NO))
    assert world.revision("a").decisions == (("u1", NO), ("u2", YES))
    assert world.revision("a").review is Review.PARTLY_ACCEPTED
    decide(world, ("u1", OPEN), ("u2", OPEN))

    assert world.revision("a").decisions == ()
    assert world.revision("a").review is Review.OFFERED


def test_the_same_decision_again_changes_nothing() -> None:
    world = settled_world()
    decide(world, ("u1", YES))

    decide(world, ("u1", YES))

    assert world.last.changes == ()


def not_decided(outcome: object, why: str) -> bool:
    return isinstance(outcome, NotDecided) and why in outcome.message


def test_an_old_revision_is_not_decided_about() -> None:
    world = settled_world()
    old = world.revision("a")
    newer = evolve(old, id=RevisionId("r_newer"))
    (proposal,) = world.state.rows(ProposalRow)
    world.state.tables[type(newer)][newer.key] = newer
    world.state.tables[ProposalRow][proposal.key] = evolve(proposal, revision=newer.id)

    outcome = world.tell(DecisionsMade, revision=old.id, decisions=(), total=1)

    assert not_decided(outcome, "that is r_newer")


def test_dropped_work_is_not_decided_about() -> None:
    world = settled_world()
    revision = world.revision("a")
    world.tell(Dropped, proposals=(revision.proposal,))

    assert not_decided(decide(world, ("u1", YES)), "was dropped")
    world.tell(Dropped, tickets=(TICKET,))
    outcome = world.tell(DecisionsMade, revision=revision.id, decisions=(), total=1)
    assert not_decided(outcome, "its ticket was dropped")


def test_work_that_is_being_applied_is_not_decided_about() -> None:
    world = settled_world()
    apply(world)

    assert not_decided(decide(world, ("u1", NO)), "is being applied")


# Applications.


def intend(world: World, name: str, **values: Any) -> Any:
    row = an_application(name, at=world.at + 1, **values)
    return world.tell(ApplicationIntended, application=row)


def apply(world: World, name: str = "a_one", **values: Any) -> Open:
    revision = world.revision("a").id
    assert intend(world, name, revisions=(revision,), units=("u1",), **values) == Intended(
        ApplicationId(name)
    )
    return world.the(RunApplication)


def settle(world: World, state: ApplicationState, **values: Any) -> None:
    each = world.the(RunApplication)
    event: Any = world.good_end(each)
    world.send(evolve(event, state=state, **values))


def row_of(world: World, name: str = "a_one") -> ApplicationRow:
    return world.state.the(ApplicationRow, name)


def test_an_application_is_intended_before_it_is_carried_out() -> None:
    world = settled_world()
    decide(world, ("u1", YES), ("u2", NO))

    each = apply(world)

    assert each.issued.once
    assert row_of(world).state is APPLYING
    assert world.revision("a").application is APPLYING


@pytest.mark.parametrize(
    ("state", "units"), [(APPLIED, ("u1",)), (PARTLY, ("u1",)), (FAILED, ()), (UNKNOWN, ())]
)
def test_what_was_observed_is_kept(state: ApplicationState, units: tuple[str, ...]) -> None:
    world = settled_world()
    decide(world, ("u1", YES), ("u2", NO))
    intention = Intention(
        id="a_one", work_tree=b"/repo", folder=b"/stage", new_folders=(), steps=()
    )
    apply(world, intention=intention, notices=(Notice("one"),))

    settle(world, state, observed=(FileOutcome(b"f", state),), notices=(Notice("two"),))

    row = row_of(world)
    assert row.state is state
    assert row.intention == (intention if state is UNKNOWN else None)
    assert row.observed == (FileOutcome(b"f", state),)
    assert row.notices == (Notice("one"), Notice("two"))
    assert world.revision("a").application is state
    assert world.revision("a").applied_units == units


def test_what_was_settled_stays_so() -> None:
    world = settled_world()
    apply(world)
    settle(world, FAILED)

    world.tell(ApplicationSettled, application="a_one", state=APPLIED)

    assert row_of(world).state is FAILED


def test_an_unknown_application_may_be_settled_later() -> None:
    world = settled_world()
    decide(world, ("u1", YES))
    apply(world)
    settle(world, UNKNOWN)

    world.tell(ApplicationSettled, application="a_one", state=APPLIED)

    assert row_of(world).state is APPLIED
    assert world.revision("a").applied_units == ("u1",)


def test_what_settles_late_does_not_speak_for_a_newer_application() -> None:
    world = settled_world()
    apply(world)
    settle(world, UNKNOWN)
    apply(world, "a_two")
    settle(world, APPLIED)

    world.tell(ApplicationSettled, application="a_one", state=FAILED)

    assert row_of(world).state is FAILED
    assert world.revision("a").application is APPLIED


def not_intended(outcome: object, why: str) -> bool:
    return isinstance(outcome, NotIntended) and why in outcome.message


def test_one_application_at_a_time_in_a_repository() -> None:
    world = settled_world()
    apply(world)

    assert not_intended(intend(world, "a_two"), "a_one is under way in the same repository")
    assert world.state.get(ApplicationRow, "a_two") is None
    other = intend(world, "a_three", repository=OTHER_REPOSITORY)
    assert other == Intended(ApplicationId("a_three"))
    for each in world.pending(RunApplication):
        world.answer(each)
    assert intend(world, "a_two") == Intended(ApplicationId("a_two"))


def test_a_patch_is_written_beside_anything_and_marks_nothing() -> None:
    world = settled_world()
    apply(world)
    before = world.revision("a")

    outcome = intend(world, "a_patch", target=Target.PATCH, state=APPLIED, revisions=(before.id,))

    assert outcome == Intended(ApplicationId("a_patch"))
    assert world.last.commands == ()
    assert world.revision("a") == before


@pytest.mark.parametrize("target", [Target.DISK, Target.PATCH])
def test_dropped_work_is_not_applied(target: Target) -> None:
    world = settled_world()
    revision = world.revision("a")
    world.tell(Dropped, proposals=(revision.proposal,))

    assert not_intended(intend(world, "a_one", revisions=(revision.id,), target=target), "dropped")
    assert not_intended(intend(world, "a_one", revisions=("r_none",), target=target), "dropped")


# Undo.


def applied_world() -> World:
    world = settled_world()
    decide(world, ("u1", YES), ("u2", NO))
    apply(world)
    settle(world, APPLIED, observed=(FileOutcome(b"f", APPLIED),))
    return world


def undo(world: World, name: str, undoes: str, state: ApplicationState = APPLIED) -> None:
    outcome = intend(world, name, undoes=ApplicationId(undoes))
    assert outcome == Intended(ApplicationId(name))
    settle(world, state)


def test_an_undo_marks_what_it_has_undone() -> None:
    world = applied_world()

    undo(world, "a_two", "a_one")

    assert row_of(world).state is UNDONE
    assert row_of(world).undone_by == "a_two"
    assert world.revision("a").application is UNDONE
    assert world.revision("a").applied_units == ()


def test_what_is_undone_is_not_undone_again() -> None:
    world = applied_world()
    undo(world, "a_two", "a_one")

    outcome = intend(world, "a_three", undoes=ApplicationId("a_one"))

    assert not_intended(outcome, "a_one is undone; there is nothing to undo")


def test_an_undo_can_be_undone() -> None:
    world = applied_world()
    undo(world, "a_two", "a_one")

    undo(world, "a_three", "a_two")

    assert (row_of(world).state, row_of(world).undone_by) == (APPLIED, None)
    assert row_of(world, "a_two").state is UNDONE
    assert world.revision("a").application is APPLIED
    assert world.revision("a").applied_units == ("u1",)
    undo(world, "a_four", "a_three")
    assert (row_of(world).state, row_of(world).undone_by) == (UNDONE, "a_two")
    assert (row_of(world, "a_two").state, row_of(world, "a_two").undone_by) == (APPLIED, None)
    assert row_of(world, "a_three").undone_by == "a_four"
    assert world.revision("a").application is UNDONE
    undo(world, "a_five", "a_two")
    assert row_of(world).state is APPLIED


def test_an_application_that_was_partly_done_comes_back_as_that() -> None:
    world = settled_world()
    apply(world)
    settle(world, PARTLY, observed=(FileOutcome(b"f", APPLIED), FileOutcome(b"g", FAILED)))
    undo(world, "a_two", "a_one")

    undo(world, "a_three", "a_two")

    assert row_of(world).state is PARTLY


@pytest.mark.parametrize(
    ("state", "mark"), [(FAILED, APPLIED), (UNKNOWN, UNKNOWN), (PARTLY, PARTLY)]
)
def test_an_undo_that_did_not_go_well(state: ApplicationState, mark: ApplicationState) -> None:
    world = applied_world()

    undo(world, "a_two", "a_one", state)

    assert row_of(world).state is APPLIED
    assert world.revision("a").application is mark
    assert world.revision("a").applied_units == ("u1",)


@pytest.mark.parametrize(
    ("values", "why"),
    [
        ({"state": FAILED, "target": Target.DISK}, "is failed"),
        ({"state": APPLIED, "target": Target.PATCH}, "wrote a patch"),
    ],
)
def test_what_changed_no_file_is_not_undone(values: dict[str, Any], why: str) -> None:
    world = settled_world()
    row = an_application(**values)
    world.state.tables.setdefault(ApplicationRow, {})[row.key] = row

    assert not_intended(intend(world, "a_two", undoes=row.id), why)
    assert not_intended(intend(world, "a_two", undoes=ApplicationId("a_none")), "was dropped")


# Drift.


def test_drift_is_shown_with_the_tasks_of_its_repository() -> None:
    world = a_world(a_ticket(a_task("a"), a_task("b", repository=OTHER_REPOSITORY)))

    for moved in (False, True, True):
        world.tell(
            DriftSeen, ticket=TICKET, repository=REPOSITORY, head_moved=moved, message="it moved"
        )

    assert world.task("a").flags == (Flag.SOURCE_DRIFT, Flag.HEAD_MOVED)
    assert world.task("b").flags == ()
    assert world.states()["a"] is TaskState.PREPARING


def test_drift_of_a_dropped_ticket_is_nothing() -> None:
    world = settled_world()
    world.tell(Dropped, tickets=(TICKET,))

    world.tell(
        DriftSeen, ticket=TICKET, repository=RepositoryRef("r", b"/"), head_moved=True, message=""
    )

    assert world.last.changes == ()


# Drop.


def drop(world: World, *proposals: str, tickets: tuple[str, ...] = ()) -> DropDone:
    outcome = world.tell(
        Dropped,
        proposals=tuple(ProposalId(name) for name in proposals),
        tickets=tuple(TicketId(name) for name in tickets),
    )
    assert isinstance(outcome, DropDone)
    return outcome


def test_a_dropped_proposal_is_discarded_with_its_workspace() -> None:
    world = settled_world()
    proposal = world.revision("a").proposal

    assert drop(world, proposal) == DropDone((proposal,), (), ())
    assert drop(world, proposal) == DropDone((proposal,), (), ())

    assert world.revision("a").integration is Integration.DISCARDED
    removal = RemoveWorkspaces(TICKET, world.task("a").runs, (REPOSITORY,))
    assert world.asked_for(RemoveWorkspaces) == [removal]
    assert world.verdict() is TicketState.COMPLETED


def test_what_runs_is_not_dropped() -> None:
    world = a_world(a_ticket(a_task("a"), a_task("b", "a")))
    world.finish("a")
    proposal = world.revision("a").proposal

    done = drop(world, proposal, tickets=(TICKET,))

    assert (done.proposals, done.tickets) == ((), ())
    assert "reject it" in done.kept[0]
    assert f"the ticket {TICKET} is running; cancel it first" in done.kept
    assert world.last.changes == ()


def test_what_is_being_applied_is_not_dropped() -> None:
    world = settled_world()
    apply(world)

    done = drop(world, world.revision("a").proposal, tickets=(TICKET,))

    assert (done.proposals, done.tickets) == ((), ())
    assert [one.split(" is ")[1] for one in done.kept] == [
        "being applied",
        "being applied; wait for that",
    ]


def test_what_is_not_there_is_named() -> None:
    done = drop(a_world(), "p_none", tickets=("t_none",))

    assert done.kept == ("there is no proposal p_none", "there is no ticket t_none")


def test_nothing_is_left_of_a_dropped_ticket() -> None:
    world = a_world(a_ticket(a_task("a"), a_task("b")))
    world.to_running("b")
    world.tell(QuestionAsked, run=world.run("b").id, question="q_one", text="Which?")
    world.to_end("b")
    world.fail(world.the(CaptureRun, "b"))
    world.finish("a")
    apply(world)
    settle(world, APPLIED)
    runs = {world.run("a").id, world.run("b").id}
    world.dispatch(a_ticket(a_task("a"), ticket="t_two"))

    assert drop(world, tickets=(TICKET,)) == DropDone((), (TICKET,), ())

    left = [row for table in ROWS for row in world.state.tables.get(table, {}).values()]
    assert {getattr(row, "ticket", "t_two") for row in left} == {"t_two"}
    removal = world.asked_for(RemoveWorkspaces)[-1]
    assert (set(removal.runs), removal.repositories) == (runs, (REPOSITORY,))
    world.the(TakeBase)


def test_a_merge_that_ends_after_the_drop_is_nothing() -> None:
    world = arrived("a", "b")
    older, newer = world.pending(Reconcile)
    world.answer(newer)
    drop(world, tickets=(TICKET,))

    world.answer(older)

    assert world.last.changes == ()


def test_folders_that_cannot_be_removed_are_told_of() -> None:
    world = settled_world()
    drop(world, world.revision("a").proposal)

    world.tell(WorkspacesRemoved, ticket=TICKET, failure=a_failure("a mount is in the way"))

    assert world.ticket().notices == (Notice("a mount is in the way"),)
    drop(world, tickets=(TICKET,))
    world.tell(WorkspacesRemoved, ticket=TICKET, failure=a_failure("still in the way"))
    assert world.story[-1] == "still in the way"
    world.tell(WorkspacesRemoved, ticket=TICKET)
    assert world.last.changes == ()


def test_a_cancelled_ticket_keeps_what_was_finished() -> None:
    world = a_world(a_ticket(a_task("a"), a_task("b")))
    world.finish("a")

    world.tell(CancelRequested, ticket=TICKET, tasks=("a", "b"), by=HERE)
    world.to_workspace("b")

    assert world.verdict() is TicketState.CANCELLED
    assert world.revision("a").integration is Integration.CLEAN
