"""Enters a user and mount namespace of one's own, mounts in it, and gives up what it gave."""
# The launcher loads this module, and importing pathlib would take 10 ms of each start.
# ruff: noqa: PTH123

from __future__ import annotations

import ctypes
import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

_NEW_USER: Final = 0x10000000
_NEW_MOUNTS: Final = 0x00020000
_RECURSIVELY: Final = 0x4000
_PRIVATE: Final = 0x40000
_NO_DEVICES: Final = 4
_NO_SET_ID: Final = 2
_CAPABILITY_BOUND_DROP: Final = 24
_NO_NEW_PRIVILEGES: Final = 38
_CAPABILITIES_VERSION: Final = 0x20080522
_LIBC: Final = ctypes.CDLL(None, use_errno=True)


def enter() -> None:
    """Move this process, of one thread, into namespaces in which it may mount.

    Its user and group stay what they are; no other can be told apart there. Nothing that is
    mounted there is seen outside. Raises OSError.
    """
    user, group = os.geteuid(), os.getegid()
    _checked(_LIBC.unshare(_NEW_USER | _NEW_MOUNTS), "unshare")
    _write("/proc/self/setgroups", "deny")
    _write("/proc/self/uid_map", f"{user} {user} 1")
    _write("/proc/self/gid_map", f"{group} {group} 1")
    _mount(b"none", b"/", None, _RECURSIVELY | _PRIVATE, None)


def mount_overlay(lower: bytes, upper: bytes, work: bytes, at: bytes) -> None:
    """Mount ``lower`` with what differs from it, ``upper``, at a folder, which may be ``upper``.

    ``work`` is an empty folder on the file system of ``upper``. Raises OSError.
    """
    folders = [os.open(each, os.O_PATH | os.O_DIRECTORY) for each in (lower, upper, work)]
    try:
        # By descriptor: the kernel would read commas and colons of a path as its own.
        places = (b"/proc/self/fd/%d" % each for each in folders)
        options = b"lowerdir=%b,upperdir=%b,workdir=%b,userxattr" % tuple(places)
        _mount(b"overlay", at, b"overlay", _NO_SET_ID | _NO_DEVICES, options)
    finally:
        for each in folders:
            os.close(each)


def give_up_capabilities() -> None:
    """Give up, for this process and all that it starts, what being in a namespace allows."""
    capability = 0
    while _LIBC.prctl(_CAPABILITY_BOUND_DROP, capability, 0, 0, 0) == 0:
        capability += 1
    gain_no_privileges()
    header = (ctypes.c_uint32 * 2)(_CAPABILITIES_VERSION, 0)
    _checked(_LIBC.capset(header, (ctypes.c_uint32 * 6)()), "capset")


def gain_no_privileges() -> None:
    """Have no program that this thread starts gain anything (set-user-ID). Raises OSError."""
    _checked(_LIBC.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0), "prctl")


def _mount(source: bytes, at: bytes, kind: bytes | None, flags: int, options: bytes | None) -> None:
    done = _LIBC.mount(source, at, kind, ctypes.c_ulong(flags), options)
    _checked(done, f"mount {source.decode()}")


def _write(path: str, content: str) -> None:
    with open(path, "w", encoding="ascii") as file:
        file.write(content)


def _checked(result: int, call: str) -> None:
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), call)
