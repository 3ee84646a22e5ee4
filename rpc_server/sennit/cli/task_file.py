"""A file of tasks: the keys of `sennit/dispatch` as TOML, and every problem of it at once."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from attrs import evolve, frozen

from sennit.cli.failures import UsageError
from sennit.cli.toml_text import Parsed, Slip, line_of, parsed, places_of
from sennit_protocol.errors import Problem
from sennit_protocol.tasks import DispatchParams
from sennit_protocol.wire import structure
from sennit_protocol.wire_problems import WireError

COMMAND_AGENT = "command"
"""The built-in agent whose prompt is the command line to run."""

COMMAND_KEY = "command"
PROMPT_KEY = "prompt"

_KEY_OF_TASK = re.compile(r"tasks\[(\d+)\](?:\.([^.\[]+))?")
_KEY_OF_DEFAULTS = re.compile(r"defaults\.([^.\[]+)")
_STANDS_IN = {"id": "unnamed-{}", PROMPT_KEY: "-"}
"""What is put in place of keys that are wrong, so that the rest of a task can be looked at."""


@frozen
class TaskFile:
    """A file as it was read; ``problems`` say where they are by JSON paths.

    ``call`` is without what is wrong. ``slips`` are places that are no TOML: of the sections around
    them nothing is in ``call``. ``commands`` are the numbers of the tasks that have a `command`.
    """

    path: Path
    call: DispatchParams
    slips: tuple[Slip, ...]
    problems: tuple[Problem, ...]
    places: Mapping[str, int]
    commands: frozenset[int]
    torn: frozenset[int]

    @property
    def is_wrong(self) -> bool:
        """Whether anything was found that is wrong."""
        return bool(self.slips or self.problems)

    def all_problems(self, found_by_server: Sequence[Problem]) -> tuple[Problem, ...]:
        """List what was found here and what the server has found, by file and line, in order."""
        more = [each for each in found_by_server if not self._is_an_echo(each)]
        placed = [*map(self._slip, self.slips), *map(self._placed, (*self.problems, *more))]
        return tuple(problem for _, problem in sorted(placed, key=lambda one: one[0]))

    def _is_an_echo(self, problem: Problem) -> bool:
        """Whether it may only follow from what was left out of the call."""
        number, _ = _in_task(problem.path)
        if number in self.torn:
            return True
        if ".dependsOn" in problem.path:
            return bool(self.slips) or any(each.path.endswith(".id") for each in self.problems)
        return any(problem.path == each.path for each in self.problems)

    def _slip(self, slip: Slip) -> tuple[int, Problem]:
        where = f"{self.path}:{slip.line}" if slip.line else str(self.path)
        return slip.line or 0, Problem(where, f"is not TOML: {slip.message}")

    def _placed(self, problem: Problem) -> tuple[int, Problem]:
        number, key = _in_task(problem.path)
        path = problem.path
        if number in self.commands and key == PROMPT_KEY:
            path = path.replace(f".{PROMPT_KEY}", f".{COMMAND_KEY}", 1)
        line = line_of(self.places, path)
        if line is None and problem not in self.problems:
            # It is about an option of the command line, or about something that nobody wrote.
            return _LAST, evolve(problem, path=path)
        where = f"{self.path}:{line}" if line else str(self.path)
        return line or 0, evolve(problem, path=f"{where}: {path}" if path else where)


_LAST = 10**9


def task_file(path: Path) -> TaskFile:
    """Read a file; raises `UsageError` where nothing of it can be read."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is not UTF-8; save it as UTF-8.") from error
    try:
        read = parsed(text)
    except RecursionError as error:
        raise UsageError(f"{path} is nested too deeply.") from error
    return _read(path, text, read)


def _read(path: Path, text: str, read: Parsed) -> TaskFile:
    values = dict(read.values)
    tasks = values.get("tasks")
    commands = frozenset(
        number
        for number, task in enumerate(tasks if isinstance(tasks, list) else ())
        if isinstance(task, Mapping) and COMMAND_KEY in task
    )
    problems = list(_command_problems(values, commands))
    values = _spelled_out(values, commands)
    call, found = _structured(values)
    places = places_of(text)
    torn = frozenset(_torn_tasks(read, places))
    problems += [_of_a_file(each) for each in found if _in_task(each.path)[0] not in torn]
    if read.slips and not call.tasks:
        # That there are no tasks follows from what could not be read.
        problems = [each for each in problems if each.path != "tasks"]
    return TaskFile(path, call, read.slips, tuple(problems), places, commands, torn)


