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
from typing import TYPE_CHECKING

from attrs import frozen

from sennit.adapters.git.delete import NotDeleted, opened_folder, remove_tree, removed
from sennit.adapters.git.disk_clock import has_ticked, touched
from sennit.adapters.git.identity import identity_of
from sennit.adapters.git.index_file import mode_in, stat_data, stat_data_of
from sennit.adapters.workspaces.new_folders import New, is_new, make_as_new, new_in

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from sennit.adapters.git.records import Record

_TOP = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_DEEPEST = 100
"""Levels of folders, each of which is open while what lies below it is looked at."""
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
    new = new_in(record.folder.parent)
    top = os.open(record.folder, _TOP)
    try:
        where = os.fsencode(record.folder)
        if not record.identity.is_that_of(identity_of(top)):
            raise FileNotFoundError(2, "another folder is in its place", where)
        make_as_new(top, new, where)
        return _Stripping(os.fstat(top).st_dev, new).of(top, folders[b""], where)
    finally:
        os.close(top)


@frozen
class Stripped:
    """When folders were changed last, by path, as they were after ``since``; in nanoseconds."""

    times: dict[bytes, int]
    since: int


def look_at_stripped(folder: Path, folders: Folders) -> Stripped | None:
    """Look at each folder of one that was stripped once more, by names alone.

    What comes later has another time, so that `is_as_stripped` tells whether anything came. None
    where something did meanwhile, or the disk keeps no times. Raises OSError.
    """
    # The clock is asked of another folder of this disk, which leaves the times here as they are.
    beside = os.open(folder.parent, _TOP)
    try:
        since = touched(beside)
        if not has_ticked(beside, since):
            return None
        times = _times_of(os.fsencode(folder), folders)
        if times is None or not has_ticked(beside, touched(beside)):
            return None
    finally:
        os.close(beside)
    return Stripped(times, since)


def _times_of(where: bytes, folders: Folders) -> dict[bytes, int] | None:
    """Give the time of each folder, taken before it is looked at; None where more lies there."""
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


@frozen
class _Stripping:
    """The removal of what an index does not name.

    A subvolume of btrfs has a ``device`` of its own, from which nothing can be moved away.
    """

    device: int
    new: New

    def of(self, folder: int, names: _Names, where: bytes) -> NotDeleted | None:
        """Strip an open folder and those below it that stay."""
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
                stopped = self._below(folder, name, wanted, here)
            else:
                stopped = remove_tree(folder, name, here)
            if stopped is not None:
                return stopped
        return None

    def _below(self, parent: int, name: bytes, names: _Names, where: bytes) -> NotDeleted | None:
        # One mount may be on a folder of its own file system, with whatever lies elsewhere.
        folder = opened_folder(parent, name, where)
        if not isinstance(folder, int):
            return folder
        try:
            status = os.fstat(folder)
            if status.st_dev == self.device and is_new(status, folder, self.new):
                return self.of(folder, names, where)
        finally:
            os.close(folder)
        return remove_tree(parent, name, where)


def _untouched(entry: os.DirEntry[str] | os.DirEntry[bytes], wanted: bytes) -> bool:
    status = entry.stat(follow_symlinks=False)
    mode = mode_in(wanted)
    return (
        status.st_nlink == 1
        and stat.S_IFMT(status.st_mode) == stat.S_IFMT(mode)
        and stat_data(status, mode) == wanted
    )


def differing(top: bytes, folders: Folders, most: int) -> list[bytes]:
    """Name what in a folder is not as an index says, misses, or lies there beside; ``most`` of it.

    Nothing is changed. Raises OSError where a folder cannot be listed.
    """
    found: list[bytes] = []
    for path, names in folders.items():
        above = path + b"/" if path else b""
        try:
            with os.scandir(top + b"/" + path) as entries:
                missing = dict(names)
                odd = [
                    name
                    for entry in entries
                    if not _is_as(entry, missing.pop(name := os.fsencode(entry.name), None))
                ]
        except (FileNotFoundError, NotADirectoryError):
            # Told of the folder that it should lie in.
            continue
        found += (above + name for name in sorted([*odd, *missing]))
        if len(found) >= most:
            break
    return found[:most]


def _is_as(entry: os.DirEntry[str] | os.DirEntry[bytes], wanted: _Names | bytes | None) -> bool:
    if isinstance(wanted, bytes):
        return _untouched(entry, wanted)
    return isinstance(wanted, _Names) and entry.is_dir(follow_symlinks=False)


def folders_in(index: bytes, object_format: str) -> Folders:
    """Give what each folder may hold by an index; an OSError where they lie too deep to be kept."""
    folders = {b"": _Names()}
    for path, data in stat_data_of(index, object_format):
        if path.count(b"/") > _DEEPEST:
            raise OSError(errno.ENAMETOOLONG, f"it lies more than {_DEEPEST} folders deep", path)
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
