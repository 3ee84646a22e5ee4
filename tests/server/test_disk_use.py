"""Measuring goes on whatever an agent has left in its folder."""

from __future__ import annotations

import os
from pathlib import Path

from sennit.adapters.git.collectable import size_of
from sennit.adapters.git.delete import remove_tree
from sennit.adapters.git.identity import identity_at
from sennit.server.disk_use import ground_lines, own_size
from sennit_protocol.upkeep import Health

_NAME = "d" * 200
_DEEP = 40


def test_folders_deeper_than_a_path_can_say_do_not_end_the_measuring(tmp_path: Path) -> None:
    top = tmp_path / "top"
    top.mkdir()
    (top / "file").write_bytes(b"x" * 5_000)
    at = os.open(top, os.O_RDONLY)
    for _ in range(_DEEP):
        os.mkdir(_NAME, dir_fd=at)
        below = os.open(_NAME, os.O_RDONLY, dir_fd=at)
        os.close(at)
        at = below
        os.close(os.open("file", os.O_WRONLY | os.O_CREAT, dir_fd=at))
    os.close(at)
    assert own_size([top]) >= 5_000
    assert size_of(top) >= 5_000
    parent = os.open(tmp_path, os.O_RDONLY)
    assert remove_tree(parent, b"top", os.fsencode(top)) is None
    os.close(parent)


def test_it_is_told_where_folders_cannot_be_told_apart(tmp_path: Path) -> None:
    (line,) = ground_lines(Path("/proc"))
    assert line.health is Health.WARNING
    assert "/proc" in line.message
    if identity_at(tmp_path).birth:
        assert ground_lines(tmp_path) == ()
