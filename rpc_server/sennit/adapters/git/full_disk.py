"""What a full or read-only disk keeps git from: which it is, and what git has left there."""

from __future__ import annotations

import errno
import os
import re
from typing import TYPE_CHECKING

import anyio.to_thread
from attrs import evolve

from sennit.adapters.git.disk_away import AWAY
from sennit.adapters.git.files import clear_away, in_thread
from sennit.adapters.git.scratch import scratch_name
from sennit.adapters.platform.open_files import open_below
from sennit.core.objects import GitFailed

if TYPE_CHECKING:
    from pathlib import Path

    from sennit.adapters.git.git import Git, Place
    from sennit.adapters.git.store import Store

_SAID = re.compile(r"unable to write file '?(.+?)'?$", re.MULTILINE)
_NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT})
_LITTLE = 1 << 20
_FULL = ("No space left on device", "Disk quota exceeded", "Out of diskspace")
_FAILING = ("Read-only file system", "Input/output error", AWAY)
_PLACE = re.compile(r"(?:^|[\s'\"])/")
_UNFINISHED = ("??/tmp_obj_*", "pack/tmp_*")
"""What git writes in a folder of objects before it has its name."""


def is_full(said: str) -> bool:
    """Tell from what the system or git said whether a disk, or what one may take of it, is full."""
    return any(words in said for words in _FULL)


def is_of_the_disk(said: str) -> bool:
    """Tell from what the system or git said whether a disk is full, read-only, failing or away."""
    return is_full(said) or any(words in said for words in _FAILING)


async def told_of_the_disk(failed: GitFailed, at: Place) -> GitFailed:
    """Say which disk is full or fails, if that made a call fail, and what to do about it.

    What git had begun to write is taken away, or each try would take what room there is.
    """
    if not is_of_the_disk(failed.stderr):
        return failed
    full = is_full(failed.stderr)
    if full and at.objects is not None:
        # What stays is collected with what killed calls leave.
        await in_thread("clear a folder of objects", _clear, at.objects)
    place = at.objects or at.git_dir or at.cwd
    is_told = place is None or _PLACE.search(failed.stderr)
    where = "there" if is_told else f"on the disk of {place}"
    todo = f"Make room {where}" if full else f"See why nothing can be written {where}"
    return evolve(failed, advice=f"{todo}, then try again.")


async def told_if_full(
    git: Git, store: Store, failed: GitFailed, *, base: str, folder: Path
) -> GitFailed:
    """Add to a failure to write files of a base into a folder that there is no room for them.

    Git does not say so itself.
    """
    path = _SAID.search(failed.stderr)
    if path is None:
        return failed
    asked = await git.run(["cat-file", "-s", f"{base}:{path[1]}"], store.place)
    size = _LITTLE if isinstance(asked, GitFailed) else int(asked.stdout)
    why = await anyio.to_thread.run_sync(_why_not_written, folder, max(size, _LITTLE))
    if why is None:
        return failed
    advice = f"Make room on the disk of {folder}, then try again."
    return evolve(failed, stderr=f"{failed.stderr.strip()}: {why}", advice=advice)


def _why_not_written(folder: Path, size: int) -> str | None:
    """Try to have a file of that size, in bytes: how much is free says nothing of quotas."""
    tried = folder / f".{scratch_name('room')}"
    try:
        with tried.open("xb") as file:
            os.posix_fallocate(file.fileno(), 0, size)
    except OSError as error:
        return error.strerror if error.errno in _NO_ROOM else None
    finally:
        clear_away(tried)
    return None


def _clear(objects: Path) -> None:
    """Remove what is unfinished and nobody's: neither open nor changed while that is looked at."""
    before = _unfinished(objects)
    if not before:
        return
    in_use = open_below(objects)
    for path, seen in _unfinished(objects).items():
        if before.get(path) == seen and path.resolve() not in in_use:
            path.unlink(missing_ok=True)


def _unfinished(objects: Path) -> dict[Path, tuple[int, int, int]]:
    found = {}
    for path in (path for pattern in _UNFINISHED for path in objects.glob(pattern)):
        try:
            status = path.lstat()
        except FileNotFoundError:
            continue
        found[path] = (status.st_ino, status.st_size, status.st_ctime_ns)
    return found
