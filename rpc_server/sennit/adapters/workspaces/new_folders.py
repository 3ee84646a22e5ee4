"""Tells whether a folder is as a new one would be there: what comes into it goes by that.

Who may do what in it, what is made there inherits, and what else may be kept with a folder: none of
it shows in what the folder holds.
"""

from __future__ import annotations

import errno
import os
import stat
import sys
from typing import TYPE_CHECKING

from attrs import evolve, frozen

from sennit.adapters.platform.inode_flags import flags_of
from sennit.adapters.workspaces.rules import umask

if TYPE_CHECKING:
    from pathlib import Path

TOP_MODE = 0o700
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_OWN, _GIVEN = "system.posix_acl_access", "system.posix_acl_default"
_NO_LIST = frozenset({errno.ENODATA, errno.ENOTSUP})
_OF_THE_SYSTEM = ("system.", "security.")
"""Lists of access, which are compared, and labels, which no agent sets."""


@frozen
class New:
    """What a new folder is like somewhere: its mode, owner and flags, and what it gives to others.

    ``owners`` and ``groups`` are those that it may have, by how the disk is mounted.
    """

    mode: int
    owners: frozenset[int]
    groups: frozenset[int]
    flags: int
    access: bytes | None


def new_in(parent: Path) -> New:
    """Tell what a new folder in another one is like. Raises OSError."""
    folder = os.open(parent, _FOLDER)
    try:
        status = os.fstat(folder)
        group = status.st_mode & stat.S_ISGID
        return New(
            mode=0o777 & ~umask() | group,
            owners=frozenset({status.st_uid, os.geteuid()}),
            groups=frozenset({status.st_gid} if group else {status.st_gid, os.getegid()}),
            flags=flags_of(folder),
            access=_access(folder, _GIVEN),
        )
    finally:
        os.close(folder)


def make_as_new(top: int, new: New, where: bytes) -> None:
    """Put right what may be right, for the top folder cannot be made anew; raises OSError."""
    for name in (_GIVEN, _OWN):
        if new.access is None and _access(top, name) is not None:
            os.removexattr(top, name)
    mode = TOP_MODE | new.mode & stat.S_ISGID
    os.fchmod(top, mode)
    if not is_new(os.fstat(top), top, evolve(new, mode=mode)):
        said = "its mode, owner, flags, attributes or list of access are not those of a new folder"
        raise PermissionError(errno.EPERM, said, where)


def is_new(status: os.stat_result, folder: int, new: New) -> bool:
    """Tell whether an open folder, whose status is given, is as a new one. Raises OSError."""
    if (
        stat.S_IMODE(status.st_mode) != new.mode
        or status.st_uid not in new.owners
        or status.st_gid not in new.groups
        or flags_of(folder) != new.flags
        or _access(folder, _GIVEN) != new.access
        or _has_attributes(folder)
    ):
        return False
    return new.access is not None or _access(folder, _OWN) is None


def _access(folder: int, name: str) -> bytes | None:
    """Read a list of access of an open folder; None where it has none, or its disk knows none."""
    if sys.platform != "linux":
        return None
    try:
        return os.getxattr(folder, name)
    except OSError as error:
        if error.errno in _NO_LIST:
            return None
        raise


def _has_attributes(folder: int) -> bool:
    """Whether anybody put attributes of their own to it; they may hold any bytes."""
    if sys.platform != "linux":
        return False
    try:
        return any(not name.startswith(_OF_THE_SYSTEM) for name in os.listxattr(folder))
    except OSError as error:
        if error.errno in _NO_LIST:
            return False
        raise
