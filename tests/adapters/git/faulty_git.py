"""A ``git`` that counts its calls and does one of them badly."""

from __future__ import annotations

import os
from collections.abc import Mapping
from enum import StrEnum, auto
from pathlib import Path

from attrs import evolve, field, frozen

from sennit.adapters.git.git import Git, Limits, git_for
from tests.adapters.git.installed import git_program

# Each call takes the next free number by making a file that only one can make; what a call of git
# starts by itself (it names the program by its own path) is no call of ours.
_PROGRAM = """#!/bin/sh
set -C
n=1
until command : 2>/dev/null > "{calls}/$n"; do n=$((n+1)); done
echo "$1" >| "{calls}/$n"
[ "$n" = "{at}" ] || exec {git} "$@"
{how}
"""
_HALF = """
{git} "$@" >| "{calls}/output"
code=$?
half=$(($(wc -c < "{calls}/output") / 2))
# In the middle of a record: nobody can tell an answer that lacks whole records.
whole() {{ head -c "$half" "{calls}/output" | tail -c 1 | tr -d '\\000\\n'; }}
while [ "$half" -gt 0 ] && [ -z "$(whole)" ]; do half=$((half - 1)); done
head -c "$half" "{calls}/output"
rm "{calls}/output"
"""


class Fault(StrEnum):
    """What a call does instead of its work, or after half of it."""

    FAILS = auto()
    HANGS = auto()
    KILLED = auto()
    HALF_THEN_KILLED = auto()
    HALF = auto()


_HOW = {
    Fault.FAILS: "echo 'fatal: made to fail' >&2; exit 128",
    Fault.HANGS: "exec sleep 600",
    Fault.KILLED: "kill -9 $$",
    Fault.HALF_THEN_KILLED: _HALF + "kill -9 $$",
    Fault.HALF: _HALF + "exit $code",
}
HUNG_SECONDS = 0.4


@frozen
class FaultyGit:
    """Makes gits in a folder of their own."""

    folder: Path
    environment: Mapping[str, str]
    real: str = field(factory=git_program)

    def counting(self) -> Git:
        """A git that does everything right and leaves a file for each of its calls."""
        return self._made(0, "")

    def at(self, number: int, fault: Fault) -> Git:
        """A git that does the call of this number, counted from 1, badly."""
        git = self._made(number, _HOW[fault])
        return evolve(git, limits=Limits(seconds=HUNG_SECONDS)) if fault is Fault.HANGS else git

    def calls(self) -> list[str]:
        """The subcommands that were called since the last git was made."""
        files = sorted((self.folder / "calls").iterdir(), key=lambda file: int(file.name))
        return [file.read_text().strip() for file in files]

    def _made(self, number: int, how: str) -> Git:
        calls = self.folder / "calls"
        calls.mkdir(parents=True, exist_ok=True)
        for file in calls.iterdir():
            file.unlink()
        words = {"calls": str(calls), "git": self.real, "at": str(number)}
        program = self.folder / "git"
        program.write_text(_PROGRAM.format(**words, how=how.format(**words)))
        program.chmod(0o755)
        path = f"{self.folder}{os.pathsep}{self.environment['PATH']}"
        return git_for(str(program), {**self.environment, "PATH": path})
