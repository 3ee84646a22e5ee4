"""Hears of the renames of programs before the kernel does them (seccomp user notification).

Numbers and layouts are those of the kernel's ``seccomp.h``, ``filter.h`` and ``audit.h``.
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import os
import struct

from sennit.adapters.platform.namespaces import gain_no_privileges

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

_SYSCALL: Final = {"x86_64": 317, "aarch64": 277}
_ARCHITECTURE: Final = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_RENAME: Final = {"x86_64": 82}
_RENAME_AT: Final = {"x86_64": 264, "aarch64": 38}
_RENAME_AT_2: Final = {"x86_64": 316, "aarch64": 276}

_SET_MODE_FILTER: Final = 1
_NEW_LISTENER: Final = 1 << 3
_WAIT_KILLABLE: Final = 1 << 5
"""A caller that we work for is not interrupted by signals but the deadly ones; Linux 5.19."""

_LOAD: Final = 0x20
_EQUALS: Final = 0x15
_RETURN: Final = 0x06
_ALLOW: Final = 0x7FFF0000
_NOTIFY: Final = 0x7FC00000
_NUMBER_AT: Final = 0
_ARCHITECTURE_AT: Final = 4

_RECEIVE: Final = 0xC0502100
_SEND: Final = 0xC0182101
_IS_VALID: Final = 0x40082102
_NOTIFICATION: Final = struct.Struct("=QIIiIQ6Q")
_ANSWER: Final = struct.Struct("=Qqii")
_GO_ON: Final = 1

_HERE: Final = ctypes.c_int(-100).value
"""AT_FDCWD: paths are relative to the current folder."""
_MACHINE: Final = os.uname().machine
_LIBC: Final = ctypes.CDLL(None, use_errno=True)
_LIBC.syscall.restype = ctypes.c_long


class Rename:
    """A rename that a thread asked for and waits for. Folders are descriptors of its own.

    ``old`` and ``new`` are addresses of paths in its memory.
    """

    __slots__ = ("flags", "identity", "new", "new_folder", "old", "old_folder", "thread")

    def __init__(self, identity: int, thread: int, call: tuple[int, int, int, int, int]) -> None:
        self.identity: Final = identity
        self.thread: Final = thread
        self.old_folder, self.old, self.new_folder, self.new, self.flags = call


def watch_renames() -> int:
    """Have this thread, and all that it starts from now on, ask before they rename.

    Gives the descriptor that is asked. Threads that ran before do not ask, so one of them has
    to answer. Raises OSError: the kernel or this kind of machine cannot do it.
    """
    if _MACHINE not in _SYSCALL:
        raise OSError(errno.ENOSYS, f"not known for {_MACHINE}", "seccomp")
    gain_no_privileges()
    program = _program()
    code = ctypes.create_string_buffer(program, len(program))
    header = struct.pack("@HP", len(program) // 8, ctypes.addressof(code))
    flags = _NEW_LISTENER | _WAIT_KILLABLE
    number = ctypes.c_long(_SYSCALL[_MACHINE])
    listener: int = _LIBC.syscall(number, _SET_MODE_FILTER, flags, header)
    if listener < 0:
        failed = ctypes.get_errno()
        raise OSError(failed, os.strerror(failed), "seccomp")
    return listener


def next_rename(listener: int) -> Rename | None:
    """Wait for somebody who asks; None when whoever it was is gone, or a signal came."""
    buffer = bytearray(_NOTIFICATION.size)
    try:
        fcntl.ioctl(listener, _RECEIVE, buffer, True)
    except (FileNotFoundError, InterruptedError):
        return None
    identity, thread, _, number, _, _, *arguments = _NOTIFICATION.unpack(buffer)
    return Rename(identity, thread, _call(number, arguments))


def still_waits(listener: int, asked: Rename) -> bool:
    """Tell whether the thread still waits, so that what its number leads to is really its own."""
    try:
        fcntl.ioctl(listener, _IS_VALID, struct.pack("=Q", asked.identity))
    except FileNotFoundError:
        return False
    return True


def let_go_on(listener: int, asked: Rename) -> None:
    """Have the kernel do what was asked for."""
    _send(listener, _ANSWER.pack(asked.identity, 0, 0, _GO_ON))


def answer(listener: int, asked: Rename, number: int) -> None:
    """Tell that it is done (0) or which error there was."""
    _send(listener, _ANSWER.pack(asked.identity, 0, -number, 0))


def read_path(asked: Rename, address: int) -> bytes:
    """Read a path in the memory of the thread that asked. Raises OSError."""
    memory = os.open(f"/proc/{asked.thread}/mem", os.O_RDONLY | os.O_CLOEXEC)
    try:
        path, end, _ = os.pread(memory, 4096, address).partition(b"\0")
    finally:
        os.close(memory)
    if not end:
        raise OSError(errno.ENAMETOOLONG, os.strerror(errno.ENAMETOOLONG))
    return path


def rename(old: bytes, new: bytes, flags: int) -> int:
    """Rename as ``renameat2`` does; 0 or the number of the error."""
    number = ctypes.c_long(_RENAME_AT_2[_MACHINE])
    done: int = _LIBC.syscall(number, _HERE, old, _HERE, new, ctypes.c_uint(flags))
    return 0 if done == 0 else ctypes.get_errno()


def place_of(asked: Rename, folder: int, path: bytes) -> bytes:
    """Say how this process reaches a path of the thread that asked."""
    if path.startswith(b"/"):
        return b"/proc/%d/root%b" % (asked.thread, path)
    if folder == _HERE:
        return b"/proc/%d/cwd/%b" % (asked.thread, path)
    return b"/proc/%d/fd/%d/%b" % (asked.thread, folder, path)


def _call(number: int, arguments: list[int]) -> tuple[int, int, int, int, int]:
    if number == _RENAME.get(_MACHINE):
        return _HERE, arguments[0], _HERE, arguments[1], 0
    flags = arguments[4] & 0xFFFFFFFF if number == _RENAME_AT_2[_MACHINE] else 0
    folders = (ctypes.c_int(arguments[0]).value, ctypes.c_int(arguments[2]).value)
    return folders[0], arguments[1], folders[1], arguments[3], flags


def _send(listener: int, reply: bytes) -> None:
    try:
        fcntl.ioctl(listener, _SEND, reply)
    except FileNotFoundError:
        # Whoever asked was killed meanwhile.
        return


def _program() -> bytes:
    """The filter: renames are asked for; all else, and other ABIs, go to the kernel at once."""
    asked = [table[_MACHINE] for table in (_RENAME, _RENAME_AT, _RENAME_AT_2) if _MACHINE in table]
    lines = [
        (_LOAD, 0, 0, _ARCHITECTURE_AT),
        (_EQUALS, 0, len(asked) + 1, _ARCHITECTURE[_MACHINE]),
        (_LOAD, 0, 0, _NUMBER_AT),
    ]
    for left, number in enumerate(reversed(asked)):
        lines.insert(3, (_EQUALS, left + 1, 0, number))
    lines += [(_RETURN, 0, 0, _ALLOW), (_RETURN, 0, 0, _NOTIFY)]
    return b"".join(struct.pack("=HBBI", *line) for line in lines)
