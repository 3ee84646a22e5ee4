"""Deletions come first only where they make way."""

from __future__ import annotations

import pytest

from sennit.core.disk_application import DiskKind, OnDisk, Step, phased

TEXT = OnDisk(DiskKind.FILE, "0" * 64)


def step(path: bytes, before: OnDisk | None, after: OnDisk | None) -> Step:
    return Step(path, None, None, before, after, b".beside")


@pytest.mark.parametrize(
    ("gone", "come", "makes_way"),
    [
        (b"a", b"b", False),
        (b"d/gone", b"d/new", False),
        (b"a", b"a/in", True),
        (b"a", b"a/deep/in", True),
        (b"a/in", b"a", True),
        (b"a/deep/in", b"a", True),
        (b"README", b"Readme", True),
        (b"Folder/a", b"folder", True),
        (b"a", b"ab/in", False),
        ("\u00e9".encode(), "e\u0301".encode(), True),
    ],
)
def test_a_deletion_comes_first_where_it_makes_way(
    gone: bytes, come: bytes, *, makes_way: bool
) -> None:
    deletion, writing = step(gone, TEXT, None), step(come, None, TEXT)
    first, comes, last = phased((deletion, writing))
    assert comes == [writing]
    assert (first, last) == (([deletion], []) if makes_way else ([], [deletion]))
