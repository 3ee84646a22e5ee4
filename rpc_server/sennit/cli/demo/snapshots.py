"""What a work tree and a git directory hold, so that two moments can be compared."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path

from attrs import frozen

GIT = b".git"
_FRESHENED = (b"objects", b"sharedindex.")
"""Git renews the times of objects that it has already; all other times count."""


@frozen
class FileState:
    """One file or link of a work tree; ``data`` of a link is its target."""

    mode: int
    data: bytes

    @property
    def digest(self) -> str:
        """SHA-256 of the data."""
        return hashlib.sha256(self.data).hexdigest()


@frozen
class GitEntry:
    """One entry of a git directory; ``modified_ns`` is None where git may renew it."""

    mode: int
    digest: str
    modified_ns: int | None


def files_of(work_tree: Path) -> Mapping[bytes, FileState]:
    """Read every file and link, by its path relative to the top level."""
    top = os.fsencode(work_tree)
    return {
        relative: FileState(status.st_mode, _data(path, status))
        for relative, path, status in _walk(top)
        if not (relative == GIT or relative.startswith(GIT + b"/") or stat.S_ISDIR(status.st_mode))
    }


def git_entries_of(work_tree: Path) -> Mapping[bytes, GitEntry]:
    """Read every entry of the git directory, by its path relative to it."""
    top = os.path.join(os.fsencode(work_tree), GIT)  # noqa: PTH118  names are bytes
    return {
        relative: GitEntry(
            status.st_mode,
            hashlib.sha256(_data(path, status)).hexdigest(),
            None if relative.startswith(_FRESHENED) else status.st_mtime_ns,
        )
        for relative, path, status in _walk(top)
    }


def differences(before: Mapping[bytes, object], after: Mapping[bytes, object]) -> list[bytes]:
    """List the paths that are not the same at both moments."""
    return sorted(p for p in before.keys() | after.keys() if before.get(p) != after.get(p))


def _walk(top: bytes) -> Iterator[tuple[bytes, bytes, os.stat_result]]:
    for folder, folders, names in os.walk(top):
        for name in (*folders, *names):
            path = os.path.join(folder, name)  # noqa: PTH118  names are bytes
            yield os.path.relpath(path, top), path, os.lstat(path)


def _data(path: bytes, status: os.stat_result) -> bytes:
    if stat.S_ISLNK(status.st_mode):
        return os.readlink(path)  # noqa: PTH115  names are bytes
    if not stat.S_ISREG(status.st_mode):
        return b""
    with open(path, "rb") as file:  # noqa: PTH123  names are bytes
        return file.read()
