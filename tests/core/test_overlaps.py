"""Where two changes of one text meet."""

from __future__ import annotations

import pytest
from attrs import evolve

from sennit.core.objects import MODE_FILE, ChangeKind, Entry, FileChange, Hunk
from sennit.core.overlaps import Meeting, overlapping, pairs, work_of
from sennit_protocol.overlap import OverlapKind


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


def change(path: bytes, *hunks: Hunk, kind: ChangeKind = ChangeKind.MODIFY) -> FileChange:
    entry = Entry(MODE_FILE, "1" * 40)
    return FileChange(kind, path, path, entry, entry, hunks=hunks)


def test_work_that_changes_the_same_files_is_paired_the_nearest_first() -> None:
    works = [
        work_of(
            "one", b"/r", "b", [change(b"f", Hunk(3, 1, 3, 1)), change(b"g", Hunk(1, 1, 1, 1))]
        ),
        work_of("two", b"/r", "b", [change(b"g", Hunk(9, 1, 9, 1))]),
        work_of("three", b"/r", "b", [change(b"f", Hunk(4, 1, 4, 1))]),
        work_of("four", b"/r", "b", [change(b"f", kind=ChangeKind.DELETE)]),
        work_of("five", b"/elsewhere", "b", [change(b"f", Hunk(3, 1, 3, 1))]),
    ]
    found = [
        (works[pair.one].name, works[pair.other].name, [one.kind for one in pair.meetings])
        for pair in pairs(works)
    ]
    assert found == [
        ("one", "three", [OverlapKind.LINES]),
        ("one", "four", [OverlapKind.WHOLE_FILE]),
        ("three", "four", [OverlapKind.WHOLE_FILE]),
        ("one", "two", [OverlapKind.SAME_FILE]),
    ]


def test_lines_of_other_texts_are_not_compared() -> None:
    other = evolve(change(b"f", Hunk(3, 1, 3, 1)), before=Entry(MODE_FILE, "2" * 40))
    works = [
        work_of("one", b"/r", "b", [change(b"f", Hunk(3, 1, 3, 1))]),
        work_of("two", b"/r", "c", [other]),
    ]
    [pair] = pairs(works)
    assert pair.meetings == (Meeting(b"f", OverlapKind.SAME_FILE),)


def test_what_was_done_on_top_of_another_work_does_not_meet_it() -> None:
    first = work_of("first", b"/r", "b", [change(b"f", Hunk(3, 1, 3, 1))])
    newer = work_of("newer", b"/r", "b", [change(b"f", Hunk(3, 1, 3, 1))])
    on_top = work_of("top", b"/r", "c", [change(b"f", Hunk(3, 1, 3, 1))])
    works = [
        evolve(first, revision="r_1"),
        evolve(on_top, holds=frozenset({"r_1"})),
        evolve(newer, revision="r_2"),
    ]
    assert [(pair.one, pair.other) for pair in pairs(works)] == [(0, 2), (1, 2)]
