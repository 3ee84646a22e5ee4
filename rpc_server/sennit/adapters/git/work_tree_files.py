"""Files of a work tree by folder descriptors: no link is ever followed on the way.

A path is walked one name at a time from an open work tree, so that a folder which somebody
replaces by a link, even in the middle of the work, leads nowhere else.
"""

from __future__ import annotations

import errno
import os
import stat
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from hashlib import sha256
from typing import TYPE_CHECKING

from attrs import frozen

from sennit.core.disk_application import DiskKind, OnDisk, PathTrouble, Trouble

if TYPE_CHECKING:
    from collections.abc import Iterator

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_CHUNK = 1 << 20


@frozen
class Stopped(Exception):  # noqa: N818  it carries a value to the one place that answers with it
    """A path cannot be used; never leaves the modules that write to work trees."""

    trouble: PathTrouble


@frozen
class Folder:
    """A folder lies at the path; ``names`` is what it holds."""

    names: tuple[bytes, ...]


@frozen
class Special:
    """A socket, pipe or device lies at the path."""


Found = OnDisk | Folder | Special | None


@contextmanager
def opened_root(work_tree: bytes) -> Iterator[int]:
    """Hold the work tree open; the descriptor is what all paths start from."""
    root = os.open(work_tree, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield root
    finally:
        os.close(root)


@contextmanager
def opened_folder(root: int, path: bytes) -> Iterator[int | None]:
    """Hold the folder of a path open; None where there is none. A link on the way stops."""
    with ExitStack() as held:
        folder = root
        walked: list[bytes] = []
        for name in path.split(b"/")[:-1]:
            walked.append(name)
            below = _entered(folder, name, b"/".join(walked))
            if below is None:
                yield None
                return
            held.callback(os.close, below)
            folder = below
        yield folder


def _entered(folder: int, name: bytes, path: bytes) -> int | None:
    try:
        return os.open(name, _FOLDER, dir_fd=folder)
    except FileNotFoundError:
        return None
    except OSError as error:
        if error.errno not in {errno.ENOTDIR, errno.ELOOP}:
            raise
    if stat.S_ISLNK(os.lstat(name, dir_fd=folder).st_mode):
        said = "it is a link, and what lies behind it is not part of this work tree"
        raise Stopped(PathTrouble(path, Trouble.THROUGH_LINK, said))
    return None


def make_folders(root: int, path: bytes) -> None:
    """Make the folders above a path that are missing."""
    parts = path.split(b"/")[:-1]
    for count in range(1, len(parts) + 1):
        folder_path = b"/".join(parts[:count])
        with opened_folder(root, folder_path) as above:
            if above is not None:
                with suppress(FileExistsError):
                    os.mkdir(parts[count - 1], 0o777, dir_fd=above)


def look(root: int, path: bytes) -> Found:
    """Tell what lies at a path, reading files whole."""
    with opened_folder(root, path) as folder:
        return None if folder is None else look_in(folder, path.rpartition(b"/")[2])


def look_in(folder: int, name: bytes) -> Found:
    """Tell what lies at a name of an open folder, reading files whole."""
    try:
        status = os.lstat(name, dir_fd=folder)
    except FileNotFoundError:
        return None
    if stat.S_ISLNK(status.st_mode):
        target = os.readlink(name, dir_fd=folder)
        return OnDisk(DiskKind.LINK, sha256(target).hexdigest())
    if stat.S_ISDIR(status.st_mode):
        handle = os.open(name, _FOLDER, dir_fd=folder)
        try:
            return Folder(tuple(os.fsencode(one) for one in os.listdir(handle)))  # noqa: PTH208  a descriptor is no path
        finally:
            os.close(handle)
    if not stat.S_ISREG(status.st_mode):
        return Special()
    handle = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
    with os.fdopen(handle, "rb") as file:
        permissions = stat.S_IMODE(os.fstat(handle).st_mode)
        digest = sha256()
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
    return OnDisk(DiskKind.FILE, digest.hexdigest(), permissions)


def read_in(folder: int, name: bytes) -> bytes:
    """Give the bytes of a file, or the target of a link, in an open folder."""
    if stat.S_ISLNK(os.lstat(name, dir_fd=folder).st_mode):
        return os.readlink(name, dir_fd=folder)
    handle = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
    with os.fdopen(handle, "rb") as file:
        return file.read()


def write_beside(
    folder: int, name: bytes, content: bytes, image: OnDisk, *, modes: bool = True
) -> None:
    """Write a new file or link; `force` brings it to the disk.

    ``modes`` tells whether the disk keeps modes; one that does not may refuse to take any.
    """
    with suppress(FileNotFoundError):
        os.unlink(name, dir_fd=folder)
    match image.kind:
        case DiskKind.LINK:
            os.symlink(content, name, dir_fd=folder)
        case DiskKind.FILE:
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
            handle = os.open(name, flags, 0o600, dir_fd=folder)
            with os.fdopen(handle, "wb") as file:
                file.write(content)
                file.flush()
                with nullcontext() if modes else suppress(OSError):
                    os.fchmod(handle, image.permissions)


def force(folder: int, name: bytes) -> None:
    """Force the content of a new file to the disk; a link has none."""
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        handle = os.open(name, flags, dir_fd=folder)
    except OSError as error:
        if error.errno != errno.ELOOP:
            raise
        return
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def put_in_place(folder: int, beside: bytes, name: bytes, replaced: OnDisk | None) -> None:
    """Give the file its name: over what it replaces, but never over what came meanwhile."""
    if replaced is not None:
        os.rename(beside, name, src_dir_fd=folder, dst_dir_fd=folder)
    else:
        _link_or_rename(folder, beside, name)


def _link_or_rename(folder: int, beside: bytes, name: bytes) -> None:
    try:
        os.link(beside, name, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)
    except OSError as error:
        if error.errno not in {errno.EPERM, errno.ENOTSUP, errno.EMLINK, errno.ENOSYS}:
            raise
        # A file system without hard links: the look right before has to do.
        os.rename(beside, name, src_dir_fd=folder, dst_dir_fd=folder)
    else:
        os.unlink(beside, dir_fd=folder)


def remove_empty_folders(root: int, path: bytes) -> None:
    """Remove the folders above a path as far as they are empty, as git does."""
    parts = path.split(b"/")[:-1]
    while parts:
        with opened_folder(root, b"/".join(parts)) as above:
            if above is None:
                return
            try:
                os.rmdir(parts[-1], dir_fd=above)
            except OSError:
                # Not empty, a mount point, somebody's current folder: it stays.
                return
        parts.pop()


def remove_folder_if_empty(root: int, path: bytes) -> bool:
    """Remove one folder if it is there and empty; those above it stay. Tell whether it is gone."""
    with suppress(OSError, Stopped), opened_folder(root, path) as above:
        if above is not None:
            os.rmdir(path.rpartition(b"/")[2], dir_fd=above)
            return True
    return False
