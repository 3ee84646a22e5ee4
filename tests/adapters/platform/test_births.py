"""The birth of a folder is what the system says of it, and goes with it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from sennit.adapters.platform.births import birth_at, birth_of


def test_it_is_the_same_by_name_and_by_descriptor_and_stays_with_a_rename(tmp_path: Path) -> None:
    folder = tmp_path / "a"
    folder.mkdir()
    born = birth_at(os.fsencode(folder))
    folder.chmod(0o700)
    folder.rename(tmp_path / "b")
    here = os.open(tmp_path, os.O_RDONLY)
    opened = os.open(tmp_path / "b", os.O_RDONLY)
    try:
        assert birth_at(b"b", here) == birth_of(opened) == born
    finally:
        os.close(here)
        os.close(opened)


def test_where_nothing_is_kept_it_is_empty() -> None:
    assert birth_at(b"/proc") == ""


def test_what_is_not_there_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(FileNotFoundError):
        birth_at(os.fsencode(tmp_path / "missing"))
    with pytest.raises(NotADirectoryError):
        birth_at(os.fsencode(tmp_path / "file" / "below"))
