"""Tells what an agent removed from what it had git put out of its view.

``git sparse-checkout`` removes files of a work tree that are to stay in its commits, and marks them
in the index. To the agent's own git they are not deleted, so they are not in its proposal either.
"""

from __future__ import annotations

import os
import shutil
import stat
from functools import partial
from typing import TYPE_CHECKING

import anyio
import anyio.to_thread
from attrs import evolve

from sennit.adapters.git.files import in_thread, write_private
from sennit.adapters.git.head_at import make_git_directory_at
from sennit.adapters.git.index_tags import SKIPPED, tags_in
from sennit.adapters.git.scratch import scratch_name
from sennit.core.objects import GitFailed, LeftOut, LeftOutReason

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from sennit.adapters.git.git import Config, Git
    from sennit.adapters.git.store import Store
    from sennit.adapters.git.workspace import Workspace

_PLAIN = b"DIRC\0\0\0\2"
"""How an index begins in which no path can be marked."""
_LARGEST = 1 << 30
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_ALL_OF_IT: Config = (("core.sparseCheckout", "false"), ("index.sparse", "false"))
_ONE = "the agent's git keeps it out of view (sparse checkout), so it does not count as deleted"
_MORE = "{one}, like {more} more that are not named"


async def out_of_view(
    git: Git, store: Store, workspace: Workspace, gone: Sequence[bytes]
) -> frozenset[bytes] | GitFailed:
    """Give those of the absent paths ``gone`` that the agent's index marks as not in its work tree.

    An index that cannot be read marks nothing: then what is absent is deleted.
    """
    if not gone:
        return frozenset()
    index = workspace.folder / ".git" / "index"
    content = await in_thread("look at an index", _marking, index)
    if isinstance(content, GitFailed) or content is None:
        return content if isinstance(content, GitFailed) else frozenset()
    tags = await _tags_in(git, store, workspace, content)
    if isinstance(tags, GitFailed):
        return tags
    return frozenset(path for path in gone if tags.get(path) == SKIPPED)


async def back_in_view(
    git: Git, store: Store, workspace: Workspace, absent: Sequence[bytes]
) -> frozenset[bytes] | GitFailed:
    """Give those of the paths outside the user's patterns that the agent had come, and go.

    ``absent`` are such paths at which nothing lies: to the agent's own git, which marks them no
    more, they are deleted. An index that cannot be read says nothing.
    """
    if not absent:
        return frozenset()
    content = await in_thread("look at an index", _read, workspace.folder / ".git" / "index")
    if isinstance(content, GitFailed) or content is None:
        return content if isinstance(content, GitFailed) else frozenset()
    tags = await _tags_in(git, store, workspace, content)
    if isinstance(tags, GitFailed) or not tags:
        return tags if isinstance(tags, GitFailed) else frozenset()
    return frozenset(path for path in absent if tags.get(path) != SKIPPED)


async def _tags_in(
    git: Git, store: Store, workspace: Workspace, content: bytes
) -> dict[bytes, bytes] | GitFailed:
    """Give the tag of each path of an agent's index; none where git cannot read it."""
    beside = store.scratch / scratch_name("view")
    try:
        made = await in_thread("copy an index", _make, store, workspace, beside, content)
        if isinstance(made, GitFailed):
            return made
        return await _tags(git, store, workspace.folder, beside)
    finally:
        with anyio.CancelScope(shield=True):
            await anyio.to_thread.run_sync(partial(shutil.rmtree, beside, ignore_errors=True))


def _make(store: Store, workspace: Workspace, beside: Path, content: bytes) -> None:
    make_git_directory_at(store, beside, workspace.base)
    write_private(beside / "index", content)
    # An index that is split says no more than what it has otherwise than one of these.
    for shared in _shared(workspace.folder / ".git"):
        also = _read(shared)
        if also is not None:
            write_private(beside / shared.name, also)


async def _tags(git: Git, store: Store, folder: Path, beside: Path) -> dict[bytes, bytes]:
    # Of a folder that is out of view as a whole, the index may name no more than its tree.
    place = evolve(
        store.over(folder, beside / "index"),
        git_dir=beside,
        alternates=(folder / ".git" / "objects",),
    )
    tags = await tags_in(git, place, _ALL_OF_IT)
    return {} if isinstance(tags, GitFailed) else tags


def _shared(git_dir: Path) -> Iterable[Path]:
    """Give the files that an index may be split into; it says itself which of them it means."""
    return () if git_dir.is_symlink() else git_dir.glob("sharedindex.*")


def _marking(index: Path) -> bytes | None:
    """Read an index, unless no path can be marked in it."""
    may_mark = _read(index, len(_PLAIN)) != _PLAIN or any(_shared(index.parent))
    return _read(index) if may_mark else None


def _read(file: Path, most: int = -1) -> bytes | None:
    """Read a file of an agent's git directory, who may have put anything in its place."""
    try:
        if file.parent.is_symlink():
            return None
        handle = os.open(file, _READ)
    except OSError:
        return None
    with os.fdopen(handle, "rb") as opened:
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode) or status.st_size > _LARGEST:
            return None
        return opened.read(most)


def told_of(unseen: frozenset[bytes]) -> tuple[LeftOut, ...]:
    """Name the first of the paths that do not count as deleted, and how many more there are."""
    if not unseen:
        return ()
    more = len(unseen) - 1
    detail = _MORE.format(one=_ONE, more=more) if more else _ONE
    return (LeftOut(min(unseen), LeftOutReason.OUT_OF_VIEW, detail),)
