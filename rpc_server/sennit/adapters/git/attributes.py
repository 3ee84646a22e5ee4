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
    from collections.abc import Iterable
    from pathlib import Path

    from sennit.adapters.git.git import Git, Place
    from sennit.adapters.git.store import Store

_NAME = b".gitattributes"
Rules = tuple[tuple[bytes, str], ...]
"""The attribute files of a tree: paths, and the ids of blobs."""
_MOST_REMEMBERED = 200_000


async def with_attributes(git: Git, store: Store, tree: str) -> Place | GitFailed:
    """Give the place of calls that are to follow the attributes of a tree."""
    found = await with_objects(store, lambda objects: rules_in(objects, store, tree))
    rules = await _listed(git, store, tree) if isinstance(found, NotHere) else found
    return rules if isinstance(rules, GitFailed) else await place_with(git, store, rules)


async def place_with(git: Git, store: Store, found: Rules) -> Place | GitFailed:
    """Give the place of calls that are to follow these attribute files."""
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


def rules_in(objects: Objects, store: Store, tree: str) -> Rules:
    """Find the attribute files of a tree; KeyError where a folder of it is not here."""
    memory = _memory(store.git_dir)
    if len(memory) > _MOST_REMEMBERED:
        memory.clear()
    return _allowed(_below(objects, memory, tree))


async def _listed(git: Git, store: Store, tree: str) -> Rules | GitFailed:
    everything = await tree_entries(git, store, tree)
    if isinstance(everything, GitFailed):
        return everything
    files = (item for item in everything.items() if item[0].rpartition(b"/")[2] == _NAME)
    return _allowed((path, entry.id) for path, entry in files if _is_file(entry))


def _allowed(found: Iterable[tuple[bytes, str]]) -> Rules:
    return tuple(item for item in found if refused(item[0]) is None)


@lru_cache(maxsize=32)
def _memory(git_dir: Path) -> dict[str, Rules]:  # noqa: ARG001  the key of the cache
    """Remember what lies below each tree of a store; ids name content, so it cannot go stale."""
    return {}


def _below(objects: Objects, memory: dict[str, Rules], tree: str) -> Rules:
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


def _make(store: Store, folder: Path, found: Rules, contents: dict[str, bytes]) -> None:
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
