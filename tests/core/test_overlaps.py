"""Where two changes of one text meet."""

from __future__ import annotations

import pytest

from sennit.core.objects import Hunk
from sennit.core.overlaps import overlapping


@pytest.mark.parametrize(
    ("one", "other", "meet"),
    [
        ((3, 2), (4, 1), True),
        ((3, 2), (5, 1), True),
        ((3, 2), (6, 1), False),
        ((5, 1), (3, 2), True),
        ((6, 1), (3, 2), False),
        ((4, 0), (4, 0), True),
        ((4, 0), (3, 2), True),
        ((0, 0), (1, 1), False),
    ],
)
def test_hunks_meet_where_they_share_lines_or_touch(
    one: tuple[int, int], other: tuple[int, int], *, meet: bool
) -> None:
    ours, theirs = Hunk(*one, *one), Hunk(*other, *other)
    assert overlapping([ours], [theirs]) == ((ours,) if meet else ())


def test_only_the_hunks_that_meet_another_are_given() -> None:
    ours = [Hunk(0, 1, 0, 1), Hunk(5, 1, 5, 1), Hunk(9, 1, 9, 1)]
    assert overlapping(ours, [Hunk(5, 1, 5, 2)]) == (ours[1],)
