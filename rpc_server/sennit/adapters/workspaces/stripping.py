"""Brings a folder down to what is in it as an index says: whatever else lies there goes.

An agent may have left anything: links in place of folders, git directories inside tracked folders,
folders that cannot be entered. The walk goes by folder descriptors and follows no link. A file
stays only if its inode, size, times and the rest are those of the index, to the nanosecond, and no
other name leads to it; git itself compares whole seconds, and would keep a file with another name.
A folder stays only if it is as a new one would be there: what comes into it gets its modes by that.
"""

from __future__ import annotations

import errno
import os
import stat
import sys
import time
from typing import TYPE_CHECKING

from attrs import evolve, frozen

from sennit.adapters.git.delete import NotDeleted, opened_folder, remove_tree, removed
from sennit.adapters.git.identity import identity_of
from sennit.adapters.git.index_file import mode_in, stat_data, stat_data_of
from sennit.adapters.workspaces.rules import umask

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from sennit.adapters.git.records import Record

_TOP = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_TOP_MODE = 0o700
_OWN, _GIVEN = "system.posix_acl_access", "system.posix_acl_default"
_NO_LIST = frozenset({errno.ENODATA, errno.ENOTSUP})
_PAUSE_S = 0.001
_SECOND_NS = 1_000_000_000
_FILES = frozenset({stat.S_IFREG, stat.S_IFLNK})


class _Names(dict[bytes, "_Names | bytes"]):
    """What a folder may hold: stat data of a file or a link, names for a folder."""


Folders = dict[bytes, _Names]
"""What each folder may hold, by its path, which is empty for the top."""


def strip(record: Record, folders: Folders) -> NotDeleted | None:
    """Remove what ``folders`` do not name from the folder of a record; what stays for all that.

    Raises OSError where the folder is not there.
    """
    new = _new_in(record.folder.parent)
    top = os.open(record.folder, _TOP)
    try:
        where = os.fsencode(record.folder)
        if not record.identity.is_that_of(identity_of(top)):
            raise FileNotFoundError(2, "another folder is in its place", where)
        _make_as_new(top, new, where)
        return _strip(top, folders[b""], os.fstat(top).st_dev, new, where)
    finally:
        os.close(top)


@frozen
class _New:
    """What a new folder there is like: its mode, and what it gives to those made in it."""

    mode: int
    group: int
    access: bytes | None


def _new_in(parent: Path) -> _New:
    folder = os.open(parent, _TOP)
    try:
        group = os.fstat(folder).st_mode & stat.S_ISGID
        return _New(0o777 & ~umask() | group, group, _access(folder, _GIVEN))
    finally:
        os.close(folder)


def _make_as_new(top: int, new: _New, where: bytes) -> None:
    """Put right what may be right, for the top folder cannot be made anew; raises OSError."""
    for name in (_GIVEN, _OWN):
        if new.access is None and _access(top, name) is not None:
            os.removexattr(top, name)
    os.fchmod(top, _TOP_MODE | new.group)
    if not _is_new(os.fstat(top), top, evolve(new, mode=_TOP_MODE | new.group)):
        raise PermissionError(1, "its mode or list of access cannot be put back", where)


def _is_new(status: os.stat_result, folder: int, new: _New) -> bool:
    if stat.S_IMODE(status.st_mode) != new.mode or _access(folder, _GIVEN) != new.access:
        return False
    return new.access is not None or _access(folder, _OWN) is None


def _access(folder: int, name: str) -> bytes | None:
    """Read a list of access of an open folder; None where it has none, or its disk knows none."""
    if sys.platform != "linux":
        return None
    try:
        return os.getxattr(folder, name)
    except OSError as error:
        if error.errno in _NO_LIST:
            return None
        raise


