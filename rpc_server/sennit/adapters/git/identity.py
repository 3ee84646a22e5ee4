"""Decides whether a folder is the very one that we made, which is what it may be deleted for.

Device and inode do not tell: a folder that somebody puts where a removed one was is often given its
inode, and the number of a device may be another one after each start of the machine (btrfs, device
mapper). So its birth is compared (see `platform.births`); where that is a time, the device is not.
Where a file system keeps no birth, device and inode have to do, with the marker of the place that
folders are made in (`records.MARKER`).
"""

from __future__ import annotations

import errno
import os
import stat
from typing import TYPE_CHECKING

from attrs import frozen

from sennit.adapters.platform.births import birth_at, birth_of, is_time

if TYPE_CHECKING:
    from pathlib import Path


@frozen
class Identity:
    """What tells a folder from every other one; ``birth`` is empty where nothing is known of it."""

    device: int
    inode: int
    birth: str = ""

    def is_that_of(self, found: Identity) -> bool:
        """Tell whether the folder that was found is the one of which this was kept.

        One that was kept without a birth is of a file system that keeps none, or of a record
        written before births were.
        """
        if self.inode != found.inode or self.birth not in {"", found.birth}:
            return False
        return is_time(self.birth) or self.device == found.device


UNBORN = Identity(0, 0)
"""That of a folder which is about to be made; no folder has it."""


def identity_at(folder: Path | bytes, parent: int | None = None) -> Identity:
    """Give the identity of a folder at a path, or in an open one; links are not followed.

    Raises FileNotFoundError, and NotADirectoryError where something else lies there.
    """
    name = os.fsencode(folder)
    status = os.lstat(name, dir_fd=parent)
    if not stat.S_ISDIR(status.st_mode):
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), name)
    return Identity(status.st_dev, status.st_ino, birth_at(name, parent))


def identity_of(descriptor: int) -> Identity:
    """Give the identity of an open folder."""
    status = os.fstat(descriptor)
    return Identity(status.st_dev, status.st_ino, birth_of(descriptor))
