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
    lies_beyond_a_link,
    look_at,
    names_a_git_directory,
)
from sennit.core.objects import LeftOut, LeftOutReason

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sennit.adapters.git.disk import Found
    from sennit.core.objects import Entry


@frozen
class CapturePlan:
    """Paths to read from disk, paths to remove, files of nested repositories, what stays out."""

    present: tuple[bytes, ...]
    entries: dict[bytes, Entry | None]
    nested: tuple[bytes, ...]
    left_out: tuple[LeftOut, ...]

    def with_nested_but(self, ignored: frozenset[bytes]) -> CapturePlan:
        """Take the files of nested repositories, but for those that are ignored."""
        wanted = tuple(path for path in self.nested if path not in ignored)
        return evolve(self, present=self.present + wanted, nested=())


def plan_of_capture(root: bytes, listed: bytes) -> CapturePlan:
    """Sort the records of ``git ls-files -t``: changed and untracked paths below ``root``."""
    found: list[Found] = []
    nested: list[bytes] = []
    left_out: list[LeftOut] = []
    for path, tag in {record[2:]: record[:1] for record in listed.split(b"\0") if record}.items():
        if path.endswith(b"/"):
            detail = "a repository that was made here: its files are taken, its history is not"
            left_out.append(LeftOut(path[:-1], LeftOutReason.NESTED_REPOSITORY, detail))
            nested.extend(_files_below(root, path[:-1]))
        else:
            found.append(_look(root, path, tag))
    left_out.extend(one for one in found if isinstance(one, LeftOut))
    looked_at = [_look(root, path, b"?") for path in nested]
    left_out.extend(one for one in looked_at if isinstance(one, LeftOut))
    return CapturePlan(
        tuple(one.path for one in found if isinstance(one, Present)),
        {one.path: None for one in found if isinstance(one, Absent)},
        tuple(one.path for one in looked_at if isinstance(one, Present)),
        tuple(left_out),
    )


def _look(root: bytes, path: bytes, tag: bytes) -> Found:
    if tag == b"?" and names_a_git_directory(path):
        return LeftOut(path, LeftOutReason.RESERVED_NAME, RESERVED)
    if tag != b"?" and _is_a_repository(root, path):
        return Present(path)
    return look_at(root, path)


def _is_a_repository(root: bytes, path: bytes) -> bool:
    """Tell whether a tracked path may be a submodule, whose commit git can read."""
    return not lies_beyond_a_link(root, path) and os.path.lexists(below(root, path + b"/.git"))


def _files_below(root: bytes, folder: bytes) -> Iterator[bytes]:
    """Give the files and links below a folder, without any git directory and behind no link."""
    if lies_beyond_a_link(root, folder + b"/."):
        return
    with os.scandir(below(root, folder)) as entries:
        found = list(entries)
    for entry in found:
        path = folder + b"/" + os.fsencode(entry.name)
        if os.fsencode(entry.name).lower() == b".git":
            continue
        if entry.is_dir(follow_symlinks=False):
            yield from _files_below(root, path)
        else:
            yield path
