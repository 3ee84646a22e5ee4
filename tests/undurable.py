"""Lets this process and all that it starts go on without waiting for the disk.

Whether bytes have reached the disk shows when the power fails, which no test can have: what a kill
leaves is in the system's memory either way. Tests waited for it half of their time. The calls are
made as ever, and tests that kill at them do so; the kernel answers them at once.
With ``SENNIT_DURABLE=1`` in the environment everything waits.
"""

from __future__ import annotations

import ctypes
import os
import platform
import shutil
import stat
import struct
import sys
from pathlib import Path

_PR_SET_NO_NEW_PRIVS = 38
_PR_SET_SECCOMP = 22
_MODE_FILTER = 2
_LOAD, _JUMP_IF_EQUAL, _RETURN = 0x20, 0x15, 0x06
_ALLOW, _ANSWER_0 = 0x7FFF0000, 0x00050000
_NUMBER_AT, _ARCHITECTURE_AT = 0, 4
# fsync, fdatasync, sync, syncfs, sync_file_range
_CALLS = {
    "x86_64": (0xC000003E, (74, 75, 162, 306, 277)),
    "aarch64": (0xC00000B7, (82, 83, 81, 267, 84)),
}


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_char_p))


def wait_for_no_disk() -> bool:
    """Have ``fsync`` and its like succeed without work; false where that cannot be had."""
    known = _CALLS.get(platform.machine())
    if sys.platform != "linux" or known is None or os.environ.get("SENNIT_DURABLE") == "1":
        return False
    program = _filter(*known)
    libc = ctypes.CDLL(None)
    if os.geteuid() != 0 and (_is_privileged("bwrap") or not _gives_up_privileges(libc)):
        return False
    wanted = _Program(len(program) // 8, program)
    return bool(libc.prctl(_PR_SET_SECCOMP, _MODE_FILTER, ctypes.byref(wanted), 0, 0) == 0)


def _is_privileged(name: str) -> bool:
    """Whether a program needs the rights of its owner, which it would not get any more."""
    found = shutil.which(name)
    return found is not None and bool(Path(found).stat().st_mode & stat.S_ISUID)


def _gives_up_privileges(libc: ctypes.CDLL) -> bool:
    return bool(libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0)


def _filter(architecture: int, calls: tuple[int, ...]) -> bytes:
    def line(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
        return struct.pack("HBBI", code, if_true, if_false, value)

    allow = len(calls)
    return b"".join(
        (
            line(_LOAD, _ARCHITECTURE_AT),
            line(_JUMP_IF_EQUAL, architecture, 0, allow + 1),
            line(_LOAD, _NUMBER_AT),
            *(line(_JUMP_IF_EQUAL, call, allow - place, 0) for place, call in enumerate(calls)),
            line(_RETURN, _ALLOW),
            line(_RETURN, _ANSWER_0),
        )
    )
