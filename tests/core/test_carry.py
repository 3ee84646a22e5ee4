"""Decisions carried over from one revision to the next."""

from __future__ import annotations

from sennit.core.carry import carry_over
from sennit.core.objects import MODE_FILE, ChangeKind, Entry, FileChange, Hunk
from sennit.core.units import Unit, units_of

BLOBS = {
    "base": b"1\n2\n3\n4\n5\n",
    "new": b"one\n2\n3\n4\nfive\n",
    "moved": b"0\none\n2\n3\n4\nfive\n",
    "twice": b"x\n2\n3\n4\nx\n",
    "same": b"s\n2\n3\n4\ns\n",
    "twicebase": b"s\n2\n3\n4\ns\n",
}


def revision(
    name: str, after: str, hunks: tuple[Hunk, ...], base: str = "base"
) -> tuple[Unit, ...]:
    change = FileChange(
        ChangeKind.MODIFY,
        b"p",
        b"p",
        Entry(MODE_FILE, base),
        Entry(MODE_FILE, after),
        hunks=hunks,
    )
    return units_of(name, [change])


OLD = revision("r1", "new", (Hunk(0, 1, 0, 1), Hunk(4, 1, 4, 1)))


def test_a_decision_goes_over_to_the_one_unit_with_its_path_and_text() -> None:
    new = revision("r2", "moved", (Hunk(0, 0, 0, 1), Hunk(0, 1, 1, 1), Hunk(4, 1, 5, 1)))
    carried = carry_over(BLOBS.__getitem__, OLD, new, {OLD[0].id: "yes", OLD[1].id: "no"})
    assert carried.decisions == {new[1].id: "yes", new[2].id: "no"}
    assert carried.undecided == (new[0].id,)
    assert carried.lost == ()


def test_equal_text_twice_leaves_both_undecided() -> None:
    base = ("twicebase", (Hunk(0, 1, 0, 1), Hunk(4, 1, 4, 1)))
    old = revision("r1", "twice", base[1], base[0])
    new = revision("r2", "twice", base[1], base[0])
    carried = carry_over(BLOBS.__getitem__, old, new, {old[0].id: "yes", old[1].id: "yes"})
    assert carried.decisions == {}
    assert carried.undecided == tuple(unit.id for unit in new)
    assert carried.lost == tuple(unit.id for unit in old)


def test_a_decision_does_not_go_over_to_other_text() -> None:
    new = revision("r2", "twice", (Hunk(0, 1, 0, 1),))
    carried = carry_over(BLOBS.__getitem__, OLD, new, {OLD[0].id: "yes"})
    assert carried.decisions == {}
    assert carried.lost == (OLD[0].id,)


def test_a_hunk_is_carried_only_together_with_its_rename() -> None:
    def renamed(name: str, old_path: bytes) -> tuple[Unit, ...]:
        hunk = (Hunk(0, 1, 0, 1),)
        sides = (Entry(MODE_FILE, "base"), Entry(MODE_FILE, "new"))
        return units_of(name, [FileChange(ChangeKind.RENAME, b"q", old_path, *sides, hunks=hunk)])

    old, same, other = renamed("r1", b"p"), renamed("r2", b"p"), renamed("r3", b"o")
    decided = {unit.id: True for unit in old}
    assert len(carry_over(BLOBS.__getitem__, old, same, decided).decisions) == 2
    assert carry_over(BLOBS.__getitem__, old, other, decided).decisions == {}
    only_hunk = {old[1].id: True}
    assert carry_over(BLOBS.__getitem__, old, same, only_hunk).decisions == {}
