"""Deletes workspaces: only what is recorded as ours, by folder descriptors, following no link.

A record alone is no licence: the folder must be the very one that was made, in a place that was
marked when it was made there. No mount is crossed, also not one of the same file system; a
subvolume of btrfs is no mount, and whoever works in a folder may make one there.
"""

from __future__ import annotations

import errno
import os
import secrets
import stat
import sys
from enum import StrEnum
from typing import TYPE_CHECKING

from attrs import define, field, frozen

from sennit.adapters.git.files import in_thread
from sennit.adapters.git.identity import UNBORN, Identity, identity_at, identity_of
from sennit.adapters.git.records import (
    MARKER,
    is_alive,
    read_record,
    remove_record,
    work_folder,
)
from sennit.adapters.platform.filesystems import on_one_mount

if TYPE_CHECKING:
    from collections.abc import Callable

    from sennit.adapters.git.records import Record
    from sennit.adapters.git.store import Store
    from sennit.adapters.platform.lives import Owner
    from sennit.core.objects import GitFailed

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_OWNER_MAY_ALL = 0o700
_DEEPEST = 100
"""Levels that are gone down at once, each with an open folder; what is deeper is moved up first."""


class Kept(StrEnum):
    """Why a workspace was not deleted."""

    NOT_OURS = "notOurs"
    REPLACED = "replaced"
    IN_USE = "inUse"
    OTHER_FILE_SYSTEM = "otherFileSystem"
    NOT_REMOVABLE = "notRemovable"


@frozen
class Deleted:
    """The workspace is gone, and so is its record."""


@frozen
class NotDeleted:
    """The workspace, or what is left of it, stays; ``where`` is the path that stood in the way."""

    reason: Kept
    where: bytes


Deletion = Deleted | NotDeleted


async def delete_workspace(store: Store, name: str, by: Owner) -> Deletion | GitFailed:
    """Delete a workspace that its record names and nobody but ``by`` uses.

    The caller has made sure that what it holds is safe. A folder that is gone already counts as
    deleted; one that another took the place of is left alone.
    """
    return await in_thread("delete a workspace", _delete, store, name, by)


def _delete(store: Store, name: str, by: Owner) -> Deletion:
    record = read_record(store, name)
    if record is None:
        return NotDeleted(Kept.NOT_OURS, os.fsencode(name))
    if record.owner != by and is_alive(record.owner, store):
        return NotDeleted(Kept.IN_USE, os.fsencode(record.folder))
    outcome = _remove(record)
    if isinstance(outcome, Deleted) and record.lower:
        outcome = _remove_work_folder(record)
    if isinstance(outcome, Deleted):
        remove_record(store, name)
    return outcome


def _remove_work_folder(record: Record) -> Deletion:
    """Remove what the kernel needed beside a workspace that was mounted."""
    folder = work_folder(record)
    try:
        parent = os.open(folder.parent, _FOLDER)
    except FileNotFoundError:
        return Deleted()
    try:
        where = os.fsencode(folder)
        stopped = remove_tree(parent, os.fsencode(folder.name), where)
    finally:
        os.close(parent)
    return Deleted() if stopped is None else stopped


def _remove(record: Record) -> Deletion:
    try:
        parent = os.open(record.folder.parent, _FOLDER)
    except FileNotFoundError:
        return Deleted()
    try:
        return _remove_below(parent, record)
    finally:
        os.close(parent)


def _remove_below(parent: int, record: Record) -> Deletion:
    name = os.fsencode(record.folder.name)
    where = os.fsencode(record.folder)
    ours = record.identity
    try:
        found = identity_at(name, parent)
    except FileNotFoundError:
        return Deleted()
    except NotADirectoryError:
        found = None
    if not _is_marked(parent):
        return NotDeleted(Kept.NOT_OURS, where)
    if ours == UNBORN:
        return _without_empty(parent, name, where)
    if found is None or not ours.is_that_of(found):
        return NotDeleted(Kept.REPLACED, where)
    stopped = remove_tree(parent, name, where, only=ours)
    return Deleted() if stopped is None else stopped


def _without_empty(parent: int, name: bytes, where: bytes) -> Deletion:
    """Remove the folder of who was killed before it could be noted which one it is."""
    try:
        os.rmdir(name, dir_fd=parent)
    except FileNotFoundError:
        return Deleted()
    except OSError:
        # Nothing was put into it, so this is another one.
        return NotDeleted(Kept.REPLACED, where)
    return Deleted()


def _is_marked(folder: int) -> bool:
    """Tell whether workspaces are made in a folder; see ``records.MARKER``."""
    try:
        status = os.lstat(MARKER, dir_fd=folder)
    except FileNotFoundError:
        return False
    return stat.S_ISREG(status.st_mode) and status.st_uid == os.geteuid()


