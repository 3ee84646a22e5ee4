"""Copies files that never change under their names, sharing blocks where the file system can."""

from __future__ import annotations

import fcntl
import os
import secrets
import shutil
from typing import TYPE_CHECKING

from attrs import frozen

from sennit.adapters.git.files import clear_away

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path
    from typing import BinaryIO

# Linux's request to share the blocks of a file with its copy, from linux/fs.h.
_FICLONE = 0x40049409
_BEGUN = "tmp_obj_"
"""Git's own name for what is not complete, so that what a killed process left is known as such."""
_READ_ONLY = 0o444
_LEAST_FREE = 2 << 30


@frozen
class FileCopy:
    """One file to copy: where it is, where the copy goes, its size in bytes."""

    source: Path
    target: Path
    size: int
    to_the_disk: bool = False


@frozen
class NoRoom:
    """Nothing was copied: so many bytes are needed, and no more than ``room`` may be used."""

    needed: int
    room: int


def copy_content(old: BinaryIO, new: BinaryIO) -> None:
    """Give an empty file the content of another one."""
    try:
        fcntl.ioctl(new, _FICLONE, old.fileno())
    except OSError:
        # Another file system, or one that shares no blocks.
        shutil.copyfileobj(old, new)


def copy_files(copies: Sequence[FileCopy], room: int) -> NoRoom | None:
    """Make or replace each target as a whole, with the times of its source, for reading only.

    Not begun unless all have room: in ``room`` bytes, and on the disk with something to spare.
    Raises OSError: FileNotFoundError when a source is gone by now.
    """
    if not copies:
        return None
    needed = sum(one.size for one in copies)
    disk = os.statvfs(copies[0].target.parent)
    free = disk.f_bavail * disk.f_frsize - min(needed, _LEAST_FREE)
    if needed > min(room, free):
        return NoRoom(needed, max(0, min(room, free)))
    for one in copies:
        _copy(one)
    return None


def _copy(one: FileCopy) -> None:
    beside = one.target.with_name(_BEGUN + secrets.token_hex(6))
    with one.source.open("rb") as old:
        status = os.fstat(old.fileno())
        try:
            with beside.open("xb") as new:
                copy_content(old, new)
                os.fchmod(new.fileno(), _READ_ONLY)
                if one.to_the_disk:
                    new.flush()
                    os.fsync(new.fileno())
            os.utime(beside, ns=(status.st_atime_ns, status.st_mtime_ns))
            beside.replace(one.target)
        except OSError as error:
            clear_away(beside)
            # What a write was refused says of which file only here.
            error.filename = error.filename or os.fspath(one.target)
            raise
