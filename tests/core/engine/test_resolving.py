"""A person settles conflicts: kept with the revision, merged again, replaced, taken back."""

from __future__ import annotations

from typing import Any

from attrs import evolve

from sennit.core.engine.commands import Reconcile
from sennit.core.engine.events import ConflictsResolved
from sennit.core.engine.reviewing import Decided
from sennit.core.engine.rows import BaseRow
from sennit.core.objects import Conflict, ConflictKind
from sennit.core.resolutions import Resolution, settled
from sennit_protocol.conflicts import Take
from sennit_protocol.ids import RevisionId
from sennit_protocol.states import Integration
from tests.core.engine.reviewed import applied_world, arrived, not_decided
from tests.core.engine.world import World

CONFLICT = Conflict(ConflictKind.CONTENT, b"f", None, None, None)
OTHER = Conflict(ConflictKind.CONTENT, b"g", None, None, None)


def in_conflict() -> World:
    world = arrived("a")
    event: Any = world.good_end(world.the(Reconcile))
    verdict = evolve(
        event.verdicts[0],
        integration=Integration.CONFLICT,
        conflicts=(CONFLICT, OTHER),
        merged_onto="tree",
    )
    world.send(evolve(event, verdicts=(verdict,)))
    return world


def resolve(world: World, *resolutions: Resolution, revision: str | None = None) -> Any:
    name = RevisionId(revision or world.revision("a").id)
    return world.tell(ConflictsResolved, revision=name, resolutions=resolutions)


def test_a_resolution_is_kept_and_all_is_merged_again_with_it() -> None:
    world = in_conflict()
    assert all(row.reconcile is None for row in world.state.rows(BaseRow))
    one = Resolution(CONFLICT, Take.OURS, ())

    outcome = resolve(world, one)

    assert isinstance(outcome, Decided)
    again = world.the(Reconcile)
    command: Any = again.command
    assert command.arrived[0].resolutions == (one,)
    assert world.revision("a").resolutions == (one,)
    assert "the conflict in f is resolved: ours" in world.story
    world.answer(again)
    assert world.revision("a").integration is Integration.CLEAN
    assert world.revision("a").conflicts == ()


def test_another_resolution_takes_its_place_and_nothing_takes_it_back() -> None:
    world = in_conflict()
    first, other = (Resolution(one, Take.OURS, ()) for one in (CONFLICT, OTHER))
    resolve(world, first, other)
    better = Resolution(CONFLICT, Take.THEIRS, ())
    resolve(world, better)
    assert world.revision("a").resolutions == (other, better)
    resolve(world, Resolution(CONFLICT, Take.NOTHING, ()))
    assert world.revision("a").resolutions == (other,)


def test_what_is_no_conflict_cannot_be_resolved() -> None:
    world = arrived("a")
    outcome = resolve(world, Resolution(CONFLICT, Take.OURS, ()))
    assert not_decided(outcome, "only a conflict can be resolved")
    assert not_decided(resolve(world, revision="r_gone"), "there is no revision")


def test_what_is_applied_is_undone_before_it_is_resolved_anew() -> None:
    outcome = resolve(applied_world(), Resolution(CONFLICT, Take.OURS, ()))
    assert not_decided(outcome, "undo that")


def test_a_resolution_counts_for_the_same_three_sides_only() -> None:
    one = Resolution(CONFLICT, Take.OURS, ())
    assert settled([CONFLICT], [one]) == (one,)
    assert settled([CONFLICT, OTHER], [one]) is None
    assert not one.settles(OTHER)
