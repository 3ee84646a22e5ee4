"""What is wrong with the keys that a task and the defaults of a call share."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sennit.core.agent_keys import value_problems
from sennit.core.facts import (
    BadFolder,
    CallFacts,
    FolderProblem,
    FolderReady,
    FolderUnusable,
    folder_path,
)
from sennit.core.globs import glob_problem
from sennit.core.variables import variable_problem
from sennit_protocol.errors import Problem
from sennit_protocol.tasks import Task, TaskDefaults, WorkspaceKind

ID_FORM = re.compile(r"[A-Za-z0-9._-]{1,64}")
LONGEST_LABEL = 200
LONGEST_DURATION_MS = 24 * 60 * 60 * 1_000
_MOST_PATTERNS = 256


def shared_problems(path: str, value: Task | TaskDefaults, facts: CallFacts) -> Iterator[Problem]:
    """Tell what is wrong with the keys that are set; what is absent is no problem here."""
    if value.agent is not None:
        yield from agent_problems(f"{path}.agent", value.agent, facts)
    if value.workspace not in {None, WorkspaceKind.ISOLATED}:
        yield Problem(
            f"{path}.workspace",
            f"{value.workspace} is not available in this version",
            (WorkspaceKind.ISOLATED,),
        )
    if value.cwd is not None:
        yield from _cwd_problems(f"{path}.cwd", value.cwd, facts)
    yield from _duration_problems(f"{path}.deadlineMs", value.deadline_ms)
    yield from _duration_problems(f"{path}.idleMs", value.idle_ms)
    yield from _glob_problems(f"{path}.writes", value.writes or ())
    yield from value_problems(path, value)
    yield from text_problems(f"{path}.systemPrompt", value.system_prompt)
    for index, name in enumerate(value.env or ()):
        if problem := variable_problem(name):
            yield Problem(f"{path}.env[{index}]", problem)


def agent_problems(path: str, name: str, facts: CallFacts) -> Iterator[Problem]:
    """Tell why an agent cannot be used, and which ones can."""
    fact = facts.agents.get(name)
    if fact is not None and fact.why_not is None:
        return
    usable = tuple(each for each, one in facts.agents.items() if one.why_not is None)
    if fact is not None:
        yield Problem(path, f"names an agent that cannot be used: {fact.why_not}", usable)
        return
    # Many are known and few are installed, so that to name the others would be pages.
    yield Problem(path, f"names no agent: {name!r}; see `sennit agents --all`", usable)


def text_problems(path: str, text: str | None, longest: int | None = None) -> Iterator[Problem]:
    """Tell why a text cannot be handed to a program or shown; ``longest`` in characters."""
    if text is None:
        return
    if "\0" in text:
        yield Problem(path, "holds a NUL, which no program can be given")
    if any("\ud800" <= character <= "\udfff" for character in text):
        yield Problem(path, "holds half a surrogate pair, so it is no Unicode text")
    if longest is not None and len(text) > longest:
        yield Problem(
            path, f"has {len(text)} characters; shorten it", (f"up to {longest} characters",)
        )


def folder_problems(path: str, folder: bytes, facts: CallFacts) -> Iterator[Problem]:
    """Tell why a folder, given by its absolute path, cannot be worked on."""
    match facts.folders.get(folder):
        case FolderReady():
            return
        case FolderUnusable(reason=reason, detail=detail):
            shown = folder.decode("utf-8", "backslashreplace")
            rest = f" {detail}" if detail else ""
            yield Problem(path, f"{_FOLDER_TEXTS[reason]}: {shown}.{rest}")
        case None:
            raise ValueError(f"the folder {folder!r} was not probed")


_FOLDER_TEXTS = {
    FolderProblem.MISSING: "names a folder that does not exist",
    FolderProblem.NOT_A_FOLDER: "names something that is no folder",
    FolderProblem.NOT_A_REPOSITORY: (
        "names a folder that belongs to no git repository; run `git init` there, or choose another"
    ),
    FolderProblem.BARE: "names a repository without a work tree; choose a work tree of it",
    FolderProblem.REFUSED: "names a folder that cannot be worked on",
}


def _cwd_problems(path: str, cwd: str, facts: CallFacts) -> Iterator[Problem]:
    read = folder_path(cwd)
    if isinstance(read, BadFolder):
        yield Problem(path, read.message, ("an absolute path", "a `file:` URI"))
    else:
        yield from folder_problems(path, read, facts)


def _duration_problems(path: str, milliseconds: int | None) -> Iterator[Problem]:
    if milliseconds is not None and not 1 <= milliseconds <= LONGEST_DURATION_MS:
        yield Problem(
            path,
            f"{milliseconds} is no duration that can be kept",
            (f"1 to {LONGEST_DURATION_MS} milliseconds",),
        )


def _glob_problems(path: str, patterns: tuple[str, ...]) -> Iterator[Problem]:
    if len(patterns) > _MOST_PATTERNS:
        yield Problem(path, f"has {len(patterns)} patterns", (f"up to {_MOST_PATTERNS}",))
    for index, pattern in enumerate(patterns):
        if problem := glob_problem(pattern):
            yield Problem(f"{path}[{index}]", problem)
