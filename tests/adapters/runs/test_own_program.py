"""Agents find the program that they ask with."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from sennit.adapters.runs.own_program import own_program, with_own_program


@pytest.fixture
def program(tmp_path: Path) -> Path:
    made = tmp_path / "installed" / "sennit"
    made.parent.mkdir()
    made.write_text("#!/bin/sh\necho ours\n")
    made.chmod(0o700)
    (made.parent / "python").symlink_to("/bin/true")
    return made


@pytest.fixture
def exchange(tmp_path: Path) -> Path:
    made = tmp_path / "run" / "exchange"
    made.mkdir(parents=True)
    return made


def test_this_installation_has_a_program() -> None:
    found = own_program()
    assert found is not None
    assert os.access(found, os.X_OK)


def test_the_program_is_found_and_nothing_beside_it(program: Path, exchange: Path) -> None:
    found = with_own_program({"PATH": "/nowhere", "HOME": "/"}, exchange, program)
    assert found["HOME"] == "/"
    assert shutil.which("sennit", path=found["PATH"]) is not None
    assert shutil.which("python", path=found["PATH"]) is None
    assert found["PATH"].startswith("/nowhere:")


def test_a_program_that_is_on_the_path_already_stays_the_one(program: Path, exchange: Path) -> None:
    variables = {"PATH": str(program.parent)}
    assert with_own_program(variables, exchange, program) == variables
    assert not any(exchange.iterdir())


def test_an_empty_path_gets_no_entry_for_the_working_directory(
    program: Path, exchange: Path
) -> None:
    assert with_own_program({"PATH": ""}, exchange, program)["PATH"] == str(exchange / "programs")


def test_a_folder_that_no_path_can_name_is_left_out(program: Path, tmp_path: Path) -> None:
    folder = tmp_path / "with:colon"
    folder.mkdir()
    assert with_own_program({"PATH": "/nowhere"}, folder, program) == {"PATH": "/nowhere"}


def test_nothing_is_said_where_there_is_no_program(exchange: Path) -> None:
    assert with_own_program({"PATH": "/nowhere"}, exchange, None) == {"PATH": "/nowhere"}
