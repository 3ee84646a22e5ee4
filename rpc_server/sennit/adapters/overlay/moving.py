"""Moves a folder that the kernel does not rename, because it is part of a lower layer.

Only folders have to be made anew: the kernel renames files, links and folders of the upper layer,
so that all they are (times, attributes, hard links, who has them open) stays.
"""
# Importing pathlib would take 10 ms of each start.
# ruff: noqa: PTH101, PTH102, PTH104, PTH106, PTH208

from __future__ import annotations

import errno
import os
import stat
from contextlib import suppress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Final

    Undo = tuple[Callable[..., object], tuple[object, ...]]

NO_REPLACE: Final = 1
EXCHANGE: Final = 2
"""Flags of ``renameat2``."""

_ALL_TO_THE_OWNER = 0o700
_CHASES = 16
_BY_KERNEL = frozenset({errno.EXDEV})
_BELOW = frozenset({errno.EXDEV, errno.EACCES})
"""A folder that may not be written to cannot go into another one by itself, only with its own."""
_COPIED = (b"user.", b"system.posix_acl")


def move(old: bytes, new: bytes, flags: int) -> None:
    """Do what ``renameat2`` would do to a folder; when it fails (OSError), nothing has changed.

    Unlike a rename it can be seen half done, and it is slower the more files there are.
    """
    if flags & EXCHANGE:
        _exchange(old, new)
        return
    if not flags & NO_REPLACE and os.path.lexists(new):
        # Only an empty folder may be replaced by one; the kernel says what else is wrong.
        os.rmdir(new)
        _move(old, new, [(os.mkdir, (new,))])
    else:
        _move(old, new, [])


def _exchange(old: bytes, new: bytes) -> None:
    beside = b"%b.%d.exchanged" % (old, os.getpid())
    _move(old, beside, [])
    # It is of the upper layer now, so that the kernel itself takes it back.
    _move(new, old, [(os.rename, (beside, old))])
    _move(beside, new, [])


def _move(old: bytes, new: bytes, undo: list[Undo]) -> None:
    """Move one thing; when it fails all that is in ``undo``, and what it did, is undone."""
    moving = _Moving(undo)
    try:
        moving.entry(old, new, _BY_KERNEL)
        moving.dress()
    except OSError:
        moving.take_back()
        raise
    moving.clear()


class _Moving:
    """One move on its way: what would undo it, and the folders that were made anew."""

    def __init__(self, undo: list[Undo]) -> None:
        self._undo: Final = undo
        self._made: Final[list[tuple[bytes, bytes, os.stat_result]]] = []

    def entry(self, old: bytes, new: bytes, refused: frozenset[int] = _BELOW) -> None:
        """Move whatever lies at ``old``; a folder is made anew where ``refused`` is the answer."""
        try:
            os.rename(old, new)
        except OSError as error:
            if error.errno not in refused or not stat.S_ISDIR(os.lstat(old).st_mode):
                raise
        else:
            self._undo.append((os.rename, (new, old)))
            return
        self._folder(old, new)

    def _folder(self, old: bytes, new: bytes) -> None:
        status = os.lstat(old)
        os.mkdir(new, _ALL_TO_THE_OWNER)
        self._undo.append((os.rmdir, (new,)))
        if status.st_mode & _ALL_TO_THE_OWNER != _ALL_TO_THE_OWNER:
            # A rename asks for no permission on what a folder holds.
            os.chmod(old, _ALL_TO_THE_OWNER)
            self._undo.append((os.chmod, (old, stat.S_IMODE(status.st_mode))))
        self._content(old, new)
        self._made.append((old, new, status))

    def _content(self, old: bytes, new: bytes) -> None:
        for name in os.listdir(old):
            self.entry(old + b"/" + name, new + b"/" + name)

    def dress(self) -> None:
        """Give the new folders what the old ones had: attributes, mode, times; inner ones first."""
        for old, new, status in self._made:
            for name in os.listxattr(old, follow_symlinks=False):
                if os.fsencode(name).startswith(_COPIED):
                    value = os.getxattr(old, name, follow_symlinks=False)
                    os.setxattr(new, name, value, follow_symlinks=False)
            os.chmod(new, stat.S_IMODE(status.st_mode))
            os.utime(new, ns=(status.st_atime_ns, status.st_mtime_ns))

    def clear(self) -> None:
        """Remove the old folders; what somebody put there meanwhile comes along."""
        for old, new, _ in self._made:
            for _ in range(_CHASES):
                with suppress(OSError):
                    # It stays, like what it holds, when it is not empty or somebody's mount.
                    os.rmdir(old)
                    break
                with suppress(OSError):
                    self._content(old, new)

    def take_back(self) -> None:
        """Undo what was done, the last first."""
        for call, arguments in reversed(self._undo):
            # What cannot go back (a full disk) stays where it came to, as with any `mv`.
            with suppress(OSError):
                call(*arguments)
