"""Notices that git waits, for ever, at a pipe that lies in the place of a file that it reads.

Git opens some files of a work tree by their names, to know what is ignored, which attributes files
have, which submodules there are, and what the repositories within it are at, wherever these lie.
Where one of them is a pipe it waits until somebody writes into it. Nothing is looked for while git
answers in time.
"""

from __future__ import annotations

import os
import stat
from itertools import islice
from typing import TYPE_CHECKING, TypeVar

import anyio
import anyio.to_thread
from attrs import frozen

from sennit.adapters.git.dot_git import NAME, Pipe, pipes_through
from sennit.adapters.walking import walked
from sennit.core.objects import GitFailed

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable

PATIENCE_S = 2.0
"""After so long the first look is taken, each further one after twice the time."""
RULE_FILES = frozenset({b".gitattributes", b".gitignore", b".gitmodules", b".mailmap"})
"""Names of files that git opens in any folder of a work tree."""
_OF_A_REPOSITORY = b"/.git/"
_AT_ONCE = 20_000

Answer = TypeVar("Answer")


@frozen
class HeldUp:
    """Git waited at a pipe; ``pipes`` are all that could hold it up.

    Those in the folder, and what leads to those that are not, are named from the folder on.
    """

    pipes: tuple[Pipe, ...]


async def unless_held_up(root: bytes, work: Callable[[], Awaitable[Answer]]) -> Answer | HeldUp:
    """Do work that has git look at a folder; it is cancelled where git waits at a pipe in there."""
    found: list[Pipe] = []

    async def watch() -> None:
        pause = PATIENCE_S
        while not found:
            await anyio.sleep(pause)
            pause *= 2
            found.extend(await _holding_up(root))
        group.cancel_scope.cancel()

    answers: list[Answer] = []
    async with anyio.create_task_group() as group:
        group.start_soon(watch)
        answers.append(await work())
        group.cancel_scope.cancel()
    # A look opens the other end of the pipe, so that git may have read an empty file.
    return HeldUp(tuple(found)) if found else answers[0]


async def looked_at(
    root: bytes, look: Callable[[], Awaitable[Answer | GitFailed]]
) -> Answer | GitFailed:
    """Look at a folder in which nothing may be put right; a pipe that git waits at is a failure."""
    answer = await unless_held_up(root, look)
    if not isinstance(answer, HeldUp):
        return answer
    names = ", ".join(map(_told, answer.pipes))
    said = f"in {os.fsdecode(root)} git waits for ever at what is a pipe and no file: {names}"
    return GitFailed("look at a folder", None, said, "Move it away, then try again.")


def _told(pipe: Pipe) -> str:
    lead = os.fsdecode(pipe.lead)
    return lead if pipe.path == pipe.lead else f"{lead}, which leads to {os.fsdecode(pipe.path)}"


async def _holding_up(root: bytes) -> list[Pipe]:
    """Give all pipes that git would wait at, where it does wait at one of them."""
    entries = walked(root)
    pipes: dict[bytes, Pipe] = {}
    if os.path.basename(root) == NAME:  # noqa: PTH119  bytes
        await anyio.to_thread.run_sync(_add, pipes, pipes_through(root))
    going_on = True
    while going_on:
        # A part at a time: who waits for an answer that has come need not wait for the whole walk.
        going_on = await anyio.to_thread.run_sync(_take_pipes, entries, root, pipes)
    if not await anyio.to_thread.run_sync(_is_any_waited_at, list(pipes)):
        return []
    return [_from(root, pipe) for pipe in pipes.values()]


def _from(root: bytes, pipe: Pipe) -> Pipe:
    """Name from a folder on what lies in it, and what leads out of it."""
    lead = pipe.lead.removeprefix(root + b"/")
    return Pipe(lead, lead if pipe.path == pipe.lead else pipe.path)


def _take_pipes(
    entries: Iterable[os.DirEntry[bytes]], root: bytes, pipes: dict[bytes, Pipe]
) -> bool:
    """Take the pipes among the next entries; tell whether there may be more."""
    above = len(os.path.dirname(root))  # noqa: PTH120  bytes
    count = 0
    for entry in islice(entries, _AT_ONCE):
        count += 1
        if entry.name == NAME:
            _add(pipes, pipes_through(entry.path))
        opened = entry.name in RULE_FILES or _OF_A_REPOSITORY in entry.path[above:]
        if opened and _is_pipe(entry):
            _add(pipes, [Pipe(entry.path, entry.path)])
    return count == _AT_ONCE


def _add(pipes: dict[bytes, Pipe], found: Iterable[Pipe]) -> None:
    for pipe in found:
        pipes.setdefault(pipe.path, pipe)


def _is_pipe(entry: os.DirEntry[bytes]) -> bool:
    if entry.is_file(follow_symlinks=False) or entry.is_dir(follow_symlinks=False):
        return False
    try:
        # Behind links too: git follows some of them.
        return stat.S_ISFIFO(os.stat(entry.path).st_mode)  # noqa: PTH116  bytes
    except OSError:
        return False


def _is_any_waited_at(paths: list[bytes]) -> bool:
    return any(_is_waited_at(path) for path in paths)


def _is_waited_at(path: bytes) -> bool:
    """Tell whether somebody has opened the pipe to read: then the other end can be opened."""
    try:
        os.close(os.open(path, os.O_WRONLY | os.O_NONBLOCK | os.O_CLOEXEC))
    except OSError:
        return False
    return True
