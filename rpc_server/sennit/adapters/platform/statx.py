"""Asks the kernel what ``os.stat`` does not tell: statx(2), in Python from 3.15 on."""

from __future__ import annotations

import ctypes
import errno
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

HERE: Final = -100
NO_FOLLOW: Final = 0x100
NO_AUTOMOUNT: Final = 0x800
EMPTY_PATH: Final = 0x1000
"""Flags of linux/fcntl.h, and the folder that relative names begin at."""

# The layout is fixed for all machines, by linux/stat.h.
_SIZE: Final = 256
_LIBC: Final = ctypes.CDLL(None, use_errno=True)
_CALL: Final = getattr(_LIBC, "statx", None)
IS_THERE: Final = _CALL is not None
"""Whether the system's library has the call."""


def statx(folder: int, name: bytes, flags: int, asked: int) -> bytes | None:
    """Give the kernel's answer about a name in an open folder, of which ``asked`` is a part.

    None where the kernel does not tell that, or some container forbids the call. Raises
    FileNotFoundError and NotADirectoryError.
    """
    if _CALL is None:
        return None
    found = ctypes.create_string_buffer(_SIZE)
    if _CALL(folder, name, flags | NO_AUTOMOUNT, asked, found) != 0:
        code = ctypes.get_errno()
        if code in {errno.ENOENT, errno.ENOTDIR}:
            raise OSError(code, os.strerror(code), name)
        return None
    return found.raw if int.from_bytes(found.raw[:4], sys.byteorder) & asked else None
