"""Copies a kept checkout file by file, sharing blocks where the file system can (FICLONE)."""

from __future__ import annotations

import errno
import fcntl
import os
import stat
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from sennit.adapters.git.disk import below
from sennit.adapters.git.index_file import entries_of, with_stats

if TYPE_CHECKING:
    from collections.abc import Callable


# Linux's request to share the blocks of a file with its copy, from linux/fs.h.
_FICLONE = 0x40049409
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC
_WRITE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_NO_CLONES = "no way to share blocks is known for this system"


def clone_file(source: bytes, target: bytes, mode: int) -> os.stat_result:
    """Copy a file by sharing its blocks; gives the status of the copy. Raises OSError."""
    if sys.platform == "darwin":
        return _cloned_by_name(source, target)
    read = os.open(source, _READ)
    try:
        write = os.open(target, _WRITE, mode)
        try:
            fcntl.ioctl(write, _FICLONE, read)
            return os.fstat(write)
        finally:
            os.close(write)
    finally:
        os.close(read)


def _cloned_by_name(source: bytes, target: bytes) -> os.stat_result:
    """macOS: ``clonefile`` of the C library makes the copy with its mode and times."""
    import ctypes  # noqa: PLC0415  only where this is the way

    library = ctypes.CDLL(None, use_errno=True)
    clone = getattr(library, "clonefile", None)
    if clone is None:
        raise OSError(errno.ENOTSUP, _NO_CLONES, os.fsdecode(target))
    if clone(source, target, 0) != 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code), os.fsdecode(target))
    return os.lstat(target)


def clone_checkout(
    source: Path,
    index: Path,
    target: Path,
    object_format: str,
    copy: Callable[[bytes, bytes, int], os.stat_result] = clone_file,
) -> bytes:
    """Copy every file that an index names from one folder into an empty one.

    Gives the index of the copy: the same entries with the stat data of the new files, so that an
    edit shows by its change time, as after a checkout. Raises OSError and `UnknownIndexError`.
    ``copy`` copies one file, with a mode that the mask of the process still narrows.
    """
    content = index.read_bytes()
    here, there = os.fsencode(source), os.fsencode(target)
    made: set[bytes] = {b""}
    stats: dict[int, os.stat_result] = {}
    for entry in entries_of(content, object_format):
        if entry.absent:
            continue
        _make_folders(there, entry.path.rpartition(b"/")[0], made)
        if entry.is_submodule:
            _make_folders(there, entry.path, made)
            continue
        source_file, target_file = below(here, entry.path), below(there, entry.path)
        # Where core.symlinks is false the text of a link lies there in a file.
        if entry.is_link and Path(os.fsdecode(source_file)).is_symlink():
            stats[entry.offset] = _link_copied(source_file, target_file)
        else:
            program = bool(entry.mode & stat.S_IXUSR)
            stats[entry.offset] = copy(source_file, target_file, 0o777 if program else 0o666)
    return with_stats(content, stats, object_format)


def _make_folders(there: bytes, folder: bytes, made: set[bytes]) -> None:
    missing = []
    while folder not in made:
        missing.append(folder)
        folder = folder.rpartition(b"/")[0]
    for one in reversed(missing):
        Path(os.fsdecode(below(there, one))).mkdir(exist_ok=True)
        made.add(one)


def _link_copied(source: bytes, target: bytes) -> os.stat_result:
    os.symlink(os.readlink(source), target)  # noqa: PTH115, PTH211  bytes
    return os.lstat(target)