def _torn_tasks(read: Parsed, places: Mapping[str, int]) -> Iterator[int]:
    """The tasks of which something is no TOML, so that the rest of them says little."""
    headers = {number: int(found[1]) for path, number in places.items()
               if (found := _KEY_OF_TASK.fullmatch(path)) and found[2] is None}  # fmt: skip
    for slip in read.slips:
        before = [line for line in headers if slip.line is not None and line <= slip.line]
        if before:
            yield headers[max(before)]


def _command_problems(values: Mapping[str, Any], commands: frozenset[int]) -> Iterator[Problem]:
    for number in sorted(commands):
        task, path = values["tasks"][number], f"tasks[{number}]"
        if PROMPT_KEY in task:
            yield Problem(
                f"{path}.{COMMAND_KEY}",
                f"stands in place of a `{PROMPT_KEY}`, and the task has both; leave one out",
            )
        if task.get("agent", COMMAND_AGENT) != COMMAND_AGENT:
            yield Problem(
                f"{path}.agent",
                f"has no part in a `{COMMAND_KEY}`, which is run as it is; leave it out, or give"
                f" the agent a `{PROMPT_KEY}`",
            )


def _spelled_out(values: Mapping[str, Any], commands: frozenset[int]) -> dict[str, Any]:
    """Say by the keys of the protocol what a `command` is."""
    if not commands:
        return dict(values)
    tasks = [
        _as_prompt(task) if number in commands else task
        for number, task in enumerate(values["tasks"])
    ]
    return {**values, "tasks": tasks}


def _as_prompt(task: Mapping[str, Any]) -> dict[str, Any]:
    rest = {key: value for key, value in task.items() if key != COMMAND_KEY}
    return {**rest, PROMPT_KEY: task[COMMAND_KEY], "agent": COMMAND_AGENT}


def _of_a_file(problem: Problem) -> Problem:
    """Name the key that only files have, where a key of a task is wrong or missing."""
    number, key = _in_task(problem.path)
    if number is None or problem.path.count(".") > 1:
        return problem
    if key == PROMPT_KEY and problem.message == "is missing":
        return evolve(problem, message=f"is missing; give a `{PROMPT_KEY}` or a `{COMMAND_KEY}`")
    if "prompt" in problem.valid:
        return evolve(problem, valid=(*problem.valid, COMMAND_KEY))
    return problem


def _in_task(path: str) -> tuple[int | None, str | None]:
    found = _KEY_OF_TASK.match(path)
    return (None, None) if found is None else (int(found[1]), found[2])


def _structured(values: dict[str, Any]) -> tuple[DispatchParams, tuple[Problem, ...]]:
    """Make the call, without the keys that are wrong, and list those."""
    problems: tuple[Problem, ...] = ()
    while True:
        try:
            return structure(values, DispatchParams), problems
        except WireError as error:
            if problems:
                # A key with a dot in its name cannot be told from two; what is known is enough.
                return DispatchParams(()), problems
            problems = error.problems
            for problem in problems:
                _leave_out(values, problem.path)


def _leave_out(values: dict[str, Any], path: str) -> None:
    number, key = _in_task(path)
    defaults = _KEY_OF_DEFAULTS.match(path)
    if number is not None:
        tasks = values["tasks"]
        tasks[number] = _left_out_of_task(tasks[number], key, number)
    elif defaults is not None:
        values["defaults"] = {k: v for k, v in values["defaults"].items() if k != defaults[1]}
    elif path == "tasks":
        values["tasks"] = []
    else:
        values.pop(re.split(r"[.\[]", path, maxsplit=1)[0], None)


def _left_out_of_task(task: object, key: str | None, number: int) -> dict[str, Any]:
    kept = dict(task) if isinstance(task, Mapping) else {}
    if key is not None:
        kept.pop(key, None)
    for needed, instead in _STANDS_IN.items():
        if needed == key or key is None:
            kept[needed] = instead.format(number)
    return kept
