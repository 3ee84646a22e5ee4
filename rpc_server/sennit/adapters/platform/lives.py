"""Tells whether a process lives that has written down who it is, also one that cannot be seen.

Where pids mean the same, pid and start time tell. A process of another container of this machine
cannot be looked up, but each says that it lives by a lock on a byte of its own in a file beside
what it owns: the kernel, which all of them share, drops it with the process. What cannot be told
counts as living.
"""

from __future__ import annotations

import errno
import fcntl
import os
import struct
from hashlib import sha256
from typing import TYPE_CHECKING

from attrs import define, field, frozen

from sennit.adapters.platform import processes
from sennit.adapters.platform.filesystems import filesystem_type, is_shared_by_machines
from sennit.adapters.platform.realms import (
    is_of_this_boot,
    is_of_this_machine,
    is_seen_whole,
    realm,
)

if TYPE_CHECKING:
    from pathlib import Path

LOCKS = "owners.lock"
"""The file of these locks; it is never removed, for then two files would have its name."""
_PRIVATE = 0o600
# `struct flock` of fcntl(2): kind, whence, start, length, pid (0 for this kind of lock).
_LOCK = struct.Struct("@hhqqi0q")
# Linux alone has them; elsewhere there are no namespaces either.
_OF_OPEN_FILES = hasattr(fcntl, "F_OFD_SETLK")
_NO_LOCKS = frozenset({errno.ENOLCK, errno.EINVAL, errno.ENOSYS, errno.EOPNOTSUPP})


@frozen
class Owner:
    """A process that owns something; ``started`` (in clock ticks) tells it from a later one.

    Both count in its ``realm`` alone; see `realms`. An empty one is this one.
    """

    pid: int
    started: int
    realm: str = ""


def owner_of(pid: int) -> Owner | None:
    """Give the identity of a process that runs and can be seen, or None when there is none."""
    started = processes.start_time(pid)
    return None if started is None else Owner(pid, started, realm())


def this_process() -> Owner:
    """Give this process as an owner."""
    # Not by its pid: it may have another one in the /proc that is mounted here.
    return Owner(os.getpid(), processes.own_start_time(), realm())


def may_live(owner: Owner, folder: Path | None) -> bool:
    """Whether this very process runs, or may do so; ``folder`` is where it holds its lock.

    Where that is not known only a process that can be seen is known to have ended.
    """
    here = realm()
    if owner.realm in {"", here} and (is_seen_whole() or not here):
        return processes.is_alive(owner.pid, owner.started)
    if folder is None:
        return True
    if here and owner.realm and not is_of_this_boot(owner.realm, here):
        return _may_be_of_another_machine(owner, here, folder)
    return _may_be_locked(folder / LOCKS, _place(owner))


@define(eq=False)
class Life:
    """Says that this process lives, in each folder that it owns something in."""

    owner: Owner = field(factory=this_process)
    _held: dict[Path, int] = field(factory=dict, init=False)

    def hold(self, folder: Path) -> int:
        """Say so in a folder, until this process ends; gives the open file of the lock.

        Who inherits that has this process count as living until it has ended itself. Raises
        OSError.
        """
        path = folder / LOCKS
        held = self._held.get(path)
        if held is not None and _lies_at(held, path):
            return held
        # For reading: what is open for writing keeps a disk from being made read-only.
        handle = os.open(path, os.O_RDONLY | os.O_CREAT | os.O_CLOEXEC, _PRIVATE)
        try:
            _lock(handle, _place(self.owner))
        except OSError:
            os.close(handle)
            raise
        if held is not None:
            # The folder was removed and made anew.
            os.close(held)
        self._held[path] = handle
        return handle

    def held(self, folder: Path) -> int | None:
        """Give what `hold` gave for a folder; None where it says nothing there."""
        return self._held.get(folder / LOCKS)


def _place(owner: Owner) -> int:
    """Give the byte that an owner locks; the file need not be that long."""
    name = f"{owner.realm} {owner.pid} {owner.started}".encode()
    return int.from_bytes(sha256(name).digest()[:8], "big") >> 2


def _lies_at(handle: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(handle), path.stat())
    except FileNotFoundError:
        return False


def _lock(handle: int, place: int) -> None:
    if not _OF_OPEN_FILES:
        return
    try:
        fcntl.fcntl(handle, fcntl.F_OFD_SETLK, _LOCK.pack(fcntl.F_RDLCK, os.SEEK_SET, place, 1, 0))
    except OSError as error:
        # Where there are no locks nobody else can look for them either, and takes us for living.
        if error.errno not in _NO_LOCKS:
            raise


def _may_be_locked(path: Path, place: int) -> bool:
    if not _OF_OPEN_FILES:
        return True
    asked = _LOCK.pack(fcntl.F_WRLCK, os.SEEK_SET, place, 1, 0)
    try:
        handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return True
    try:
        found = fcntl.fcntl(handle, fcntl.F_OFD_GETLK, asked)
    except OSError:
        return True
    finally:
        os.close(handle)
    return bool(_LOCK.unpack(found)[0] != fcntl.F_UNLCK)


def _may_be_of_another_machine(owner: Owner, here: str, folder: Path) -> bool:
    """Whether a process of another boot may run; where one kernel writes alone, that is over."""
    if is_of_this_machine(owner.realm, here):
        return False
    return is_shared_by_machines(filesystem_type(str(folder)))
