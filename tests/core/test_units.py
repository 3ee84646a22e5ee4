"""Units of a revision and what they need."""

from __future__ import annotations

import pytest
from attrs import evolve

from sennit.core.objects import (
    MODE_EXECUTABLE,
    MODE_FILE,
    MODE_LINK,
    MODE_SUBMODULE,
    ChangeKind,
    Entry,
    FileChange,
    Hunk,
)
from sennit.core.units import parents, unit_id, units_of, unmet_needs, with_needs
from sennit_protocol.proposals import UnitKind

A, B = "a" * 40, "b" * 40
FILE_A, FILE_B = Entry(MODE_FILE, A), Entry(MODE_FILE, B)
HUNKS = (Hunk(0, 1, 0, 1), Hunk(5, 0, 5, 2))


def modify(before: Entry, after: Entry, **more: object) -> FileChange:
    return FileChange(ChangeKind.MODIFY, b"p", b"p", before, after, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("change", "kinds"),
    [
        (FileChange(ChangeKind.CREATE, b"p", b"p", None, FILE_A), [UnitKind.CREATE]),
        (FileChange(ChangeKind.DELETE, b"p", b"p", FILE_A, None), [UnitKind.DELETE]),
        (modify(FILE_A, FILE_B, hunks=HUNKS), [UnitKind.HUNK, UnitKind.HUNK]),
        (modify(FILE_A, FILE_B, binary=True), [UnitKind.BINARY]),
        (modify(FILE_A, Entry(MODE_EXECUTABLE, A)), [UnitKind.MODE]),
        (
            modify(FILE_A, Entry(MODE_EXECUTABLE, B), hunks=HUNKS[:1]),
            [UnitKind.MODE, UnitKind.HUNK],
        ),
        (modify(Entry(MODE_LINK, A), Entry(MODE_LINK, B)), [UnitKind.LINK]),
        (modify(Entry(MODE_SUBMODULE, A), Entry(MODE_SUBMODULE, B)), [UnitKind.SUBMODULE]),
        (
            FileChange(ChangeKind.TYPE, b"p", b"p", FILE_A, Entry(MODE_LINK, B)),
            [UnitKind.TYPE],
        ),
        (
            FileChange(ChangeKind.RENAME, b"q", b"p", FILE_A, FILE_B, hunks=HUNKS),
            [UnitKind.RENAME, UnitKind.HUNK, UnitKind.HUNK],
        ),
    ],
)
def test_a_change_is_cut_into_its_kinds_of_units(change: FileChange, kinds: list[UnitKind]) -> None:
    assert [unit.kind for unit in units_of("r", [change])] == kinds


def test_the_units_of_a_file_know_whether_its_content_is_text() -> None:
    text = FileChange(ChangeKind.CREATE, b"p", b"p", None, FILE_A)
    assert [unit.binary for unit in units_of("r", [text])] == [False]
    assert [unit.binary for unit in units_of("r", [evolve(text, binary=True)])] == [True]


def test_a_hunk_of_a_renamed_file_needs_the_rename() -> None:
    rename, *hunks = units_of(
        "r", [FileChange(ChangeKind.RENAME, b"q", b"p", FILE_A, FILE_B, hunks=HUNKS)]
    )
    assert rename.needs == ()
    assert [hunk.needs for hunk in hunks] == [(rename.id,), (rename.id,)]


def test_a_file_that_became_a_folder_is_deleted_before_the_folder_is_filled() -> None:
    delete, create = units_of(
        "r",
        [
            FileChange(ChangeKind.DELETE, b"a", b"a", FILE_A, None),
            FileChange(ChangeKind.CREATE, b"a/b/c", b"a/b/c", None, FILE_B),
        ],
    )
    assert create.needs == (delete.id,)


def test_a_folder_that_became_a_file_is_emptied_before_the_file_is_created() -> None:
    *gone, create = units_of(
        "r",
        [
            FileChange(ChangeKind.DELETE, b"a/x", b"a/x", FILE_A, None),
            FileChange(ChangeKind.RENAME, b"z", b"a/b/y", FILE_A, FILE_A),
            FileChange(ChangeKind.CREATE, b"a", b"a", None, FILE_B),
        ],
    )
    assert set(create.needs) == {unit.id for unit in gone}


def test_a_file_that_moves_below_its_own_name_needs_nothing_else() -> None:
    (rename,) = units_of("r", [FileChange(ChangeKind.RENAME, b"a/b", b"a", FILE_A, FILE_A)])
    assert rename.needs == ()


def test_ids_of_units_are_stable_and_hold_any_name() -> None:
    names = [b"a:b", b"a\nb", b"\xff", "é".encode(), b"a"]
    ids = [unit_id("rev1", name, ordinal) for name in names for ordinal in range(2)]
    assert len(set(ids)) == len(ids)
    assert all(identity.isascii() and identity.isprintable() for identity in ids)
    assert unit_id("rev1", b"a/b c", 3) == "rev1:3:a/b%20c"


def test_a_choice_is_completed_by_what_it_needs() -> None:
    units = units_of("r", [FileChange(ChangeKind.RENAME, b"q", b"p", FILE_A, FILE_B, hunks=HUNKS)])
    chosen = with_needs(units, [units[2].id])
    assert chosen == {units[0].id, units[2].id}
    assert not unmet_needs(units, chosen)
    assert unmet_needs(units, frozenset({units[2].id})) == {units[2].id: (units[0].id,)}


def test_parents_are_the_folders_above_from_the_outside_in() -> None:
    assert list(parents(b"a/b/c")) == [b"a", b"a/b"]
    assert list(parents(b"a")) == []
