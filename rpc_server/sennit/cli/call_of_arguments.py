"""From the arguments of `sennit run` to the call that the server is asked for."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path

from attrs import evolve, frozen

from sennit.cli.failures import UsageError
from sennit.cli.problems import with_valid
from sennit_protocol.tasks import DispatchParams, OnConflict, Task, TaskDefaults
from sennit_protocol.wire import structure
from sennit_protocol.wire_problems import WireError

COMMAND_AGENT = "command"
"""The built-in agent whose prompt is the command line to run."""

_COMMAND_KEY = "command"


@frozen
class RunArguments:
    """What `sennit run` was given, beside what to do with the results.

    ``named`` are `ID=PROMPT`; ``commands`` are command lines, split like a shell would.
    """

    prompts: tuple[str, ...] = ()
    named: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    file: Path | None = None
    agent: str | None = None
    role: str | None = None
    model: str | None = None
    label: str | None = None
    brief: str | None = None
    max_concurrent: int | None = None
    on_conflict: str | None = None


def call_of(arguments: RunArguments, folder: Path) -> DispatchParams:
    """Make the call: the tasks of the file, then prompts, named ones and commands, in order.

    Raises `UsageError`, which lists every problem of the file.
    """
    call = DispatchParams(()) if arguments.file is None else call_of_file(arguments.file)
    tasks = (*call.tasks, *_tasks(arguments, {each.id for each in call.tasks}))
    if not tasks:
        raise UsageError(
            'There is nothing to do. Give a prompt (`sennit run "…" --agent NAME`), a command '
            '(`--command "ruff check --fix"`) or a file (`--file tasks.toml`).'
        )
    return evolve(
        call,
        tasks=tasks,
        defaults=_defaults(call.defaults, arguments, folder),
        label=arguments.label or call.label,
        brief=arguments.brief or call.brief,
        max_concurrent=arguments.max_concurrent or call.max_concurrent,
        on_conflict=_on_conflict(arguments) or call.on_conflict,
    )


def _on_conflict(arguments: RunArguments) -> OnConflict | None:
    return None if arguments.on_conflict is None else OnConflict(arguments.on_conflict)


def call_of_file(path: Path) -> DispatchParams:
    """Read a TOML file with the keys of `sennit/dispatch`; `command` may stand for `prompt`."""
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}.") from error
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(f"{path} is not TOML: {error}.") from error
    if "tasks" in values and isinstance(values["tasks"], list):
        values["tasks"] = [_spelled_out(each) for each in values["tasks"]]
    try:
        return structure(values, DispatchParams)
    except WireError as error:
        lines = "\n".join(f"  {with_valid(each)}" for each in error.problems)
        raise UsageError(f"{path} is not right:\n{lines}") from error


def _spelled_out(task: object) -> object:
    if not isinstance(task, Mapping) or _COMMAND_KEY not in task or "prompt" in task:
        return task
    rest = {key: value for key, value in task.items() if key != _COMMAND_KEY}
    return {**rest, "prompt": task[_COMMAND_KEY], "agent": COMMAND_AGENT}


def _tasks(arguments: RunArguments, taken: set[str]) -> list[Task]:
    tasks = [
        Task(_free(taken, "task", number), prompt)
        for number, prompt in enumerate(arguments.prompts, start=1)
    ]
    tasks += [_named(each) for each in arguments.named]
    tasks += [
        Task(_free(taken, "command", number), line, agent=COMMAND_AGENT)
        for number, line in enumerate(arguments.commands, start=1)
    ]
    return tasks


def _named(argument: str) -> Task:
    name, equals, prompt = argument.partition("=")
    if not equals or not name or not prompt:
        raise UsageError(f"--task wants ID=PROMPT, not {argument!r}.")
    return Task(name, prompt)


def _free(taken: set[str], stem: str, number: int) -> str:
    while f"{stem}-{number}" in taken:
        number += 1
    taken.add(f"{stem}-{number}")
    return f"{stem}-{number}"


def _defaults(defaults: TaskDefaults, arguments: RunArguments, folder: Path) -> TaskDefaults:
    cwd = defaults.cwd or folder.as_uri()
    if not cwd.startswith(("file:", "/")):
        cwd = (folder / cwd).resolve().as_uri()
    return evolve(
        defaults,
        agent=arguments.agent or defaults.agent,
        role=arguments.role or defaults.role,
        model=arguments.model or defaults.model,
        cwd=cwd,
    )
