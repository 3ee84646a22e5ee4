from __future__ import annotations

from sennit.core.engine.rows import Counts
from sennit.core.objects import (
    MODE_FILE,
    MODE_SUBMODULE,
    ChangeKind,
    Entry,
    FileChange,
    Hunk,
)
from sennit.server.effects.capturing import count, whole_texts

CREATED = FileChange(ChangeKind.CREATE, b"new", b"new", None, Entry(MODE_FILE, "n"))
DELETED = FileChange(ChangeKind.DELETE, b"old", b"old", Entry(MODE_FILE, "o"), None)
CHANGED = FileChange(
    ChangeKind.MODIFY,
    b"x",
    b"x",
    Entry(MODE_FILE, "x1"),
    Entry(MODE_FILE, "x2"),
    hunks=(Hunk(0, 2, 0, 5),),
)
MODULE = FileChange(ChangeKind.CREATE, b"m", b"m", None, Entry(MODE_SUBMODULE, "commit"))
BINARY = FileChange(ChangeKind.CREATE, b"b", b"b", None, Entry(MODE_FILE, "b"))
MARKED = FileChange(ChangeKind.DELETE, b"c", b"c", Entry(MODE_FILE, "c"), None, binary=True)


def test_lines_of_created_and_deleted_text_count_beside_hunks() -> None:
    blobs = {"n": b"1\n2\n3", "o": b"1\n"}
    assert count((CREATED, DELETED, CHANGED), blobs) == Counts(3, 8, 3)


def test_binary_files_and_submodules_have_no_lines() -> None:
    assert whole_texts((MODULE, BINARY, MARKED, CHANGED)) == {"b"}
    assert count((MODULE, BINARY, MARKED), {"b": b"\0\n\n"}) == Counts(3, 0, 0)
