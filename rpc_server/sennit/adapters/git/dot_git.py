"""Follows a `.git`, be it a folder, a file or a link, to the pipes that git would open through it.

Git goes from a `.git` to a git directory, and from that to a common one, wherever they lie. Only
what git opens there is looked at: the folder may be any, with the pipes of anybody.
"""

from __future__ import annotations

import os
import stat
from collections import deque
from typing import TYPE_CHECKING

from attrs import frozen

from sennit.adapters.git.disk import below

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

NAME = b".git"
_FILES = (
    b"HEAD",
    b"commondir",
    b"gitdir",
    b"config",
    b"config.worktree",
    b"packed-refs",
    b"shallow",
    b"index",
    b"MERGE_HEAD",
    b"CHERRY_PICK_HEAD",
    b"REVERT_HEAD",
    b"BISECT_LOG",
)
_FOLDERS = (b"refs", b"reftable", b"info", b"rebase-merge", b"rebase-apply", b"modules")
"""All that git reads in a git directory, but for its objects."""
_OBJECTS = (b"info", b"pack", *(b"%02x" % number for number in range(256)))
_ALTERNATES = b"info/alternates"
_DEEPEST = 6
"""So many alternates of alternates git follows."""
_POINTER = b"gitdir: "
_LONGEST_POINTER = 1 << 16
_READ = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC
_MOST = 50_000
"""So much of one folder is looked at; who makes more of it has git wait for its limit."""


@frozen
class Pipe:
    """A pipe that git would open. ``lead`` is what leads elsewhere to it, or else the pipe."""

    lead: bytes
    path: bytes


def pipes_through(dot_git: bytes) -> Iterator[Pipe]:
    """Give the pipes that git would open through a ``.git``; they may have gone meanwhile."""
    folder = _git_directory(dot_git)
    if folder is None:
        return
    lead = None if folder == dot_git else dot_git
    yield from _pipes_of(folder, lead)
    common = _pointed_at(below(folder, b"commondir"), b"", folder)
    if common is not None:
        yield from _pipes_of(common, lead or below(folder, b"commondir"))


def _pipes_of(folder: bytes, lead: bytes | None) -> Iterator[Pipe]:
    names = (*_FILES, *_FOLDERS)
    yield from _pipes_in([(below(folder, name), lead) for name in names])
    objects = below(folder, b"objects")
    by = objects if lead is None and _is_link(objects) else lead
    yield from _pipes_in_objects(objects, by)
    yield from _pipes_of_alternates(objects, by)


def _pipes_in_objects(objects: bytes, lead: bytes | None) -> Iterator[Pipe]:
    yield from _pipes_in([(below(objects, name), lead) for name in _OBJECTS])


def _pipes_of_alternates(objects: bytes, lead: bytes | None) -> Iterator[Pipe]:
    waiting = deque([(objects, lead, 1)])
    known: set[bytes] = set()
    while waiting:
        folder, by, depth = waiting.popleft()
        file = below(folder, _ALTERNATES)
        for line in (_small_text(file) or b"").split(b"\n"):
            other = _joined(folder, line)
            if not line or line.startswith(b"#") or other in known or depth > _DEEPEST:
                continue
            known.add(other)
            lead_there = by or file
            yield from _pipes_in_objects(other, lead_there)
            waiting.append((other, lead_there, depth + 1))


def _git_directory(dot_git: bytes) -> bytes | None:
    if os.path.isdir(dot_git):  # noqa: PTH112  bytes
        return os.path.realpath(dot_git) if _is_link(dot_git) else dot_git
    # As git does, also where it is a link to such a file.
    return _pointed_at(dot_git, _POINTER, os.path.dirname(dot_git))  # noqa: PTH120  bytes


def _pointed_at(file: bytes, start: bytes, beside: bytes) -> bytes | None:
    """Give the folder that a file of one line leads to."""
    line = _small_text(file)
    if line is None or not line.startswith(start) or b"\0" in line:
        return None
    return _joined(beside, line.removeprefix(start).rstrip(b"\r\n"))


def _small_text(file: bytes) -> bytes | None:
    try:
        handle = os.open(file, _READ)
    except OSError:
        return None
    with os.fdopen(handle, "rb") as opened:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            return None
        return opened.read(_LONGEST_POINTER)


def _joined(folder: bytes, path: bytes) -> bytes:
    return os.path.normpath(os.path.join(folder, path))  # noqa: PTH118  bytes


def _pipes_in(paths: Iterable[tuple[bytes, bytes | None]]) -> Iterator[Pipe]:
    """Look at paths, each with what leads there, and at all below them, through links too."""
    waiting = deque(paths)
    known: set[tuple[int, int]] = set()
    count = 0
    while waiting and count < _MOST:
        count += 1
        path, by = waiting.popleft()
        if by is None and _is_link(path):
            by = path
        try:
            status = os.stat(path)  # noqa: PTH116  bytes
            if stat.S_ISFIFO(status.st_mode):
                yield Pipe(by or path, os.path.realpath(path) if by else path)
            elif stat.S_ISDIR(status.st_mode) and (status.st_dev, status.st_ino) not in known:
                known.add((status.st_dev, status.st_ino))
                waiting.extend((below(path, name), by) for name in os.listdir(path))  # noqa: PTH208  bytes
        except OSError:
            # Gone meanwhile, or where nobody can look: git cannot open it either.
            continue


def _is_link(path: bytes) -> bool:
    return os.path.islink(path)  # noqa: PTH114  bytes
