"""Notices that git waits, for ever, at a pipe that lies in the place of a file that it reads.

Git opens some files of a work tree by their names, to know what is ignored, which attributes files
have, which submodules there are, and what the repositories within it are at, wherever these lie.
Where one of them is a pipe it waits until somebody writes into it. Nothing is looked for while git
answers in time.
"""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from itertools import islice
from typing import TYPE_CHECKING, TypeVar

import anyio
import anyio.to_thread
from attrs import define, field, frozen

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


@define(eq=False)
class _Work:
    """Work that goes on in a folder, and the pipes that hold it up."""

    root: bytes
    scope: anyio.CancelScope
    pipes: tuple[Pipe, ...] = field(default=(), init=False)

    def hold_up(self, root: bytes, pipes: Iterable[Pipe]) -> None:
        """Break it off if these pipes, which were seen from a folder, are seen from its own too."""
        of_mine = [
            pipe for pipe in pipes if root == self.root or pipe.lead.startswith(self.root + b"/")
        ]
        if of_mine and not self.pipes:
            self.pipes = tuple(_from(self.root, pipe) for pipe in of_mine)
            self.scope.cancel()


_going_on: set[_Work] = set()
"""All work of this process: by the look of one the git of another would read an empty file."""


async def unless_held_up(root: bytes, work: Callable[[], Awaitable[Answer]]) -> Answer | HeldUp:
    """Do work that has git look at a folder; it is cancelled where git waits at a pipe in there."""

    async def watch() -> None:
        pause = PATIENCE_S
        while True:
            await anyio.sleep(pause)
            pause *= 2
            await _look(root)

    answers: list[Answer] = []
    async with anyio.create_task_group() as group:
        mine = _Work(root, group.cancel_scope)
        _going_on.add(mine)
        try:
            group.start_soon(watch)
            answers.append(await work())
        finally:
            _going_on.remove(mine)
        group.cancel_scope.cancel()
    return HeldUp(mine.pipes) if mine.pipes else answers[0]


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


async def _look(root: bytes) -> None:
    """Break off what git waits for in a folder, where it does wait at a pipe."""
    pipes = await _pipes(root)
    with anyio.CancelScope(shield=True):
        ends = await anyio.to_thread.run_sync(_other_ends, list(pipes))
    if ends:
        # As long as the other end is open git waits on, for a text now: nobody has an answer yet.
        for each in tuple(_going_on):
            each.hold_up(root, pipes.values())
    for end in ends:
        os.close(end)


async def _pipes(root: bytes) -> dict[bytes, Pipe]:
    """Give all pipes that git would wait at."""
    entries = walked(root)
    pipes: dict[bytes, Pipe] = {}
    if os.path.basename(root) == NAME:  # noqa: PTH119  bytes
        await anyio.to_thread.run_sync(_add, pipes, pipes_through(root))
    going_on = True
    while going_on:
        # A part at a time: who waits for an answer that has come need not wait for the whole walk.
        going_on = await anyio.to_thread.run_sync(_take_pipes, entries, root, pipes)
    return pipes


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


def _other_ends(paths: list[bytes]) -> list[int]:
    """Open the other ends of pipes that somebody has opened to read: only then they can be."""
    ends: list[int] = []
    for path in paths:
        with suppress(OSError):
            ends.append(os.open(path, os.O_WRONLY | os.O_NONBLOCK | os.O_CLOEXEC))
    return ends
