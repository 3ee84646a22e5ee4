"""Makes the tree of what lies in a folder from a tree that is known and the paths that differ.

Git reads these paths through an index that names no others, so all that is as it was costs nothing.
Where libgit2 cannot read the known tree, git brings the whole index up to date and writes its tree.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import anyio
import anyio.to_thread
from attrs import evolve, frozen

from sennit.adapters.git.attributes import rules_above
from sennit.adapters.git.files import in_thread, remove_index
from sennit.adapters.git.index_file import UnknownIndexError, objects_in, written_index
from sennit.adapters.git.inprocess import NotHere, Objects, with_objects
from sennit.adapters.git.new_objects import ENOUGH, NewTrees, keep_pack, may_pack
from sennit.adapters.git.raw_trees import InTheWay, rewritten
from sennit.adapters.git.stage import stage, write_tree
from sennit.adapters.git.trees import files_at, without_needless
from sennit.core.objects import Entry, GitFailed, LeftOut

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from sennit.adapters.git.git import Config, Git, Place
    from sennit.adapters.git.store import Store

_PLAIN_INDEX: Config = (("index.version", "2"),)
_ATTRIBUTES = b".gitattributes"


@frozen
class Differing:
    """A folder by what differs from ``tree``.

    ``staged`` is what its index holds where that differs, ``present`` are paths to be read from the
    disk, ``entries`` what is to be at others; None stands for nothing.
    """

    tree: str
    staged: Mapping[bytes, Entry | None]
    present: tuple[bytes, ...]
    entries: Mapping[bytes, Entry | None]


@frozen
class DiskTree:
    """The tree of a folder; paths that git ``refused`` are in it as in the index."""

    tree: str
    refused: tuple[LeftOut, ...]


async def tree_of_disk(
    git: Git, store: Store, place: Place, differing: Differing
) -> DiskTree | GitFailed:
    """Give the tree. The index file of ``place`` may be written by that, or be left as it is."""
    if place.index_file is None:
        raise ValueError("a place without an index of its own")
    few = place.index_file.with_name(f"{place.index_file.name}.few")
    try:
        found = await _by_few(git, store, evolve(place, index_file=few), few, differing)
    finally:
        with anyio.CancelScope(shield=True):
            await anyio.to_thread.run_sync(remove_index, few)
    if not isinstance(found, NotHere):
        return found
    return await _by_all(git, place, differing)


async def _by_all(git: Git, place: Place, differing: Differing) -> DiskTree | GitFailed:
    read = await git.run(["read-tree", differing.tree], place)
    if isinstance(read, GitFailed):
        return read
    refused = await stage(git, place, (), {**differing.staged, **_gone_rules(differing)})
    if isinstance(refused, GitFailed):
        return refused
    refused = await stage(git, place, differing.present, differing.entries)
    if isinstance(refused, GitFailed):
        return refused
    tree = await write_tree(git, place)
    return tree if isinstance(tree, GitFailed) else DiskTree(tree, refused)


@frozen
class _Read:
    """What git made of the paths that were read from the disk."""

    entries: Mapping[bytes, Entry]
    refused: tuple[LeftOut, ...]


async def _by_few(
    git: Git, store: Store, place: Place, index: Path, differing: Differing
) -> DiskTree | GitFailed | NotHere:
    read: _Read | GitFailed | NotHere = _Read({}, ())
    if differing.present:
        read = await _read(git, store, place, index, differing)
    if not isinstance(read, _Read):
        return read
    made = await with_objects(store, lambda objects: _rewritten(objects, store, differing, read))
    if isinstance(made, NotHere):
        return made
    failed = await keep_pack(git, store, made.packed)
    return DiskTree(made.tree, read.refused) if failed is None else failed


async def _read(
    git: Git, store: Store, place: Place, index: Path, differing: Differing
) -> _Read | GitFailed | NotHere:
    def begin(objects: Objects) -> bool:
        index.write_bytes(written_index(_to_know(objects, differing), store.object_format))
        return len(differing.present) >= ENOUGH and may_pack(store.objects)

    packing = await with_objects(store, begin)
    if isinstance(packing, NotHere):
        return packing
    plain = git.configured(_PLAIN_INDEX)
    refused = await stage(plain, place, differing.present, {}, into_one_pack=packing)
    if isinstance(refused, GitFailed):
        return refused
    entries = await in_thread("read an index", _entries, index, store.object_format)
    return entries if isinstance(entries, GitFailed | NotHere) else _Read(entries, refused)


def _entries(index: Path, object_format: str) -> dict[bytes, Entry] | NotHere:
    try:
        return objects_in(index.read_bytes(), object_format)
    except UnknownIndexError as error:
        return NotHere(f"git wrote an index that is not read here: {error}")


def _to_know(objects: Objects, differing: Differing) -> dict[bytes, Entry]:
    """Give what decides how git reads the paths: what it knew of them, and rules in their folders.

    Of a path that git knows it keeps the mode where a disk has none, and line endings that are
    there already; attributes that lie in no folder are read from the index.
    """
    wanted = {*differing.present, *rules_above(differing.present)}
    folders = objects.folders(differing.tree)
    known: dict[bytes, Entry | None] = {**files_at(folders, wanted)}
    for changed in (differing.staged, _gone_rules(differing)):
        known |= {path: entry for path, entry in changed.items() if path in wanted}
    return {path: entry for path, entry in known.items() if entry is not None}


def _gone_rules(differing: Differing) -> dict[bytes, Entry | None]:
    """Give the rules that are removed: to git they count no more once it has staged that."""
    return {path: None for path, entry in differing.entries.items() if not entry and _is_rule(path)}


def _is_rule(path: bytes) -> bool:
    return path.rpartition(b"/")[2] == _ATTRIBUTES


@frozen
class _Made:
    """A tree, and a pack of objects that have yet to come into the store; it may be empty."""

    tree: str
    packed: bytes = b""


def _rewritten(
    objects: Objects, store: Store, differing: Differing, read: _Read
) -> _Made | NotHere:
    changes = dict(differing.staged)
    stays = {one.path for one in read.refused}
    changes |= {path: read.entries.get(path) for path in differing.present if path not in stays}
    changes |= differing.entries
    changes = without_needless(objects.folders(differing.tree), changes)
    if not changes:
        return _Made(differing.tree)
    new = NewTrees()
    try:
        tree = rewritten(objects.items, new.add, differing.tree, changes)
    except InTheWay as error:
        # What was looked at changed meanwhile; git's own index knows which of two gives way.
        return NotHere(f"{error.path!r} is in the way")
    return _Made(tree, new.written_or_packed(objects, store))
