"""From the arguments of `sennit run` to the call that the server is asked for."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from attrs import evolve, frozen

from sennit.cli.failures import RefusedError, UsageError
from sennit.cli.problems import problems_in, told
from sennit.cli.task_file import COMMAND_AGENT, TaskFile, task_file
from sennit_protocol.errors import ErrorCode, Problem, ProblemsData
from sennit_protocol.tasks import DispatchParams, OnConflict, Task, TaskDefaults
from sennit_protocol.wire import unstructure


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


@frozen
class Given:
    """The call that the arguments ask for, and the file that some of it comes from.

    ``options`` are the places in the call that options of the command line have filled.
    """

    call: DispatchParams
    file: TaskFile | None
    options: Mapping[str, str]

    def wrong(self, found_by_server: Sequence[Problem] = ()) -> UsageError:
        """Make the error that lists all problems, each where the user has written it."""
        listed = tuple(map(self._named, found_by_server))
        if self.file is not None:
            listed = self.file.all_problems(listed)
        said = "; ".join(map(told, listed))
        return UsageError(f"{_HEADLINE}: {said}", unstructure(ProblemsData(listed)))

    def explained(self, error: RefusedError) -> RefusedError:
        """Say in the user's words what the server has found wrong with the call."""
        found = problems_in(error.data)
        if error.code != ErrorCode.INVALID_PARAMS or not found:
            return error
        wrong = self.wrong(found)
        return RefusedError(error.code, wrong.message, wrong.data)

    def _named(self, problem: Problem) -> Problem:
        """Name an option, or a task of the arguments by its id: they have no place in a file."""
        if problem.path in self.options:
            # The place is the folder itself here, and no key that names one.
            said = problem.message.removeprefix("names a folder that ")
            message = said if problem.path == _CWD else problem.message
            return evolve(problem, path=self.options[problem.path], message=message)
        found = _IN_TASK.fullmatch(problem.path)
        of_file = 0 if self.file is None else len(self.file.call.tasks)
        if found is None or int(found[1]) < of_file:
            return problem
        task = self.call.tasks[int(found[1])]
        if task.agent == COMMAND_AGENT and found[2] == ".prompt":
            return evolve(problem, path=task.id)
        named = evolve(problem, path=f"{task.id}{found[2]}")
        if found[2] == ".agent" and problem.message.startswith(_MISSING):
            return _without_agent(named)
        return named


def _without_agent(problem: Problem) -> Problem:
    """Say how to name an agent, or what to do where there is none but plain commands."""
    if problem.valid != (COMMAND_AGENT,):
        return evolve(problem, message=f"{problem.message}; name one with --agent")
    message = (
        f"{_MISSING}, and no agent is installed that could be named: `sennit agents` tells what is"
        " configured and was not found, `sennit agents --all` what is known; a plain command is run"
        ' by --command "…"'
    )
    return evolve(problem, message=message, valid=())


_IN_TASK = re.compile(r"tasks\[(\d+)\](.*)")
_CWD = "defaults.cwd"
_MISSING = "is missing"
_OPTIONS = {
    "agent": ("defaults.agent", "--agent"),
    "role": ("defaults.role", "--role"),
    "model": ("defaults.model", "--model"),
    "label": ("label", "--label"),
    "brief": ("brief", "--brief"),
    "max_concurrent": ("maxConcurrent", "--max-concurrent"),
}
_HEADLINE = "Nothing was started; the call has problems"


def call_of(arguments: RunArguments, folder: Path) -> Given:
    """Make the call: the tasks of the file, then prompts, named ones and commands, in order.

    Raises `UsageError` for arguments; what is wrong with the file is in its ``problems``.
    """
    file = None if arguments.file is None else task_file(arguments.file)
    call = DispatchParams(()) if file is None else file.call
    tasks = (*call.tasks, *_tasks(arguments, {each.id for each in call.tasks}))
    if not tasks and not (file and file.is_wrong):
        raise UsageError(
            'There is nothing to do. Give a prompt (`sennit run "…" --agent NAME`), a command '
            '(`--command "ruff check --fix"`) or a file (`--file tasks.toml`).'
        )
    whole = evolve(
        call,
        tasks=tasks,
        defaults=_defaults(call.defaults, arguments, folder),
        label=arguments.label or call.label,
        brief=arguments.brief or call.brief,
        max_concurrent=arguments.max_concurrent or call.max_concurrent,
        on_conflict=_on_conflict(arguments) or call.on_conflict,
    )
    options = dict(place for name, place in _OPTIONS.items() if getattr(arguments, name))
    if call.defaults.cwd is None:
        options[_CWD] = "the folder here (`-C` names another)"
    return Given(whole, file, options)


def _on_conflict(arguments: RunArguments) -> OnConflict | None:
    return None if arguments.on_conflict is None else OnConflict(arguments.on_conflict)


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
