from __future__ import annotations

import io
from pathlib import Path

import pytest
from rich.console import Console

from sennit.cli.demo.picture import write_picture
from sennit.cli.failures import UsageError


def a_console() -> Console:
    console = Console(file=io.StringIO(), record=True, width=40)
    console.print("hello")
    return console


def test_the_picture_shows_the_text_and_loads_nothing(tmp_path: Path) -> None:
    path = tmp_path / "new" / "demo.svg"
    write_picture(a_console(), path)
    drawn = path.read_text()
    assert "hello" in drawn
    assert 'url("http' not in drawn
    assert "@font-face" not in drawn


def test_a_picture_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="cannot be written"):
        write_picture(a_console(), tmp_path / "file" / "demo.svg")
