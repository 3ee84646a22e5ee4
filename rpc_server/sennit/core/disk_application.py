"""What writing to a work tree means to do, path by path, and what was found to have happened.

The intention is journalled before the first byte is written. With it alone, and the staging
folder that it names, an application can be taken back or recognised as done after a crash.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import Any, Protocol

from attrs import frozen

from sennit.core.names import folded
from sennit.core.objects import Entry


class DiskKind(StrEnum):
    """What lies at a path of a work tree, as far as git can hold it."""

    FILE = "file"
    LINK = "link"


@frozen
class OnDisk:
    """Exact content at a path: SHA-256 of the bytes, or of a link's target; permission bits."""

    kind: DiskKind
    sha256: str
    permissions: int = 0

    def same_as(self, other: OnDisk | None, *, modes: bool = True) -> bool:
        """Compare what git would compare: kind, bytes, and whether the owner may execute it.

        The last only with ``modes``.
        """
        if other is None or (self.kind, self.sha256) != (other.kind, other.sha256):
            return False
        return not modes or bool(self.permissions & 0o100) == bool(other.permissions & 0o100)


@frozen
class Step:
    """One path: from ``before`` to ``after`` (None: nothing there).

    ``beside`` is the name, in the path's own folder, of the file that is written first and then
    renamed. ``entry_before`` and ``entry_after`` are what git's trees hold.
    """

    path: bytes
    entry_before: Entry | None
    entry_after: Entry | None
    before: OnDisk | None
    after: OnDisk | None
    beside: bytes


@frozen
class Intention:
    """An application to a work tree that is about to happen; deletions come first in ``steps``.

    ``folder`` holds the bytes before (``before/N``) and after (``after/PATH``). ``new_folders``
    are those that the application makes, the outermost first. ``modes`` tells whether the disk
    keeps the executable bit; where it does not, the bit says nothing.
    """

    id: str
    work_tree: bytes
    folder: bytes
    steps: tuple[Step, ...]
    new_folders: tuple[bytes, ...] = ()
    modes: bool = True


class Trouble(StrEnum):
    """Why a path was not, or cannot be, written."""

    CHANGED = "changed"
    IN_THE_WAY = "inTheWay"
    FOLDER_NOT_EMPTY = "folderNotEmpty"
    THROUGH_LINK = "throughLink"
    REFUSED_NAME = "refusedName"
    NAME_COLLISION = "nameCollision"
    UNWRITTEN = "unwritten"
    NOT_WRITABLE = "notWritable"
    SUBMODULE = "submodule"
    LFS = "lfs"
    FAILED = "failed"


@frozen
class PathTrouble:
    """One path and what is the matter with it, in words for a person in ``detail``."""

    path: bytes
    trouble: Trouble
    detail: str


@frozen
class Unstageable:
    """Nothing was written; every path in the way is named."""

    troubles: tuple[PathTrouble, ...]


@frozen
class Staged:
    """Everything is ready to be written; journal ``intention`` before ``commit``.

    ``collisions`` are groups of names that a file system without case or Unicode form cannot
    keep apart.
    """

    intention: Intention
    collisions: tuple[tuple[bytes, ...], ...] = ()


@frozen
class Written:
    """Every path was written. ``later`` are those that somebody has changed again since."""

    paths: tuple[bytes, ...]
    later: tuple[bytes, ...] = ()


@frozen
class TakenBack:
    """The application did not happen: what stopped it, what was put back, what could not be.

    ``later`` are paths that hold neither the text before nor the text after: somebody's later
    work, which was left alone. ``stuck`` are paths that should have been put back and were not.
    """

    cause: PathTrouble | None
    restored: tuple[bytes, ...] = ()
    later: tuple[bytes, ...] = ()
    stuck: tuple[PathTrouble, ...] = ()


Outcome = Written | TakenBack


def phased(steps: Sequence[Step]) -> tuple[list[Step], list[Step], list[Step]]:
    """Sort steps: deletions that make way for what comes, what comes, and all other deletions.

    A folder may give way to a file, a file to a folder, and a name to another one that some file
    system takes for the same.
    """
    come = [step for step in steps if step.after is not None]
    places = {folded(step.path) for step in come}
    folders = {above for place in places for above in _above(place)}
    kept = {above for step in come for above in _above(step.path)}
    first: list[Step] = []
    last: list[Step] = []
    for step in steps:
        if step.after is None:
            here = folded(step.path)
            respelled = any(folded(one) in folders and one not in kept for one in _above(step.path))
            over = here in places | folders or not places.isdisjoint(_above(here))
            makes_way = over or respelled
            (first if makes_way else last).append(step)
    return first, come, last


def _above(path: bytes) -> Iterator[bytes]:
    parts = path.split(b"/")
    return (b"/".join(parts[:count]) for count in range(1, len(parts)))


class Moment(StrEnum):
    """How far a step has come, as told to whoever watches an application."""

    STARTED = "started"
    BESIDE = "beside"
    IN_PLACE = "inPlace"


class Watcher(Protocol):
    """Is told each moment of each path, in the thread that writes."""

    def __call__(self, path: bytes, moment: Moment) -> None:
        """Take note of a moment; what it raises stops the application as a bug."""
        ...


def intention_text(intention: Intention) -> str:
    """Write an intention as JSON for a journal; bytes as Latin-1, one character a byte."""
    value = {
        "id": intention.id,
        "workTree": _text(intention.work_tree),
        "folder": _text(intention.folder),
        "newFolders": [_text(folder) for folder in intention.new_folders],
        "modes": intention.modes,
        "steps": [_step_value(step) for step in intention.steps],
    }
    return json.dumps(value)


def intention_from(text: str) -> Intention:
    """Read back what ``intention_text`` wrote."""
    value = json.loads(text)
    return Intention(
        id=value["id"],
        work_tree=_bytes(value["workTree"]),
        folder=_bytes(value["folder"]),
        new_folders=tuple(_bytes(folder) for folder in value["newFolders"]),
        # One that was journalled without the word was meant for a disk that keeps them.
        modes=value.get("modes", True),
        steps=tuple(_step_from(step) for step in value["steps"]),
    )


def _text(raw: bytes) -> str:
    return raw.decode("latin-1")


def _bytes(text: str) -> bytes:
    return text.encode("latin-1")


def _step_value(step: Step) -> dict[str, object]:
    return {
        "path": _text(step.path),
        "beside": _text(step.beside),
        "entries": [
            [entry.mode, entry.id] if entry else None
            for entry in (step.entry_before, step.entry_after)
        ],
        "images": [
            [image.kind.value, image.sha256, image.permissions] if image else None
            for image in (step.before, step.after)
        ],
    }


def _step_from(value: dict[str, Any]) -> Step:
    entries = [Entry(one[0], one[1]) if one else None for one in value["entries"]]
    images = [OnDisk(DiskKind(one[0]), one[1], one[2]) if one else None for one in value["images"]]
    return Step(
        _bytes(value["path"]),
        entries[0],
        entries[1],
        images[0],
        images[1],
        _bytes(value["beside"]),
    )
