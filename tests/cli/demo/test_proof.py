from __future__ import annotations

import stat

import pytest

from sennit.cli.demo.proof import (
    Change,
    Expected,
    Moment,
    expected_after,
    proofs_of_applying,
    proofs_of_undoing,
    with_changes,
)
from sennit.cli.demo.snapshots import FileState, GitEntry

MODE = stat.S_IFREG | 0o644
GIT = {b"HEAD": GitEntry(MODE, "1", 5)}
BEFORE = Moment(
    {
        b"a": FileState(MODE, b"1\n2\n3\n"),
        b"b": FileState(MODE, b"x"),
        b"open": FileState(MODE, b"o"),
    },
    GIT,
    b"o\nunsaved\n",
)
CHANGES = {b"a": (Change(1, 1, (b"two\n",)),), b"open": (Change(0, 0, (b"first\n",)),)}
EXPECTED = Expected({b"a": b"1\ntwo\n3\n"}, b"first\no\nunsaved\n")
APPLIED = Moment({**BEFORE.files, b"a": FileState(MODE, b"1\ntwo\n3\n")}, GIT, EXPECTED.buffer)


def test_changes_do_not_move_each_other() -> None:
    changes = (Change(0, 1, (b"A\n", b"A2\n")), Change(2, 0, (b"new\n",)), Change(2, 1, ()))
    assert with_changes(b"a\nb\nc", changes) == b"A\nA2\nb\nnew\n"


def test_what_is_expected_is_the_old_text_with_the_accepted_lines() -> None:
    assert expected_after(BEFORE, CHANGES, b"open") == EXPECTED


def test_every_claim_holds_when_only_accepted_lines_changed() -> None:
    assert all(each.holds for each in proofs_of_applying(BEFORE, APPLIED, EXPECTED))
    assert all(each.holds for each in proofs_of_undoing(BEFORE, BEFORE))


@pytest.mark.parametrize(
    ("after", "broken"),
    [
        (Moment({**APPLIED.files, b"b": FileState(MODE, b"y")}, GIT, EXPECTED.buffer), 0),
        (Moment({**APPLIED.files, b"new": FileState(MODE, b"")}, GIT, EXPECTED.buffer), 0),
        (Moment({**APPLIED.files, b"a": FileState(MODE, b"1\ntwo\n3")}, GIT, EXPECTED.buffer), 1),
        (Moment({**APPLIED.files, b"a": FileState(0, b"1\ntwo\n3\n")}, GIT, EXPECTED.buffer), 1),
        (Moment(APPLIED.files, GIT, b"o\nunsaved\n"), 2),
        (Moment(APPLIED.files, {b"HEAD": GitEntry(MODE, "1", 6)}, EXPECTED.buffer), 3),
    ],
)
def test_each_claim_breaks_by_what_it_is_about(after: Moment, broken: int) -> None:
    proofs = proofs_of_applying(BEFORE, after, EXPECTED)
    assert [index for index, each in enumerate(proofs) if not each.holds] == [broken]


def test_an_undo_that_leaves_anything_is_found() -> None:
    proofs = proofs_of_undoing(BEFORE, APPLIED)
    assert [each.holds for each in proofs] == [False, False, True]
    assert proofs[0].detail == "not so: a"
