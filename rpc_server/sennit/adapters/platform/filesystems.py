"""Tells on what kind of file system a path lies."""

from __future__ import annotations

import os
import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

# proc(5) on mountinfo: space, tab, newline and backslash are written as three octal digits.
_ESCAPE = re.compile(rb"\\([0-7]{3})")
_MOUNT_POINT = 4
_MOUNT_OF_FILE = b"mnt_id:"


def filesystem_type(path: str, mounts: str = "/proc/self/mountinfo") -> str:
    """The kernel's name of the file system that holds a path, such as ``ext4`` or ``nfs4``.

    Empty when the table of mounts does not tell. Raises OSError when it cannot be read.
    """
    real = os.fsencode(os.path.realpath(path))
    best, name = -1, b""
    for point, kind in _mounts(mounts):
        # Of two mounts on one folder the later one hides the earlier.
        if _holds(point, real) and len(point) >= best:
            best, name = len(point), kind
    return name.decode("ascii", "replace")


def mount_of(descriptor: int) -> int | None:
    """The mount that an open file lies on: a bind mount is another one of the same file system.

    None where the system does not tell (proc(5), fdinfo), so that there any two are equal.
    """
    try:
        with open(f"/proc/self/fdinfo/{descriptor}", "rb") as lines:  # noqa: PTH123  as below
            for line in lines:
                if line.startswith(_MOUNT_OF_FILE):
                    return int(line.removeprefix(_MOUNT_OF_FILE))
    except FileNotFoundError:
        return None
    return None


def _holds(point: bytes, path: bytes) -> bool:
    return path == point or path.startswith(point.rstrip(b"/") + b"/")


def _mounts(table: str) -> Iterator[tuple[bytes, bytes]]:
    with open(table, "rb") as lines:  # noqa: PTH123  this package imports built-in parts only
        for line in lines:
            before, _, after = line.partition(b" - ")
            point = before.split(b" ")[_MOUNT_POINT]
            yield _ESCAPE.sub(lambda m: bytes([int(m[1], 8)]), point), after.split(b" ", 1)[0]
