"""Room that is held on the disk of the state folder, for whoever frees room when there is none.

A database that is opened needs some before anything can be dropped or collected, and names for
files too, of which a disk has only so many.
"""

from __future__ import annotations

import errno
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from attrs import define, field

FOLDER = "reserve"
"""Its folder in the state folder, with files that hold nothing and are never read."""
SIZE = 2 << 20
"""Bytes: the log of a database for some hundred steps, and what git writes to let go of refs."""
NAMES = 32
_PLENTY = 16
"""A disk is not taken from before it has so many times the size free."""
_LEAST = 64 << 10
_ROOM = "room"
_NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT})


@define(eq=False)
class Reserve:
    """That of one state folder, as one server deals with it. All of it blocks; raises OSError."""

    _state: Path
    _is_gone: bool = field(default=False, init=False)

    def hold(self) -> None:
        """Hold it where the disk has plenty of room, if it is not held yet."""
        if _is_held(self._folder):
            return
        found = os.statvfs(self._state)
        if found.f_bavail * found.f_frsize >= _PLENTY * SIZE:
            _make_what_fits(self._folder)

    def let_go(self) -> bool:
        """Let go of it; tell whether there was any."""
        found = _remove(self._folder)
        self._is_gone = self._is_gone or found
        return found

    def let_go_if_full(self) -> None:
        """Let go of it if there is no such room beside it."""
        beside = self._state / f".{FOLDER}.{secrets.token_hex(4)}"
        try:
            # What is said to be free says nothing of quotas.
            fits = _makes(beside, SIZE)
        finally:
            _remove(beside)
        if not fits:
            self.let_go()

    def take_back(self) -> None:
        """Hold again what was let go of, or as much of it as there is by now."""
        if self._is_gone:
            self._is_gone = False
            _make_what_fits(self._folder)

    @property
    def _folder(self) -> Path:
        return self._state / FOLDER


def _is_held(folder: Path) -> bool:
    try:
        return (folder / _ROOM).stat().st_size >= SIZE and len(list(folder.iterdir())) > NAMES
    except FileNotFoundError:
        return False


def _make_what_fits(folder: Path) -> None:
    size = SIZE
    while size >= _LEAST:
        if _makes(folder, size):
            return
        size -= SIZE // 16
    _remove(folder)


def _makes(folder: Path, size: int) -> bool:
    """Make it, unless there is no room for it; what there is by then stays."""
    with _refused() as refused:
        folder.mkdir(mode=0o700, exist_ok=True)
        handle = os.open(folder / _ROOM, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            os.ftruncate(handle, 0)
            os.posix_fallocate(handle, 0, size)
        finally:
            os.close(handle)
        for number in range(NAMES):
            (folder / str(number)).touch(mode=0o600)
    return not refused


@contextmanager
def _refused() -> Iterator[list[OSError]]:
    """Collect what a full disk refuses; everything else is raised."""
    refused: list[OSError] = []
    try:
        yield refused
    except OSError as error:
        if error.errno not in _NO_ROOM:
            raise
        refused.append(error)


def _remove(folder: Path) -> bool:
    """Remove it, as another server may do at the same time; tell whether anything was there."""
    found = False
    try:
        for file in list(folder.iterdir()):
            file.unlink(missing_ok=True)
            found = True
        folder.rmdir()
    except FileNotFoundError:
        return found
    except OSError as error:
        if error.errno not in {errno.ENOTEMPTY, errno.EEXIST}:
            raise
    return found
