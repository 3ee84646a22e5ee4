"""Reads ``git status --porcelain=v2 -z``: what differs between HEAD, an index and the work tree."""

from __future__ import annotations

import errno
import os
import re
from typing import TYPE_CHECKING

from attrs import evolve, frozen

from sennit.adapters.git.raw_trees import raw_entry
from sennit.core.objects import MODE_SUBMODULE, GitFailed, LeftOut, LeftOutReason

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from sennit.adapters.git.git import Git, Place
    from sennit.core.objects import Entry

_ASKED = (
    "status",
    "--porcelain=v2",
    "-z",
    "--branch",
    "--no-ahead-behind",
    "--no-renames",
    "--untracked-files=all",
    "--ignore-submodules=dirty",
)
_NOT_OPENED = re.compile(r"^warning: could not open directory '(.+?)/?': (.+)$", re.MULTILINE)
# A tracked file that cannot be looked at counts as unchanged, with a line as of perror(3).
_NOT_LOOKED_AT = re.compile(r"^(?!warning: |error: |fatal: )(.+): ([A-Z][^:]+)$", re.MULTILINE)
_REASONS = frozenset(map(os.strerror, errno.errorcode))
"""What perror(3) says; filters of the repository write to the same place, in the same form."""
_MOST_COMPLAINTS = 4 << 20


@frozen
class Tracked:
    """A path of the index that differs from HEAD (``staged``) or from disk (``unstaged``).

    Both are git's letters (``M``, ``A``, ``D``, ``T``), ``.`` for no difference. ``indexed`` is
    what the index holds, None where it only intends to add.
    """

    path: bytes
    staged: str
    unstaged: str
    indexed: Entry | None

    @property
    def was_submodule(self) -> bool:
        """Whether it is one in the index, whatever lies on the disk."""
        return self.indexed is not None and self.indexed.mode == MODE_SUBMODULE


@frozen
class Unmerged:
    """A path with several stages in the index; ``ours`` is the second of them."""

    path: bytes
    ours: Entry | None


@frozen
class Status:
    """What one look at a work tree found; ``not_opened`` is what git could not read.

    ``ignored`` are files, and whole folders whose name says so, if they were asked for.
    """

    head: str | None
    branch: bytes | None
    tracked: tuple[Tracked, ...]
    unmerged: tuple[Unmerged, ...]
    untracked: tuple[bytes, ...]
    ignored: tuple[bytes, ...] = ()
    not_opened: tuple[LeftOut, ...] = ()

    @property
    def staged(self) -> Mapping[bytes, Entry | None]:
        """What the index holds where it differs from HEAD; None where it holds nothing."""
        return {one.path: one.indexed for one in self.tracked if one.staged != "."}


async def read_status(git: Git, place: Place) -> Status | GitFailed:
    """Look at the work tree of a place. Submodules are compared by their HEAD alone.

    Git would look into them with a call of its own, which reads their configuration without the
    safe one of this call.
    """
    return await _read(git, place, _ASKED)


async def read_status_and_ignored(git: Git, place: Place) -> Status | GitFailed:
    """As ``read_status``, and list what is ignored: an ignored folder as one, with a slash.

    That costs a sixth more where folders have to be looked through anyway.
    """
    return await _read(git, place, (*_ASKED, "--ignored=matching"))


async def _read(git: Git, place: Place, asked: Sequence[str]) -> Status | GitFailed:
    answer = await git.limited(complaints=_MOST_COMPLAINTS).run(asked, place)
    if isinstance(answer, GitFailed):
        return answer
    return evolve(parse_status(answer.stdout), not_opened=_not_opened(answer.stderr))


def _not_opened(complaints: str) -> tuple[LeftOut, ...]:
    """Give what git passed over with a word on standard error, as it does on purpose."""
    folders = dict(_NOT_OPENED.findall(complaints))
    below = tuple(f"{folder}/" for folder in folders)
    files = (
        (path, why)
        for path, why in _NOT_LOOKED_AT.findall(complaints)
        if why in _REASONS and not path.startswith(below)
    )
    said = {path: f"all that lies there: {why}" for path, why in folders.items()} | dict(files)
    return tuple(
        LeftOut(os.fsencode(path), LeftOutReason.UNREADABLE, why) for path, why in said.items()
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
        ignored=tuple(record[2:] for record in records if record[:2] == b"! "),
    )


def _headers(records: list[bytes]) -> Iterator[tuple[bytes, bytes]]:
    for record in records:
        if record[:2] == b"# ":
            name, _, value = record[2:].partition(b" ")
            yield name, value


def _tracked(record: bytes) -> Tracked:
    _, letters, _, _, mode, _, _, identity, path = record.split(b" ", 8)
    return Tracked(
        path,
        letters[:1].decode(),
        letters[1:].decode(),
        indexed=raw_entry(mode, identity),
    )


def _unmerged(record: bytes) -> Unmerged:
    fields = record.split(b" ", 10)
    # A submodule in conflict has no bytes on disk to look at; HEAD's side stands for it too.
    return Unmerged(fields[10], raw_entry(fields[4], fields[8]))
