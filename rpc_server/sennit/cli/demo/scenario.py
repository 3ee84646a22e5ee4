"""What the demonstration does: what the user has left unsaved and uncommitted, and five tasks."""

from __future__ import annotations

import shlex
import shutil
import sys
from pathlib import Path

from attrs import frozen

from sennit.cli.task_file import COMMAND_AGENT
from sennit_protocol.states import Offer
from sennit_protocol.tasks import DispatchParams, Task, TaskDefaults

SHARED_FILE = "protocol/sennit_protocol/errors.py"
"""Three tasks change this file while the user edits it without saving."""
RENAMED_FILE = "protocol/sennit_protocol/ids.py"
"""Holds the name that the codemod renames; the user has changed it without committing."""
DRAFT_FILE = "tools/draft report.py"
"""Untracked: the user has just begun to write it."""
STAGED_FILE = "README.md"

OLD_NAME, NEW_NAME = "encode_id", "spelled_id"

STAGED_LINE = "\nA line that the user has staged.\n"
MODIFIED_LINE = "\n# A line that the user has saved, but not staged.\n"
UNSAVED_LINE = "# A line that the user has typed, but not saved.\n"
DRAFT = '''\
"""Counts the lines of files."""

import sys
import os
import json
from pathlib import Path


def report(names: list[str]) -> dict[str, int]:
    return {name: len(Path(name).read_text().splitlines()) for name in names}


if __name__ == "__main__":
    print(report(sys.argv[1:]))
'''

_PROGRAMS = Path(__file__).parent / "programs"


@frozen
class Fixer:
    """The program that mends the draft; ``note`` says why it is not ruff, where it is not."""

    line: str
    note: str | None = None


def fixer() -> Fixer:
    """Find ruff beside this Python or on the path; else take the small one of this package."""
    here = str(Path(sys.executable).parent)
    ruff = shutil.which("ruff", path=here) or shutil.which("ruff")
    if ruff is None:
        line = shlex.join([*_program("drop_unused_imports"), DRAFT_FILE])
        return Fixer(line, "ruff is not installed here: a small fixer of this package stands in.")
    options = ["check", "--fix", "--isolated", "--no-cache", "--select", "I,F401"]
    return Fixer(shlex.join([ruff, *options, DRAFT_FILE]))


def tasks_of_demo(imports: Fixer) -> tuple[Task, ...]:
    """Give the five tasks: two that are alone, two that merge in one file, one in conflict."""
    rename = [*_program("rename_name"), OLD_NAME, NEW_NAME, "protocol", "rpc_server"]
    exports = [*_program("add_exports"), SHARED_FILE]
    return (
        _task("imports", imports.line, "Tidy the imports of the draft"),
        _task("rename", shlex.join(rename), f"Rename {OLD_NAME} to {NEW_NAME} everywhere"),
        _task("exports", shlex.join(exports), "List what the module exports"),
        _task("wording", _first_line("For people: "), "Say in the docstring whom it is for"),
        _task("rewording", _first_line("For programs: "), "The same, with another opinion"),
    )


def call_of_demo(folder: Path, tasks: tuple[Task, ...]) -> DispatchParams:
    """Make the call; nothing is offered before the demonstration asks for it."""
    return DispatchParams(
        tasks, TaskDefaults(cwd=folder.as_uri()), label="demo", offer=Offer.MANUAL
    )


def _first_line(words: str) -> str:
    return shlex.join(["sed", "-i", f'1s/"""/"""{words}/', SHARED_FILE])


def _program(name: str) -> list[str]:
    return [sys.executable, str(_PROGRAMS / f"{name}.py")]


def _task(name: str, line: str, description: str) -> Task:
    return Task(name, line, description, agent=COMMAND_AGENT)
