"""Where two changes of one text meet: the hunks of one that git cannot merge with the other's."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sennit.core.objects import Hunk


def overlapping(ours: Sequence[Hunk], theirs: Sequence[Hunk]) -> tuple[Hunk, ...]:
    """Give the hunks of ours that share lines of the base with theirs, or lie right beside them.

    Both are differences from one base, in order. Neighbours count, because git does not say in
    which order two changes at one place belong.
    """
    return tuple(hunk for hunk in ours if any(_meet(hunk, other) for other in theirs))


def _meet(one: Hunk, other: Hunk) -> bool:
    return (
        one.before_start <= other.before_start + other.before_count
        and other.before_start <= one.before_start + one.before_count
    )
