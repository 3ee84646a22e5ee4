"""The database's file and folder: private, on a local disk, and put aside when damaged."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from attrs import frozen

from sennit.adapters.platform.filesystems import is_network
from sennit.adapters.platform.shared_locks import take_alone, take_shared
from sennit.adapters.store.problems import problem, problem_of_system
from sennit.core.stored import StoreProblem, StoreProblemKind

FilesystemType = Callable[[str], str]

_FOLDER_MODE, _FILE_MODE = 0o700, 0o600
_OTHERS_WRITE, _OTHERS_ANYTHING = 0o022, 0o077
_SIDE_FILES = ("-wal", "-shm")
_PAUSE_S = 0.005


@frozen
class Presence:
    """A share in the lock file beside the database, held as long as the database is open.

    ``alone`` tells whether nobody else had the database open when this share was taken.
    """

    descriptor: int
    alone: bool

    def leave(self) -> None:
        """Give the share back."""
        os.close(self.descriptor)


def make_place(path: Path, filesystem_type: FilesystemType) -> StoreProblem | None:
    """Make the folder and the empty file where missing, readable by their owner only."""
    try:
        path.parent.mkdir(mode=_FOLDER_MODE, parents=True, exist_ok=True)
        kind = filesystem_type(str(path.parent))
        if is_network(kind):
            return problem(StoreProblemKind.NETWORK, path, kind)
        if path.parent.stat().st_mode & _OTHERS_WRITE:
            return problem(StoreProblemKind.EXPOSED, path)
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, _FILE_MODE))
        if path.stat().st_mode & _OTHERS_ANYTHING:
            path.chmod(_FILE_MODE)
    except OSError as error:
        if os.access(path, os.F_OK) and path.is_file() and not os.access(path, os.W_OK):
            return problem(StoreProblemKind.READ_ONLY, path, str(error.strerror))
        return problem_of_system(path, error)
    return None


def be_present(path: Path, timeout_ms: int) -> Presence | StoreProblem:
    """Take a share in the database's lock file; who begins or mends has it alone, briefly."""
    try:
        descriptor = os.open(_beside(path, ".users"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        return problem_of_system(path, error)
    alone = take_alone(descriptor)
    deadline = time.monotonic() + timeout_ms / 1000
    while not alone and not take_shared(descriptor):
        if time.monotonic() > deadline:
            os.close(descriptor)
            return problem(
                StoreProblemKind.LOCKED, path, "another server is starting or mending it"
            )
        time.sleep(_PAUSE_S)
    return Presence(descriptor, alone)


def share(presence: Presence) -> None:
    """Let others in again, after looking at the database alone."""
    take_shared(presence.descriptor)


def needs_check(path: Path, presence: Presence) -> bool:
    """Whether the last one to use the database did not close it, or found it damaged.

    SQLite removes the write-ahead log when the last connection is closed; while others have the
    database open the log says nothing, and they have looked.
    """
    log = _beside(path, "-wal")
    left_open = presence.alone and log.exists() and log.stat().st_size > 0
    return left_open or _beside(path, ".suspect").exists()


def log_of(path: Path) -> Path:
    """Name the write-ahead log of a database, which is there while any server has it open."""
    return _beside(path, "-wal")


def identity_of_log(path: Path) -> tuple[int, int] | None:
    """Tell the file that lies there as the log from any other; None where none does."""
    try:
        status = log_of(path).stat()
    except FileNotFoundError:
        return None
    return status.st_dev, status.st_ino


def suspect(path: Path) -> None:
    """Have the next start check the whole database."""
    # Where the disk fails altogether nothing can be noted; who has found the damage tells of it.
    with suppress(OSError):
        _beside(path, ".suspect").touch(_FILE_MODE)


def trust_again(path: Path) -> None:
    """The whole database was checked and is sound."""
    _beside(path, ".suspect").unlink(missing_ok=True)


def quarantine(path: Path) -> Path:
    """Move the damaged database and its log aside; gives the new place. Nothing is deleted."""
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%S%fZ")
    aside = path.with_name(f"{path.name}.damaged-{stamp}")
    # The log first: a database without its log would look sound, only older.
    for side in _SIDE_FILES:
        if _beside(path, side).exists():
            _beside(path, side).rename(_beside(aside, side))
    path.rename(aside)
    trust_again(path)
    return aside


def put_aside(path: Path) -> tuple[Path, ...]:
    """The damaged databases that were moved aside, oldest first."""
    found = path.parent.glob(f"{path.name}.damaged-*Z")
    return tuple(sorted(found))


def _beside(path: Path, suffix: str) -> Path:
    return path.with_name(path.name + suffix)
