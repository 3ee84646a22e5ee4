from __future__ import annotations

import os
from pathlib import Path

from sennit.adapters.small_files import Content, Missing, Unreadable, read_small_file, regular_file


def test_a_file_is_read_also_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"x")
    (tmp_path / "link").symlink_to("file")
    assert read_small_file(os.fsencode(tmp_path / "link")) == Content(b"x")


def test_what_is_not_there_is_missing_also_below_a_file(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert read_small_file(os.fsencode(tmp_path / "no")) == Missing()
    assert read_small_file(os.fsencode(tmp_path / "file" / "no")) == Missing()


def test_what_is_no_file_or_too_large_is_told_and_never_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "large").write_bytes(b"123")
    for path in (tmp_path, tmp_path / "pipe", tmp_path / "loop", Path("/dev/zero")):
        assert isinstance(read_small_file(os.fsencode(path)), Unreadable), path
    assert isinstance(read_small_file(os.fsencode(tmp_path / "large"), 2), Unreadable)


def test_only_what_is_a_file_is_opened_as_one(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"x")
    (tmp_path / "link").symlink_to("file")
    os.mkfifo(tmp_path / "pipe")
    for name in ("file", "link"):
        with regular_file(tmp_path / name) as file:
            assert file is not None
            assert file.read() == b"x"
    for path in (tmp_path / "pipe", tmp_path, Path("/dev/zero"), tmp_path / "no"):
        with regular_file(path) as file:
            assert file is None, path
