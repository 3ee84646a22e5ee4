"""Merges by identity."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sennit.core.merge import Decided, decide_by_identity

SIDES = st.sampled_from([None, "a", "b", "c"])


@given(SIDES, SIDES)
def test_a_side_that_did_nothing_gives_way(base: str | None, changed: str | None) -> None:
    assert decide_by_identity(base, base, changed) == Decided(changed)
    assert decide_by_identity(base, changed, base) == Decided(changed)


@given(SIDES, SIDES)
def test_both_sides_doing_the_same_is_no_conflict(base: str | None, both: str | None) -> None:
    assert decide_by_identity(base, both, both) == Decided(both)


@given(SIDES, SIDES, SIDES)
def test_the_sides_can_be_exchanged(base: str | None, ours: str | None, theirs: str | None) -> None:
    assert decide_by_identity(base, ours, theirs) == decide_by_identity(base, theirs, ours)


def test_three_different_sides_have_to_be_looked_at() -> None:
    assert decide_by_identity("a", "b", "c") is None
