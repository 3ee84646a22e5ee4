"""Tells one folder from a later one that was given the same inode: by when it was born.

File systems give the inode of a removed folder to the next one, often at once. The time of birth
is set by the kernel alone, to its tick of a few milliseconds, and stays with a folder when it is
renamed; where a file system keeps none, it may keep a generation, a number that is drawn anew each
time an inode is used again.
"""

from __future__ import annotations

import fcntl
import os
import struct
import sys

from sennit.adapters.platform.statx import EMPTY_PATH, HERE, IS_THERE, NO_FOLLOW, statx

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

_BORN: Final = "born "
# STATX_BTIME of linux/stat.h, and where it is in the answer.
_BIRTH_ASKED: Final = 0x800
_BIRTH: Final = struct.Struct("=qI")
_BIRTH_AT: Final = 80
# FS_IOC_GETVERSION of linux/fs.h, _IOR('v', 1, long), which gives an int nevertheless.
_GET_GENERATION: Final = 0x80007601 | struct.calcsize("@l") << 16
_GENERATION: Final = struct.Struct("@I4x")
_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


def birth_at(name: bytes, parent: int | None = None) -> str:
    """Give what tells a folder from later ones with its inode; links are not followed.

    Empty where the file system keeps nothing of the kind. ``parent`` is an open folder that
    ``name`` lies in. Raises FileNotFoundError and NotADirectoryError.
    """
    born = _born(HERE if parent is None else parent, name, NO_FOLLOW)
    return born or _generation_at(name, parent)


def is_time(birth: str) -> bool:
    """Tell whether it is a time, which is the same only once on all file systems of a machine."""
    return birth.startswith(_BORN)


def birth_of(descriptor: int) -> str:
    """Give the same of an open folder."""
    return _born(descriptor, b"", EMPTY_PATH) or _generation(descriptor)


def _born(folder: int, name: bytes, flags: int) -> str:
    if not IS_THERE:
        return _born_elsewhere(folder, name)
    found = statx(folder, name, flags, _BIRTH_ASKED)
    if found is None:
        return ""
    seconds, nanoseconds = _BIRTH.unpack_from(found, _BIRTH_AT)
    return f"{_BORN}{seconds}.{nanoseconds:09}"


def _born_elsewhere(folder: int, name: bytes) -> str:
    """MacOS and the BSDs tell it with the other times."""
    above = None if folder == HERE else folder
    status = os.lstat(name, dir_fd=above) if name else os.fstat(folder)
    seconds = getattr(status, "st_birthtime", None)
    return "" if seconds is None else f"{_BORN}{seconds:.9f}"


def _generation_at(name: bytes, parent: int | None) -> str:
    try:
        descriptor = os.open(name, _FOLDER, dir_fd=parent)
    except PermissionError:
        # Somebody has locked it: then it is not known to be ours, and stays.
        return ""
    try:
        return _generation(descriptor)
    finally:
        os.close(descriptor)


def _generation(descriptor: int) -> str:
    if sys.platform != "linux":
        return ""
    answer = bytearray(_GENERATION.size)
    try:
        fcntl.ioctl(descriptor, _GET_GENERATION, answer)
    except OSError:
        # No such request for this file system (ENOTTY, and others in stacked ones).
        return ""
    return f"generation {_GENERATION.unpack(answer)[0]}"
