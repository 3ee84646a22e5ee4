"""Deletes workspaces: only what is recorded as ours, by folder descriptors, following no link."""

from __future__ import annotations

import os
import stat
from enum import StrEnum
from typing import TYPE_CHECKING

from attrs import frozen

from sennit.adapters.git.files import in_thread
from sennit.adapters.git.records import is_alive, read_record, remove_record

if TYPE_CHECKING:
    from collections.abc import Callable

    from sennit.adapters.git.records import Owner, Record
    from sennit.adapters.git.store import Store
    from sennit.core.objects import GitFailed

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_OWNER_MAY_ALL = 0o700


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
    if record.owner != by and is_alive(record.owner):
        return NotDeleted(Kept.IN_USE, os.fsencode(record.folder))
    outcome = _remove(record)
    if isinstance(outcome, Deleted):
        remove_record(store, name)
    return outcome


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
    try:
        status = os.lstat(name, dir_fd=parent)
    except FileNotFoundError:
        return Deleted()
    same = (status.st_dev, status.st_ino) == (record.device, record.inode)
    if not same or not stat.S_ISDIR(status.st_mode):
        return NotDeleted(Kept.REPLACED, where)
    stopped = _remove_tree(parent, name, record.device, where)
    return Deleted() if stopped is None else stopped


def _remove_tree(parent: int, name: bytes, device: int, where: bytes) -> NotDeleted | None:
    """Remove one folder and all below it; the first thing that stays is the answer."""
    try:
        folder = _opened(parent, name)
    except FileNotFoundError:
        return None
    except OSError:
        return NotDeleted(Kept.NOT_REMOVABLE, where)
    try:
        if os.fstat(folder).st_dev != device:
            return NotDeleted(Kept.OTHER_FILE_SYSTEM, where)
        stopped = _empty(folder, device, where)
    finally:
        os.close(folder)
    if stopped is not None:
        return stopped
    return _removed(os.rmdir, parent, name, where)


def _empty(folder: int, device: int, where: bytes) -> NotDeleted | None:
    """Remove what a folder holds: files and links first, so that no link is left to be met."""
    folders = []
    with os.scandir(folder) as entries:
        found = list(entries)
    for entry in found:
        name = os.fsencode(entry.name)
        if entry.is_dir(follow_symlinks=False):
            folders.append(name)
            continue
        stopped = _removed(os.unlink, folder, name, where + b"/" + name)
        if stopped is not None:
            return stopped
    for name in folders:
        stopped = _remove_tree(folder, name, device, where + b"/" + name)
        if stopped is not None:
            return stopped
    return None


def _opened(parent: int, name: bytes) -> int:
    try:
        folder = os.open(name, _FOLDER, dir_fd=parent)
    except PermissionError:
        # Agents leave folders without permissions (module caches do); they are ours to remove.
        # The mode of what lies there is changed, which is never what a link points at: it was
        # refused above by O_NOFOLLOW with another error.
        os.chmod(name, _OWNER_MAY_ALL, dir_fd=parent)
        return os.open(name, _FOLDER, dir_fd=parent)
    if not os.fstat(folder).st_mode & stat.S_IWUSR:
        os.fchmod(folder, _OWNER_MAY_ALL)
    return folder


def _removed(
    remove: Callable[..., None], parent: int, name: bytes, where: bytes
) -> NotDeleted | None:
    try:
        remove(name, dir_fd=parent)
    except FileNotFoundError:
        return None
    except OSError:
        return NotDeleted(Kept.NOT_REMOVABLE, where)
    return None
