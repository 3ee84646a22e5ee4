"""All that an agent may leave in a folder is gone through, however deep it is."""

from __future__ import annotations

import os
from pathlib import Path

from sennit.adapters.git.collectable import size_of
from sennit.adapters.git.delete import remove_tree
from sennit.adapters.walking import walked

_NAMED = 1_200
"""Deeper than Python calls itself, and still short enough for a path."""


def _deep(top: Path, name: str, levels: int) -> None:
    """Make folders in each other with a file in each, and remove them by descriptors."""
    top.mkdir()
    at = os.open(top, os.O_RDONLY)
    for _ in range(levels):
        os.close(os.open("file", os.O_WRONLY | os.O_CREAT, dir_fd=at))
        os.mkdir(name, dir_fd=at)
        below = os.open(name, os.O_RDONLY, dir_fd=at)
        os.close(at)
        at = below
    os.close(at)


def _removed(top: Path) -> bool:
    parent = os.open(top.parent, os.O_RDONLY)
    try:
        return remove_tree(parent, top.name.encode(), os.fsencode(top)) is None
    finally:
        os.close(parent)


def test_folders_of_any_depth_are_gone_through_and_measured(tmp_path: Path) -> None:
    top = tmp_path / "deep"
    _deep(top, "d", _NAMED)
    assert sum(not entry.is_dir() for entry in walked(os.fsencode(top))) == _NAMED
    assert size_of(top) >= 0
    assert _removed(top)
