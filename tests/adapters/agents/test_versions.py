from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from sennit.adapters.agents.versions import Asked, versions

pytestmark = pytest.mark.anyio


def a_program(folder: Path, script: str, name: str = "agent") -> Asked:
    program = folder / name
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o700)
    return Asked(program, {"PATH": os.environ["PATH"]})


def until_ended(pids: Path) -> None:
    deadline = time.monotonic() + 30
    for status in (Path("/proc", pid, "status") for pid in pids.read_text().split()):
        # A process that is ended but not yet waited for by its new parent is a zombie.
        while status.exists() and "Z (zombie)" not in status.read_text():
            assert time.monotonic() < deadline
            time.sleep(0.01)


async def version(one: Asked, seconds: float = 30) -> str | None:
    return (await versions([one], seconds=seconds)).get(one.program)


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("1.18.33", "1.18.33"),
        ("codex-cli 0.171.0", "0.171.0"),
        ("2.1.332 (Claude Code)", "2.1.332"),
        ("tool v1.2.3-beta.1+x.", "1.2.3-beta.1+x"),
        ("no version", None),
        ("", None),
    ],
)
async def test_the_first_version_in_what_is_said_counts(
    tmp_path: Path, said: str, expected: str | None
) -> None:
    assert await version(a_program(tmp_path, f'echo "{said}"')) == expected


async def test_it_is_asked_by_one_option_with_the_agents_environment(tmp_path: Path) -> None:
    one = a_program(tmp_path, 'test "$*" = --version && test -z "$HOME" && echo 1.2 >&2')
    assert await version(one) == "1.2"


async def test_a_program_that_does_not_end_is_ended_and_has_no_version(tmp_path: Path) -> None:
    mark = tmp_path / "pid"
    one = a_program(tmp_path, f"sleep 1000 & echo $! > {mark}; echo $$ >> {mark}; wait")
    assert await version(one, seconds=1) is None
    until_ended(mark)


async def test_what_was_said_before_the_end_of_patience_counts(tmp_path: Path) -> None:
    assert await version(a_program(tmp_path, "echo 3.4; sleep 1000"), seconds=5) == "3.4"


async def test_one_that_floods_or_cannot_be_started_harms_nobody(tmp_path: Path) -> None:
    flood = a_program(tmp_path, "exec yes", "flood")
    good = a_program(tmp_path, "echo 1.0", "good")
    missing = Asked(tmp_path / "missing", {})
    assert await versions([flood, missing, good, good], seconds=30) == {good.program: "1.0"}
