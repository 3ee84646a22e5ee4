"""Three-way merges that need no look inside: what two of three sides agree on is decided.

Works for whatever can be compared: entries, trees, modes. An absent side is None, so that
additions and deletions take part like any other value.
"""

from __future__ import annotations

from typing import Generic, TypeVar

from attrs import frozen

Side = TypeVar("Side")


@frozen
class Decided(Generic[Side]):
    """The value on which the three sides agree without looking inside."""

    value: Side


def decide_by_identity(base: Side, ours: Side, theirs: Side) -> Decided[Side] | None:
    """Merge by identity alone; None says that the contents have to be merged."""
    if theirs in (ours, base):
        return Decided(ours)
    if base == ours:
        return Decided(theirs)
    return None
