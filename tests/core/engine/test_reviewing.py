from __future__ import annotations

from typing import Any

import pytest
from attrs import evolve

from sennit.core.engine.commands import (
    Reconcile,
)
from sennit.core.engine.events import (
    DecisionsMade,
    Dropped,
)
from sennit.core.engine.reviewing import (
    Decided,
    review_of,
)
from sennit.core.engine.rows import (
    ProposalRow,
)
from sennit.core.objects import Conflict, ConflictKind
from sennit_protocol.ids import RevisionId
from sennit_protocol.states import (
    Decision,
    Integration,
    Review,
    TicketState,
)
from tests.core.engine.builders import (
    TICKET,
    a_failure,
    a_task,
    a_ticket,
)
from tests.core.engine.reviewed import (
    NO,
    OPEN,
    YES,
    apply,
    arrived,
    decide,
    not_decided,
    settled_world,
)
from tests.core.engine.world import a_world


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
    assert "merged: conflict: f differs" in world.story


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
