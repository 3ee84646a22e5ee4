"""A work tree that holds nothing but the attribute files of one tree.

Git takes attributes from the work tree, not from the trees it merges or compares. One small
folder for each set of ``.gitattributes`` files is made once and used by every tree that has it.
"""

from __future__ import annotations

import os
import shutil
from contextlib import suppress
from functools import lru_cache
from hashlib import sha256
from typing import TYPE_CHECKING

from attrs import evolve

from sennit.adapters.git.files import in_thread, make_private_folder, write_private
from sennit.adapters.git.inprocess import NotHere, Objects, with_objects
from sennit.adapters.git.raw_trees import MODE_TREE, REGULAR
from sennit.adapters.git.scratch import scratch_name
from sennit.adapters.git.trees import read_blobs, tree_entries
from sennit.core.names import refused
from sennit.core.objects import Entry, GitFailed

if TYPE_CHECKING:
    from pathlib import Path

    from sennit.adapters.git.git import Git, Place
    from sennit.adapters.git.store import Store

_NAME = b".gitattributes"
_Found = tuple[tuple[bytes, str], ...]
_MOST_REMEMBERED = 200_000


async def with_attributes(git: Git, store: Store, tree: str) -> Place | GitFailed:
    """Give the place of calls that are to follow the attributes of a tree."""
    found = await _attribute_files(git, store, tree)
    if isinstance(found, GitFailed):
        return found
    if not found:
        return store.place
    name = sha256(repr(found).encode()).hexdigest()[:32]
    folder = store.root / "attributes" / name
    if not folder.is_dir():
        contents = await read_blobs(git, store, {identity for _, identity in found})
        if isinstance(contents, GitFailed):
            return contents
        made = await in_thread("write attribute files", _make, store, folder, found, contents)
        if isinstance(made, GitFailed):
            return made
    return evolve(store.place, cwd=folder, work_tree=folder)


async def _attribute_files(git: Git, store: Store, tree: str) -> _Found | GitFailed:
    memory = _memory(store.git_dir)
    if len(memory) > _MOST_REMEMBERED:
        memory.clear()
    found = await with_objects(store, lambda objects: _below(objects, memory, tree))
    if isinstance(found, NotHere):
        everything = await tree_entries(git, store, tree)
        if isinstance(everything, GitFailed):
            return everything
        found = tuple(
            (path, entry.id)
            for path, entry in everything.items()
            if path.rpartition(b"/")[2] == _NAME and _is_file(entry)
        )
    return tuple(item for item in found if refused(item[0]) is None)


@lru_cache(maxsize=32)
def _memory(git_dir: Path) -> dict[str, _Found]:  # noqa: ARG001  the key of the cache
    """Remember what lies below each tree of a store; ids name content, so it cannot go stale."""
    return {}


def _below(objects: Objects, memory: dict[str, _Found], tree: str) -> _Found:
    known = memory.get(tree)
    if known is not None:
        return known
    found: list[tuple[bytes, str]] = []
    for name, entry in objects.tree(tree).items():
        if entry.mode == MODE_TREE:
            below = _below(objects, memory, entry.id)
            found += ((name + b"/" + path, identity) for path, identity in below)
        elif name == _NAME and _is_file(entry):
            found.append((name, entry.id))
    memory[tree] = tuple(found)
    return memory[tree]


def _is_file(entry: Entry) -> bool:
    # Git does not read attributes through a link.
    return entry.mode in REGULAR


def _make(store: Store, folder: Path, found: _Found, contents: dict[str, bytes]) -> None:
    """Make the folder beside and move it in place, so that nobody sees half of it."""
    make_private_folder(folder.parent)
    beside = store.scratch / scratch_name("attributes")
    make_private_folder(beside)
    for path, identity in found:
        target = beside / os.fsdecode(path)
        make_private_folder(target.parent)
        write_private(target, contents[identity])
    # Another call was faster when the folder is there already; both hold the same.
    with suppress(FileExistsError, OSError):
        beside.rename(folder)
    if beside.exists():
        shutil.rmtree(beside)
