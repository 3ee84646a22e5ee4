"""Reads ``git status --porcelain=v2 -z``: what differs between HEAD, an index and the work tree."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from attrs import evolve, frozen

from sennit.core.objects import Entry, GitFailed, LeftOut, LeftOutReason

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sennit.adapters.git.git import Git, Place

_NO_MODE = "000000"
_NOT_OPENED = re.compile(r"^warning: could not open directory '(.+?)/?': (.+)$", re.MULTILINE)


@frozen
class Tracked:
    """A path of the index that differs from HEAD (``staged``) or from disk (``unstaged``).

    Both are git's letters (``M``, ``A``, ``D``, ``T``), ``.`` for no difference.
    """

    path: bytes
    staged: str
    unstaged: str
    submodule: bool


@frozen
class Unmerged:
    """A path with several stages in the index; ``ours`` is the second of them."""

    path: bytes
    ours: Entry | None


@frozen
class Status:
    """What one look at a work tree found; ``not_opened`` are folders that git passed over."""

    head: str | None
    branch: bytes | None
    tracked: tuple[Tracked, ...]
    unmerged: tuple[Unmerged, ...]
    untracked: tuple[bytes, ...]
    not_opened: tuple[LeftOut, ...] = ()


async def read_status(git: Git, place: Place) -> Status | GitFailed:
    """Look at the work tree of a place. Submodules are compared by their HEAD alone.

    Git would look into them with a call of its own, which reads their configuration without the
    safe one of this call.
    """
    asked = [
        "status",
        "--porcelain=v2",
        "-z",
        "--branch",
        "--no-ahead-behind",
        "--no-renames",
        "--untracked-files=all",
        "--ignore-submodules=dirty",
    ]
    answer = await git.run(asked, place)
    if isinstance(answer, GitFailed):
        return answer
    return evolve(parse_status(answer.stdout), not_opened=not_opened(answer.stderr))


def not_opened(complaints: str) -> tuple[LeftOut, ...]:
    """Give the folders that git passed over with a warning, as it does on purpose."""
    return tuple(
        LeftOut(os.fsencode(path), LeftOutReason.UNREADABLE, f"all that lies there: {why}")
        for path, why in _NOT_OPENED.findall(complaints)
    )


def parse_status(output: bytes) -> Status:
    """Turn the records of porcelain version 2 into values."""
    records = output.split(b"\0")
    headers = dict(_headers(records))
    head = headers.get(b"branch.oid")
    branch = headers.get(b"branch.head")
    return Status(
        head=None if head in {None, b"(initial)"} else (head or b"").decode(),
        branch=None if branch == b"(detached)" else branch,
        tracked=tuple(_tracked(record) for record in records if record[:2] == b"1 "),
        unmerged=tuple(_unmerged(record) for record in records if record[:2] == b"u "),
        untracked=tuple(record[2:] for record in records if record[:2] == b"? "),
    )


def _headers(records: list[bytes]) -> Iterator[tuple[bytes, bytes]]:
    for record in records:
        if record[:2] == b"# ":
            name, _, value = record[2:].partition(b" ")
            yield name, value


def _tracked(record: bytes) -> Tracked:
    _, letters, submodule, _, _, _, _, _, path = record.split(b" ", 8)
    return Tracked(path, letters[:1].decode(), letters[1:].decode(), submodule[:1] == b"S")


def _unmerged(record: bytes) -> Unmerged:
    fields = record.split(b" ", 10)
    mode, identity, path = fields[4].decode(), fields[8].decode(), fields[10]
    # A submodule in conflict has no bytes on disk to look at; HEAD's side stands for it too.
    ours = None if mode == _NO_MODE else Entry(int(mode, 8), identity)
    return Unmerged(path, ours)
