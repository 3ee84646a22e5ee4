"""Brings what was written into a store onto the disk, before a row of the database names it.

Git and libgit2 do not wait for the disk at each object (``core.fsync=none``): most are made on the
way to others. What is to stay is brought there once, all files together. Otherwise a power failure
could leave rows that name objects whose files are empty.
"""

from __future__ import annotations

import os
import stat
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from attrs import frozen

from sennit.adapters.git.files import in_thread
from sennit.adapters.git.mirror_memory import Mirroring
from sennit.adapters.git.records import stores_of_submodules
from sennit.adapters.git.store import keep_new
from sennit.adapters.platform.forcing import force_folder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sennit.adapters.git.store import Store
    from sennit.core.objects import GitFailed

_SECOND = 1_000_000_000
_WRITTEN_BY_THEN = 900 * _SECOND
"""After half a minute a system writes by itself; what another server left may be younger."""
_CLOCK_SLACK = 60 * _SECOND
"""Times of files lag behind the clock, which may also be set back a little."""
_AT_ONCE = 8
"""Files that are waited for together share what the disk has to do for each."""
_PARTS = ("objects", "refs", "lfs")
_UNFINISHED = ("tmp_", ".")
_NO_FOLDERS = 2
"""Links to a folder that has no other in it, where a system counts them."""


@frozen
class _Seen:
    """A file or folder; ``changed`` is its time of modification in nanoseconds."""

    path: str
    changed: int


@frozen
class _Reached:
    """What is on the disk: all that changed before ``since``, and of the rest what is listed."""

    since: int
    rest: frozenset[_Seen]


_reached: dict[Path, _Reached] = {}
"""By store; what this process knows."""


async def on_disk(store: Store) -> GitFailed | None:
    """Wait until every object and ref that was written into the store is on the disk.

    So are those of its submodules. Files that are the user's own are left to the user's git.
    """
    return await in_thread("bring objects to the disk", _bring_all, store)


async def keep_on_disk(store: Store, name: str, commit: str) -> GitFailed | None:
    """Protect a commit as ``keep_new`` does, and wait until the disk has all that it needs."""
    failed = await keep_new(store, name, commit)
    return await on_disk(store) if failed is None else failed


def _bring_all(store: Store) -> None:
    for each in (store, *stores_of_submodules(store)):
        _bring(each)


def _bring(store: Store) -> None:
    now, git_dir = time.time_ns(), store.git_dir
    reached = _reached.get(git_dir)
    if reached is None or reached.since > now:
        reached = _Reached(now - _WRITTEN_BY_THEN, frozenset())
    # There are always folders in this one, so it tells whether folders are counted.
    counted = (git_dir / "objects").stat().st_nlink > _NO_FOLDERS
    is_copied = store.mirroring is Mirroring.COPIED
    look = _Look(reached.since, _NO_FOLDERS if counted else None, _came if is_copied else _written)
    tops = (os.fspath(git_dir / part) for part in _PARTS)
    found = frozenset(seen for top in tops for seen in _changed(top, look))
    with ThreadPoolExecutor(_AT_ONCE) as threads:
        list(threads.map(_sync, (seen.path for seen in found - reached.rest)))
    _reached[git_dir] = _Reached(now - _CLOCK_SLACK, found)


@frozen
class _Look:
    """Of what is asked: since when, how many links a folder has that holds no other, which time."""

    since: int
    links_if_flat: int | None
    time_of: Callable[[os.stat_result], int]


def _written(status: os.stat_result) -> int:
    return status.st_mtime_ns


def _came(status: os.stat_result) -> int:
    """A copy has the time of writing of the user's file."""
    return status.st_ctime_ns


def _changed(folder: str, look: _Look) -> Iterator[_Seen]:
    """Give the folders below that got a file since then, and such files.

    Objects and refs are never written in their place: a folder that is as it was has no new file.
    """
    try:
        status = Path(folder).stat()
        is_changed = status.st_mtime_ns >= look.since
        is_flat = status.st_nlink == look.links_if_flat
        entries = _entries(folder) if is_changed or not is_flat else []
    except FileNotFoundError:
        return
    if is_changed:
        yield _Seen(folder, status.st_mtime_ns)
    for entry in entries:
        if entry.is_dir(follow_symlinks=False):
            yield from _changed(entry.path, look)
        elif is_changed and not entry.name.startswith(_UNFINISHED):
            yield from _if_new(entry, look)


def _entries(folder: str) -> list[os.DirEntry[str]]:
    with os.scandir(folder) as found:
        return list(found)


def _if_new(entry: os.DirEntry[str], look: _Look) -> Iterator[_Seen]:
    with suppress(FileNotFoundError):
        status = entry.stat(follow_symlinks=False)
        changed = look.time_of(status)
        # With more than one name it is a file of the user's, too.
        if changed >= look.since and status.st_nlink == 1:
            yield _Seen(entry.path, changed)


def _sync(path: str) -> None:
    # What is gone by now was cleared away, or got its name from a process that waits for it.
    with suppress(FileNotFoundError):
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            is_folder = stat.S_ISDIR(os.fstat(handle).st_mode)
            (force_folder if is_folder else os.fsync)(handle)
        except OSError as error:
            error.filename = path
            raise
        finally:
            os.close(handle)
