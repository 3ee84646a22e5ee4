"""Conflicts as ``git merge-tree -z`` prints them, read into values.

A path that git had to move aside is printed as ``NAME~COMMIT``; here it has its own name again,
and sentences speak of ours and theirs instead of throw-away commits.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from attrs import frozen

from sennit.adapters.git.raw_trees import raw_entry
from sennit.core.objects import (
    MODE_EXECUTABLE,
    MODE_FILE,
    MODE_LINK,
    MODE_SUBMODULE,
    Conflict,
    ConflictKind,
    Entry,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

_KINDS = (
    ("rename/rename", ConflictKind.RENAME_RENAME),
    ("rename involved in collision", ConflictKind.RENAME_RENAME),
    ("rename/delete", ConflictKind.RENAME_DELETE),
    ("directory rename", ConflictKind.DIRECTORY_RENAME),
    ("file/directory", ConflictKind.FILE_DIRECTORY),
    ("submodule", ConflictKind.SUBMODULE),
    ("binary", ConflictKind.BINARY),
    ("distinct modes", ConflictKind.MODE),
    ("modify/delete", ConflictKind.MODIFY_DELETE),
    ("contents", ConflictKind.CONTENT),
)
"""Words in git's short description of a message, the most telling kind first."""

_BASE, _OURS, _THEIRS = 1, 2, 3


@frozen
class Attempt:
    """What git printed: the tree of its attempt, entries by path and stage, its messages.

    ``aside`` are the names under which the attempt holds what was moved aside.
    """

    tree: str
    stages: Mapping[bytes, Mapping[int, Entry]]
    messages: tuple[Message, ...]
    aside: tuple[bytes, ...] = ()


@frozen
class Message:
    """One thing that git said about some paths; ``about`` is its short fixed description."""

    paths: tuple[bytes, ...]
    about: str
    text: str


@frozen
class Commits:
    """The throw-away commits of the two sides, as git names them in what it prints."""

    ours: str
    theirs: str

    def own_name(self, path: bytes) -> bytes:
        """Give a path that git moved aside its own name again."""
        aside = f"~({self.ours}|{self.theirs})(_[0-9]+)?\\Z".encode()
        return re.sub(aside, b"", path)

    def readable(self, text: str) -> str:
        """Speak of ours and theirs instead of commits."""
        return text.replace(self.ours, "ours").replace(self.theirs, "theirs").strip()


def parse_attempt(output: bytes, commits: Commits) -> Attempt:
    """Read the output of ``merge-tree --write-tree -z --messages``."""
    tree, *fields = output.split(b"\0")
    end = fields.index(b"")
    stages: dict[bytes, dict[int, Entry]] = {}
    aside: dict[bytes, None] = {}
    for record in fields[:end]:
        described, _, path = record.partition(b"\t")
        mode, identity, stage = described.split(b" ")
        entry = raw_entry(mode, identity)
        own = commits.own_name(path)
        if own != path:
            aside[path] = None
        if entry is not None:
            stages.setdefault(own, {})[int(stage)] = entry
    messages = tuple(_messages(fields[end + 1 :], commits))
    return Attempt(tree.decode().strip(), stages, messages, tuple(aside))


def _messages(fields: Sequence[bytes], commits: Commits) -> Iterator[Message]:
    position = 0
    # After the messages comes advice about submodules, which is no record.
    while position < len(fields) and fields[position].isdigit():
        count = int(fields[position])
        paths = fields[position + 1 : position + 1 + count]
        about, text = fields[position + 1 + count : position + 3 + count]
        yield Message(
            tuple(dict.fromkeys(commits.own_name(path) for path in paths)),
            about.decode("utf-8", "replace"),
            commits.readable(text.decode("utf-8", "replace")),
        )
        position += 3 + count


def conflicts_of(attempt: Attempt) -> tuple[Conflict, ...]:
    """Give one conflict for each path that git could not settle, and what it said about it."""
    about: dict[bytes, list[Message]] = {}
    for message in attempt.messages:
        if message.about.startswith("CONFLICT"):
            about.setdefault(message.paths[0], []).append(message)
    told = {path for messages in about.values() for message in messages for path in message.paths}
    for path in attempt.stages:
        if path not in told:
            about[path] = []
    return tuple(_conflict(attempt, path, about[path]) for path in sorted(about))


def _conflict(attempt: Attempt, path: bytes, messages: Sequence[Message]) -> Conflict:
    named = dict.fromkeys([path, *(one for message in messages for one in message.paths)])
    paths = tuple(named)
    base, ours, theirs = (_side(attempt, paths, stage) for stage in (_BASE, _OURS, _THEIRS))
    return Conflict(
        kind=_kind([message.about for message in messages], base, ours, theirs),
        path=path,
        base=base,
        ours=ours,
        theirs=theirs,
        paths=paths,
        message="\n".join(message.text for message in messages),
    )


def _side(attempt: Attempt, paths: Sequence[bytes], stage: int) -> Entry | None:
    """Take a side from the path itself, else from another that the conflict names."""
    for path in paths:
        entry = attempt.stages.get(path, {}).get(stage)
        if entry is not None:
            return entry
    return None


def _kind(
    about: Sequence[str], base: Entry | None, ours: Entry | None, theirs: Entry | None
) -> ConflictKind:
    kind = next(
        (kind for words, kind in _KINDS if any(words in one for one in about)), ConflictKind.OTHER
    )
    if kind not in {ConflictKind.CONTENT, ConflictKind.MODE, ConflictKind.OTHER}:
        return kind
    if _same_text(ours, theirs):
        return ConflictKind.MODE
    modes = {entry.mode for entry in (base, ours, theirs) if entry}
    if MODE_SUBMODULE in modes:
        return ConflictKind.SUBMODULE
    if MODE_LINK in modes:
        return ConflictKind.LINK
    return ConflictKind.ADD_ADD if base is None and kind is ConflictKind.CONTENT else kind


def _same_text(ours: Entry | None, theirs: Entry | None) -> bool:
    """Whether two files differ in their mode alone, which git tells as a conflict of contents."""
    if ours is None or theirs is None or ours.id != theirs.id:
        return False
    return {ours.mode, theirs.mode} == {MODE_FILE, MODE_EXECUTABLE}