def times_of_stripped(folder: Path, folders: Folders) -> dict[bytes, int] | None:
    """Look at each folder of one that was stripped once more, by names alone.

    Gives their change times, in nanoseconds, by path: each was taken before its folder was looked
    at, so that `is_as_stripped` tells whether anything came since. None where something did
    meanwhile. Raises OSError.
    """
    where = os.fsencode(folder)
    top = os.open(folder, _TOP)
    try:
        _let_the_clock_tick(top)
    finally:
        os.close(top)
    times: dict[bytes, int] = {}
    for path, names in folders.items():
        full = where + b"/" + path if path else where
        try:
            before = os.lstat(full)
            if not stat.S_ISDIR(before.st_mode):
                return None
            with os.scandir(full) as entries:
                if any(entry.name not in names for entry in entries):
                    return None
        except FileNotFoundError:
            # Removed by who worked there; should it come back, its parent changes.
            continue
        times[path] = before.st_ctime_ns
    return times


def _let_the_clock_tick(folder: int) -> None:
    """Wait until a change would have another time than all that was changed so far."""
    mode = stat.S_IMODE(os.fstat(folder).st_mode)
    os.fchmod(folder, mode)
    last = os.fstat(folder).st_ctime_ns
    while os.fstat(folder).st_ctime_ns <= last:
        time.sleep(_PAUSE_S)
        os.fchmod(folder, mode)


def tells_edits(index: bytes, object_format: str, since_ns: int) -> bool:
    """Tell whether git sees every edit after a moment in the files of an index.

    It compares change times by whole seconds; that of a file may not be of the same one.
    """
    since = (since_ns // _SECOND_NS).to_bytes(8, "big")[-4:]
    known = stat_data_of(index, object_format)
    return all(data[:4] < since for _, data in known if data is not None)


def is_as_stripped(folder: Path, times: Mapping[bytes, int]) -> bool:
    """Tell whether no folder got, lost or renamed anything since.

    An edit of a file that stays where it is does not count: git sees it; see ``tells_edits``.
    """
    top = os.fsencode(folder)
    try:
        return all(_is_at(top + b"/" + path if path else top, at) for path, at in times.items())
    except OSError:
        return False


def _is_at(folder: bytes, changed: int) -> bool:
    status = os.lstat(folder)
    return stat.S_ISDIR(status.st_mode) and status.st_ctime_ns == changed


def _strip(folder: int, names: _Names, device: int, new: _New, where: bytes) -> NotDeleted | None:
    with os.scandir(folder) as entries:
        found = list(entries)
    for entry in found:
        name = os.fsencode(entry.name)
        wanted = names.get(name)
        # Nearly every one: nothing more is done for it, for there are very many.
        if isinstance(wanted, bytes) and _untouched(entry, wanted):
            continue
        here = where + b"/" + name
        if not entry.is_dir(follow_symlinks=False):
            stopped = removed(os.unlink, folder, name, here)
        elif isinstance(wanted, _Names):
            stopped = _stripped_below(folder, name, wanted, device, new, here)
        else:
            stopped = remove_tree(folder, name, here)
        if stopped is not None:
            return stopped
    return None


def _stripped_below(
    parent: int, name: bytes, names: _Names, device: int, new: _New, where: bytes
) -> NotDeleted | None:
    folder = opened_folder(parent, name)
    try:
        status = os.fstat(folder)
        if status.st_dev != device or not _is_new(status, folder, new):
            return remove_tree(parent, name, where)
        return _strip(folder, names, device, new, where)
    finally:
        os.close(folder)


def _untouched(entry: os.DirEntry[str], wanted: bytes) -> bool:
    status = entry.stat(follow_symlinks=False)
    mode = mode_in(wanted)
    return (
        status.st_nlink == 1
        and stat.S_IFMT(status.st_mode) == stat.S_IFMT(mode)
        and stat_data(status, mode) == wanted
    )


def folders_in(index: bytes, object_format: str) -> Folders:
    """Give what each folder may hold by an index."""
    folders = {b"": _Names()}
    for path, data in stat_data_of(index, object_format):
        if data is None:
            continue
        if stat.S_IFMT(mode_in(data)) in _FILES:
            above, _, name = path.rpartition(b"/")
            _folder(folders, above)[name] = data
        else:
            # A submodule: its folder stays and is empty.
            _folder(folders, path)
    return folders


def _folder(folders: dict[bytes, _Names], path: bytes) -> _Names:
    known = folders.get(path)
    if known is None:
        above, _, name = path.rpartition(b"/")
        known = folders[path] = _Names()
        _folder(folders, above)[name] = known
    return known
