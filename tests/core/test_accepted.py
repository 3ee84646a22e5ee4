"""The accepted version of files."""

from __future__ import annotations

import difflib
from hashlib import sha1

from hypothesis import given
from hypothesis import strategies as st

from sennit.core.accepted import Placed, Removed, UnmetNeeds, Written, accepted_entries
from sennit.core.objects import (
    MODE_EXECUTABLE,
    MODE_FILE,
    ChangeKind,
    Entry,
    FileChange,
    Hunk,
)
from sennit.core.text import git_lines
from sennit.core.units import Unit, units_of
from sennit_protocol.proposals import UnitKind

LINE = st.sampled_from([b"a\n", b"b\r\n", b"\n", b"c\xff\n", b"\r\n"])
TEXTS = st.builds(
    lambda lines, end: b"".join(lines) + end,
    st.lists(LINE, max_size=10),
    st.sampled_from([b"", b"end"]),
)


class Blobs(dict[str, bytes]):
    def add(self, content: bytes, mode: int = MODE_FILE) -> Entry:
        identity = sha1(content, usedforsecurity=False).hexdigest()
        self[identity] = content
        return Entry(mode, identity)


def hunks_between(before: bytes, after: bytes) -> tuple[Hunk, ...]:
    matcher = difflib.SequenceMatcher(None, git_lines(before), git_lines(after), autojunk=False)
    return tuple(
        Hunk(a0, a1 - a0, b0, b1 - b0)
        for tag, a0, a1, b0, b1 in matcher.get_opcodes()
        if tag != "equal"
    )


def text_units(blobs: Blobs, before: bytes, after: bytes) -> tuple[Unit, ...]:
    change = FileChange(
        ChangeKind.MODIFY,
        b"p",
        b"p",
        blobs.add(before),
        blobs.add(after),
        hunks=hunks_between(before, after),
    )
    return units_of("r", [change])


@given(TEXTS, TEXTS)
def test_all_hunks_name_the_object_of_the_revision_and_none_change_nothing(
    before: bytes, after: bytes
) -> None:
    if before == after:
        return
    blobs = Blobs()
    units = text_units(blobs, before, after)
    everything = frozenset(unit.id for unit in units)
    assert accepted_entries(blobs.__getitem__, units, everything) == (
        Placed(b"p", blobs.add(after)),
    )
    assert accepted_entries(blobs.__getitem__, units, frozenset()) == ()


@given(TEXTS, TEXTS, st.data())
def test_accepting_some_hunks_then_the_others_gives_the_text_after(
    before: bytes, after: bytes, data: st.DataObject
) -> None:
    blobs = Blobs()
    units = text_units(blobs, before, after)
    some = frozenset(unit.id for unit in units if data.draw(st.booleans()))
    (*_, entry) = accepted_entries(blobs.__getitem__, units, some) or [Written(b"p", 0, before)]  # type: ignore[misc]
    halfway = entry.content if isinstance(entry, Written) else blobs[entry.entry.id]  # type: ignore[union-attr]
    shift = 0
    moved = []
    for unit in units:
        assert unit.hunk is not None
        hunk = unit.hunk
        if unit.id in some:
            shift += hunk.after_count - hunk.before_count
        else:
            moved.append(
                (hunk.before_start + shift, hunk.before_count, hunk.after_start, hunk.after_count)
            )
    lines, new = git_lines(halfway), git_lines(after)
    for start, count, after_start, after_count in reversed(moved):
        lines[start : start + count] = new[after_start : after_start + after_count]
    assert b"".join(lines) == after


def test_a_hunk_without_its_rename_is_refused_as_a_value() -> None:
    blobs = Blobs()
    before, after = blobs.add(b"a\nb\n"), blobs.add(b"a\nc\n")
    units = units_of(
        "r",
        [FileChange(ChangeKind.RENAME, b"q", b"p", before, after, hunks=(Hunk(1, 1, 1, 1),))],
    )
    rename, hunk = units
    assert accepted_entries(blobs.__getitem__, units, frozenset({hunk.id})) == UnmetNeeds(
        {hunk.id: (rename.id,)}
    )
    assert accepted_entries(blobs.__getitem__, units, frozenset({rename.id})) == (
        Removed(b"p"),
        Placed(b"q", before),
    )


def test_a_mode_is_accepted_without_the_text_beside_it() -> None:
    blobs = Blobs()
    before, after = blobs.add(b"a\n"), blobs.add(b"b\n", MODE_EXECUTABLE)
    change = FileChange(ChangeKind.MODIFY, b"p", b"p", before, after, hunks=(Hunk(0, 1, 0, 1),))
    mode, hunk = units_of("r", [change])
    assert mode.kind is UnitKind.MODE
    assert accepted_entries(blobs.__getitem__, (mode, hunk), frozenset({mode.id})) == (
        Placed(b"p", Entry(MODE_EXECUTABLE, before.id)),
    )
    assert accepted_entries(blobs.__getitem__, (mode, hunk), frozenset({hunk.id})) == (
        Written(b"p", MODE_FILE, b"b\n"),
    )


def test_what_goes_comes_before_what_takes_its_place() -> None:
    blobs = Blobs()
    units = units_of(
        "r",
        [
            FileChange(ChangeKind.CREATE, b"a/b", b"a/b", None, blobs.add(b"x")),
            FileChange(ChangeKind.DELETE, b"a", b"a", blobs.add(b"y"), None),
        ],
    )
    entries = accepted_entries(blobs.__getitem__, units, frozenset(unit.id for unit in units))
    assert entries == (Removed(b"a"), Placed(b"a/b", blobs.add(b"x")))
