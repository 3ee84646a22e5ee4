"""Copies ignored files that a task needs (``node_modules``, ``.venv``) into its workspace."""

from __future__ import annotations

import os
import shutil
import stat
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from sennit.adapters.git.disk import below, lies_beyond_a_link
from sennit.adapters.git.disk_abilities import folds_case
from sennit.adapters.git.file_copies import copy_content
from sennit.adapters.git.files import in_thread, read_if_there, write_private
from sennit.adapters.git.held_up import looked_at
from sennit.adapters.git.ignored import ignored_among
from sennit.adapters.git.names_by_disk import by_disk
from sennit.adapters.git.scratch import scratch_name
from sennit.core.objects import GitFailed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sennit.adapters.git.discovery import Repository
    from sennit.adapters.git.git import Git
    from sennit.adapters.git.store import Store

INCLUDE_FILE = ".worktreeinclude"
"""A file of ignore patterns at the top of a repository: which ignored files workspaces get."""


async def copy_included(
    git: Git, store: Store, repository: Repository, patterns: Sequence[str], target: Path
) -> tuple[bytes, ...] | GitFailed:
    """Copy ignored files that match a pattern, or the repository's ``.worktreeinclude``.

    Gives the paths that were not copied: links that lead into the user's tree, special files,
    files that went away. Nothing in the workspace ever links to what the user works on.
    """
    wanted = await in_thread("read include patterns", _patterns, repository, patterns)
    if isinstance(wanted, GitFailed):
        return wanted
    if not wanted.strip():
        return ()
    listed = await _ignored_and_wanted(git, store, repository, wanted)
    if isinstance(listed, GitFailed):
        return listed
    return await in_thread(
        "copy ignored files",
        _copy_all,
        os.fsencode(repository.work_tree),
        os.fsencode(target),
        listed,
    )


def _patterns(repository: Repository, patterns: Sequence[str]) -> bytes:
    from_file = read_if_there(repository.work_tree / INCLUDE_FILE) or b""
    return from_file + b"\n" + b"".join(os.fsencode(line) + b"\n" for line in patterns)


async def _ignored_and_wanted(
    git: Git, store: Store, repository: Repository, wanted: bytes
) -> tuple[bytes, ...] | GitFailed:
    file = store.scratch / scratch_name("include")
    written = await in_thread("write include patterns", write_private, file, wanted)
    if isinstance(written, GitFailed):
        return written
    paths = await _matching(git, store, repository, file)
    await in_thread("remove include patterns", file.unlink)
    if isinstance(paths, GitFailed):
        return paths
    # Only what git ignores: the rest is in the base, or was left out of it for a reason.
    ignored = await ignored_among(git, repository.place, paths)
    if isinstance(ignored, GitFailed):
        return ignored
    return tuple(path for path in paths if path in ignored)


async def _matching(
    git: Git, store: Store, repository: Repository, patterns: Path
) -> list[bytes] | GitFailed:
    """List what matches and is not tracked, by the names that the disk has, too."""
    places = [repository.place]
    if folds_case(store.users_disk):
        by_names = await by_disk(repository.place)
        if isinstance(by_names, GitFailed):
            return by_names
        places.append(by_names)
    asked = ["ls-files", "--others", "--ignored", "-z", f"--exclude-from={patterns}"]
    top = os.fsencode(repository.work_tree)
    found: dict[bytes, None] = {}
    for place in places:
        listed = await looked_at(top, partial(git.run, asked, place))
        if isinstance(listed, GitFailed):
            return listed
        found |= dict.fromkeys(path for path in listed.stdout.split(b"\0") if path)
    return list(found)


def _copy_all(source: bytes, target: bytes, paths: Sequence[bytes]) -> tuple[bytes, ...]:
    return tuple(path for path in paths if not _copied(source, target, path))


def _copied(source: bytes, target: bytes, path: bytes) -> bool:
    here, there = below(source, path), below(target, path)
    try:
        if lies_beyond_a_link(source, path):
            return False
        status = os.lstat(here)
        Path(os.fsdecode(there)).parent.mkdir(parents=True, exist_ok=True)
        if stat.S_ISLNK(status.st_mode):
            return _link_copied(source, here, there)
        if not stat.S_ISREG(status.st_mode):
            return False
        _copy_file(here, there)
        shutil.copystat(here, there, follow_symlinks=False)
    except (FileNotFoundError, FileExistsError, PermissionError):
        return False
    return True


def _link_copied(source: bytes, here: bytes, there: bytes) -> bool:
    leads_to = Path(os.fsdecode(here)).readlink()
    if leads_to.is_absolute() and leads_to.is_relative_to(os.fsdecode(source)):
        return False
    Path(os.fsdecode(there)).symlink_to(leads_to)
    return True


def _copy_file(here: bytes, there: bytes) -> None:
    """Copy a file, sharing its blocks where the file system can."""
    read = os.open(here, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(read, "rb") as old:
        write = os.open(there, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with os.fdopen(write, "wb") as new:
            copy_content(old, new)
