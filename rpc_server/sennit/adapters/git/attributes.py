"""A work tree that holds nothing but the attribute files of one tree.

Git takes attributes from the work tree, not from the trees it merges or compares. What they say of
a path lies in the folders above it. One small folder for each set of ``.gitattributes`` files is
made once and used by every tree that has it.
"""

from __future__ import annotations

import os
import shutil
from hashlib import sha256
from typing import TYPE_CHECKING

from attrs import evolve

from sennit.adapters.git.files import in_thread, make_private_folder, write_private
from sennit.adapters.git.inprocess import NotHere, Objects, with_objects
from sennit.adapters.git.raw_trees import REGULAR
from sennit.adapters.git.scratch import scratch_name
from sennit.adapters.git.trees import files_at, read_blobs, tree_entries
from sennit.core.names import refused
from sennit.core.objects import Entry, GitFailed

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping
    from pathlib import Path

    from sennit.adapters.git.git import Git, Place
    from sennit.adapters.git.store import Store

_NAME = b".gitattributes"
Rules = tuple[tuple[bytes, str], ...]
"""Attribute files of a tree: paths, and the ids of blobs."""


async def with_attributes(
    git: Git, store: Store, tree: str, paths: Collection[bytes]
) -> Place | GitFailed:
    """Give the place of calls on these paths that are to follow the attributes of a tree."""
    found = await with_objects(store, lambda objects: rules_for(objects, tree, paths))
    rules = await _listed(git, store, tree, paths) if isinstance(found, NotHere) else found
    return rules if isinstance(rules, GitFailed) else await place_with(git, store, rules)


async def place_with(git: Git, store: Store, found: Rules) -> Place | GitFailed:
    """Give the place of calls that are to follow these attribute files."""
    if not found:
        return store.place
    folder = store.attributes / sha256(repr(found).encode()).hexdigest()[:32]
    try:
        # Who clears up goes by its time.
        os.utime(folder)
    except FileNotFoundError:
        contents = await read_blobs(git, store, {identity for _, identity in found})
        if isinstance(contents, GitFailed):
            return contents
        made = await in_thread("write attribute files", _make, store, folder, found, contents)
        if isinstance(made, GitFailed):
            return made
    return evolve(store.place, cwd=folder, work_tree=folder)


def rules_for(objects: Objects, tree: str, paths: Iterable[bytes]) -> Rules:
    """Find the attribute files of a tree that can say something of these paths.

    KeyError where a folder of it is not here.
    """
    return _rules_among(files_at(objects.folders(tree), rules_above(paths)))


def rules_above(paths: Iterable[bytes]) -> set[bytes]:
    """Give the paths of all attribute files that could say something of these."""
    found: set[bytes] = set()
    for path in paths:
        folder, slash, _ = path.rpartition(b"/")
        while (rules := folder + slash + _NAME) not in found:
            found.add(rules)
            folder, slash, _ = folder.rpartition(b"/")
    return found


async def _listed(git: Git, store: Store, tree: str, paths: Iterable[bytes]) -> Rules | GitFailed:
    everything = await tree_entries(git, store, tree)
    if isinstance(everything, GitFailed):
        return everything
    wanted = rules_above(paths)
    return _rules_among({path: entry for path, entry in everything.items() if path in wanted})


def _rules_among(found: Mapping[bytes, Entry]) -> Rules:
    # Git does not read attributes through a link.
    return tuple(
        (path, entry.id)
        for path, entry in sorted(found.items())
        if entry.mode in REGULAR and refused(path) is None
    )


def _make(store: Store, folder: Path, found: Rules, contents: dict[str, bytes]) -> None:
    """Make the folder beside and move it in place, so that nobody sees half of it."""
    make_private_folder(folder.parent)
    beside = store.scratch / scratch_name("attributes")
    make_private_folder(beside)
    for path, identity in found:
        target = beside / os.fsdecode(path)
        make_private_folder(target.parent)
        write_private(target, contents[identity])
    try:
        beside.rename(folder)
    except OSError:
        shutil.rmtree(beside, ignore_errors=True)
        # Another call was faster when the folder is there already; both hold the same.
        if not folder.is_dir():
            raise