def remove_tree(
    parent: int, name: bytes, where: bytes, only: Identity | None = None
) -> NotDeleted | None:
    """Remove one folder of an open one, and all below it; the first thing that stays is the answer.

    ``where`` is its path, for the answer alone. The mount of the open folder is not left.
    Another folder than ``only``, if that is given, stays.
    """
    folder = opened_folder(parent, name, where)
    if not isinstance(folder, int):
        return folder
    try:
        if only is not None and not only.is_that_of(identity_of(folder)):
            return NotDeleted(Kept.REPLACED, where)
        stopped = _Removal(folder, where).all()
    finally:
        os.close(folder)
    if stopped is not None:
        return stopped
    return removed(os.rmdir, parent, name, where)


@define
class _Removal:
    """The removal of what one folder holds, ``top``, however deep it is."""

    top: int
    where: bytes
    moved_up: list[bytes] = field(factory=list)

    def all(self) -> NotDeleted | None:
        """Empty the folder, and then what was moved up into it."""
        stopped = self._empty(self.top, self.where, 0)
        while stopped is None and self.moved_up:
            name = self.moved_up.pop()
            stopped = self._remove(self.top, name, self.where + b"/" + name, 1)
        return stopped

    def _empty(self, folder: int, where: bytes, depth: int) -> NotDeleted | None:
        """Remove what a folder holds: files and links first, so that no link is left to be met."""
        folders = []
        with os.scandir(folder) as entries:
            found = list(entries)
        for entry in found:
            name = os.fsencode(entry.name)
            if entry.is_dir(follow_symlinks=False):
                folders.append(name)
                continue
            stopped = removed(os.unlink, folder, name, where + b"/" + name)
            if stopped is not None:
                return stopped
        for name in folders:
            stopped = self._remove(folder, name, where + b"/" + name, depth + 1)
            if stopped is not None:
                return stopped
        return None

    def _remove(self, parent: int, name: bytes, where: bytes, depth: int) -> NotDeleted | None:
        folder = opened_folder(parent, name, where)
        if not isinstance(folder, int):
            return folder
        try:
            if depth > _DEEPEST:
                return self._move_up(parent, name, where)
            stopped = self._empty(folder, where, depth)
        finally:
            os.close(folder)
        return removed(os.rmdir, parent, name, where) if stopped is None else stopped

    def _move_up(self, parent: int, name: bytes, where: bytes) -> NotDeleted | None:
        """Put off a folder that lies too deep, by moving it into the top one."""
        fresh = b".deep-" + secrets.token_hex(8).encode()
        try:
            os.rename(name, fresh, src_dir_fd=parent, dst_dir_fd=self.top)
        except OSError:
            return NotDeleted(Kept.NOT_REMOVABLE, where)
        self.moved_up.append(fresh)
        return None


def opened_folder(parent: int, name: bytes, where: bytes) -> int | NotDeleted | None:
    """Open a folder to remove what it holds, also one that its owner took every right from.

    None where there is none any more. One that something is mounted on is left as it is.
    """
    try:
        return _opened(parent, name)
    except FileNotFoundError:
        return None
    except _ElsewhereError:
        return NotDeleted(Kept.OTHER_FILE_SYSTEM, where)
    except OSError:
        return NotDeleted(Kept.NOT_REMOVABLE, where)


class _ElsewhereError(OSError):
    """A folder lies on another mount than the one that it is found in."""


def _opened(parent: int, name: bytes) -> int:
    try:
        folder = os.open(name, _FOLDER, dir_fd=parent)
    except PermissionError:
        # Agents leave folders without permissions (module caches do); they are ours to remove.
        _unlock(parent, name)
        folder = os.open(name, _FOLDER, dir_fd=parent)
    try:
        _check(folder, parent)
        if os.fstat(folder).st_mode & _OWNER_MAY_ALL != _OWNER_MAY_ALL:
            os.fchmod(folder, _OWNER_MAY_ALL)
    except OSError:
        os.close(folder)
        raise
    return folder


def _unlock(parent: int, name: bytes) -> None:
    """Give its owner all rights on a folder, and on nothing that takes its place meanwhile."""
    if sys.platform != "linux":
        os.chmod(name, _OWNER_MAY_ALL, dir_fd=parent, follow_symlinks=False)
        return
    handle = os.open(name, _FOLDER | os.O_PATH, dir_fd=parent)
    try:
        _check(handle, parent)
        # The kernel leads this name to what is open, wherever it lies by now.
        os.chmod(f"/proc/self/fd/{handle}", _OWNER_MAY_ALL)  # noqa: PTH101  no path of a file
    finally:
        os.close(handle)


def _check(folder: int, parent: int) -> None:
    if not on_one_mount(folder, parent):
        raise _ElsewhereError(errno.EXDEV, os.strerror(errno.EXDEV))


def removed(
    remove: Callable[..., None], parent: int, name: bytes, where: bytes
) -> NotDeleted | None:
    """Remove one thing of an open folder; what is gone already counts as removed."""
    try:
        remove(name, dir_fd=parent)
    except FileNotFoundError:
        return None
    except OSError:
        return NotDeleted(Kept.NOT_REMOVABLE, where)
    return None
