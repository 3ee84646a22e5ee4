"""New names that some file systems take for another name of the same tree."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sennit.adapters.git.inprocess import NotHere, Objects, with_objects
from sennit.adapters.git.trees import tree_entries
from sennit.core.names import folded
from sennit.core.objects import GitFailed
from sennit.core.units import parents

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping

    from sennit.adapters.git.git import Git
    from sennit.adapters.git.store import Store

_Names = frozenset[bytes]


async def colliding(
    git: Git, store: Store, tree: str, paths: Collection[bytes]
) -> dict[bytes, bytes] | GitFailed:
    """Give those of the paths that collide with another name in the tree, and that name.

    Only the folders on the way to the paths are read.
    """
    if not paths:
        return {}
    found = await with_objects(
        store, lambda objects: _collisions(_by_objects(objects, tree), paths)
    )
    if not isinstance(found, NotHere):
        return found
    everything = await tree_entries(git, store, tree)
    if isinstance(everything, GitFailed):
        return everything
    return _collisions(_by_listing(everything), paths)


def _by_objects(objects: Objects, tree: str) -> Callable[[bytes], _Names]:
    folders = objects.folders(tree)
    return lambda folder: frozenset(folders.items(folder))


def _by_listing(paths: Iterable[bytes]) -> Callable[[bytes], _Names]:
    known: dict[bytes, set[bytes]] = {}
    for path in paths:
        for whole in (*parents(path), path):
            above, _, name = whole.rpartition(b"/")
            known.setdefault(above, set()).add(name)
    return lambda folder: frozenset(known.get(folder, ()))


def _collisions(
    names_of: Callable[[bytes], _Names], paths: Collection[bytes]
) -> dict[bytes, bytes]:
    spellings: dict[bytes, Mapping[bytes, list[bytes]]] = {}
    found: dict[bytes, bytes] = {}
    for path in paths:
        for whole in (*parents(path), path):
            above, _, name = whole.rpartition(b"/")
            if above not in spellings:
                spellings[above] = _by_spelling(names_of(above))
            others = [one for one in spellings[above].get(folded(name), ()) if one != name]
            if others:
                found[path] = above + b"/" + others[0] if above else others[0]
                break
    return found


def _by_spelling(names: _Names) -> dict[bytes, list[bytes]]:
    found: dict[bytes, list[bytes]] = {}
    for name in sorted(names):
        found.setdefault(folded(name), []).append(name)
    return found
