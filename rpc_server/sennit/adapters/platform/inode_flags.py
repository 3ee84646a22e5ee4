"""Reads the flags that programs set on a folder (chattr), some of which it passes on."""

from __future__ import annotations

import fcntl
import struct
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

# FS_IOC_GETFLAGS of linux/fs.h, _IOR('f', 1, long), which gives an int nevertheless.
_GET_FLAGS: Final = 0x80006601 | struct.calcsize("@l") << 16
_FLAGS: Final = struct.Struct("@I4x")
# Of those of linux/fs.h: secrm, unrm, compr, sync, immutable, append, nodump, noatime, then
# journal-data, notail, dirsync, nocow, dax, projinherit, casefold. The others tell how it is
# stored, or are not passed on and say nothing (topdir).
_SET_BY_PROGRAMS: Final = 0xFF | 0x1C000 | 0x800000 | 0x2000000 | 0x20000000 | 0x40000000


def flags_of(descriptor: int) -> int:
    """Give the flags of an open folder; 0 where its file system has none, or cannot tell."""
    if sys.platform != "linux":
        return 0
    answer = bytearray(_FLAGS.size)
    try:
        fcntl.ioctl(descriptor, _GET_FLAGS, answer)
    except OSError:
        # No such request for this file system (ENOTTY, and others in stacked ones).
        return 0
    return int(_FLAGS.unpack(answer)[0]) & _SET_BY_PROGRAMS
