"""Decides for each path of a workspace that differs from its base what a capture takes."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from attrs import evolve, frozen

from sennit.adapters.git.disk import (
    RESERVED,
    Absent,
    Present,
    below,
    is_repository,
    lies_beyond_a_link,
    look_at,
    names_a_git_directory,
)
from sennit.core.objects import LeftOut, LeftOutReason

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sennit.adapters.git.disk import Found
    from sennit.adapters.git.status import Tracked
    from sennit.core.objects import Entry


@frozen
class CapturePlan:
    """Paths to read from disk, paths to remove, files of nested repositories, what stays out.

    ``ignored`` are those of the files of nested repositories that are.
    """

    present: tuple[bytes, ...]
    entries: dict[bytes, Entry | None]
    nested: tuple[bytes, ...]
    left_out: tuple[LeftOut, ...]
    ignored: tuple[bytes, ...] = ()

    @property
    def gone(self) -> tuple[bytes, ...]:
        """The paths to remove."""
        return tuple(path for path, entry in self.entries.items() if entry is None)

    def with_kept(self, paths: frozenset[bytes], why: tuple[LeftOut, ...]) -> CapturePlan:
        """Leave paths as they are in the base, and say why."""
        entries = {path: entry for path, entry in self.entries.items() if path not in paths}
        return evolve(self, entries=entries, left_out=self.left_out + why)

    def with_nested_but(self, ignored: frozenset[bytes]) -> CapturePlan:
        """Take the files of nested repositories, but for those that are ignored."""
        wanted = tuple(path for path in self.nested if path not in ignored)
        return evolve(
            self, present=self.present + wanted, nested=(), ignored=tuple(sorted(ignored))
        )


def plan_of_capture(
    root: bytes, changed: Sequence[Tracked], untracked: Sequence[bytes]
) -> CapturePlan:
    """Look at each path below ``root`` that differs from the base or is new, as git listed them.

    A repository that was made there is among the new ones, with a slash at its end; one in the
    place of a file is among those that differ.
    """
    found = [_look_at_changed(root, one) for one in changed]
    made = [one.path + b"/" for one in found if isinstance(one, Absent)]
    nested: list[bytes] = []
    left_out: list[LeftOut] = []
    for path in (*untracked, *(one for one in made if is_repository(root, one[:-1]))):
        if path.endswith(b"/"):
            detail = "a repository that was made here: its files are taken, its history is not"
            left_out.append(LeftOut(path[:-1], LeftOutReason.NESTED_REPOSITORY, detail))
            inside = _files_below(root, path[:-1])
            nested += inside.files
            left_out += inside.left_out
        else:
            found.append(_look_at_new(root, path))
    left_out.extend(one for one in found if isinstance(one, LeftOut))
    looked_at = [_look_at_new(root, path) for path in nested]
    left_out.extend(one for one in looked_at if isinstance(one, LeftOut))
    return CapturePlan(
        tuple(one.path for one in found if isinstance(one, Present)),
        {one.path: None for one in found if isinstance(one, Absent)},
        tuple(one.path for one in looked_at if isinstance(one, Present)),
        tuple(left_out),
    )


def _look_at_new(root: bytes, path: bytes) -> Found:
    if names_a_git_directory(path):
        return LeftOut(path, LeftOutReason.RESERVED_NAME, RESERVED)
    return look_at(root, path)


def _look_at_changed(root: bytes, one: Tracked) -> Found:
    if one.was_submodule and is_repository(root, one.path):
        return Present(one.path)
    return look_at(root, one.path)


@frozen
class _Below:
    files: list[bytes]
    left_out: list[LeftOut]


def _files_below(root: bytes, top: bytes) -> _Below:
    """Find the files and links below a folder, without any git directory and behind no link."""
    found = _Below([], [])
    # One by one instead of by recursion, and without a look at all the folders above each: agents
    # make folders of any depth.
    waiting = [] if lies_beyond_a_link(root, top + b"/.") else [top]
    while waiting:
        folder = waiting.pop()
        try:
            with os.scandir(below(root, folder)) as scanned:
                entries = list(scanned)
        except OSError as error:
            why = error.strerror or ""
            found.left_out.append(LeftOut(folder, LeftOutReason.UNREADABLE, why))
            continue
        for entry in entries:
            name = os.fsencode(entry.name)
            if name.lower() != b".git":
                is_folder = entry.is_dir(follow_symlinks=False)
                (waiting if is_folder else found.files).append(folder + b"/" + name)
    return found
