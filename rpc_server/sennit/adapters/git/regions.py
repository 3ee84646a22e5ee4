"""The lines over which two texts are in conflict, so that an editor can point at them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import evolve

from sennit.adapters.git.changes import changes_between
from sennit.adapters.git.raw_trees import REGULAR
from sennit.adapters.git.trees import empty_tree, write_tree
from sennit.core.objects import MODE_FILE, Conflict, ConflictKind, Entry, GitFailed, Hunk
from sennit.core.overlaps import overlapping

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sennit.adapters.git.git import Git
    from sennit.adapters.git.store import Store

_Three = tuple[Entry, Entry, Entry]


async def with_regions(
    git: Git, store: Store, conflicts: Sequence[Conflict]
) -> tuple[Conflict, ...] | GitFailed:
    """Add to each conflict of texts the lines of ours that meet a change of theirs."""
    texts = {
        b"%08d" % number: sides
        for number, conflict in enumerate(conflicts)
        if (sides := _texts(conflict))
    }
    if not texts:
        return tuple(conflicts)
    hunks: list[Mapping[bytes, tuple[Hunk, ...]]] = []
    for side in (1, 2):
        found = await _hunks(git, store, texts, side)
        if isinstance(found, GitFailed):
            return found
        hunks.append(found)
    return tuple(
        evolve(conflict, regions=overlapping(hunks[0].get(name, ()), hunks[1].get(name, ())))
        for name, conflict in ((b"%08d" % n, one) for n, one in enumerate(conflicts))
    )


def _texts(conflict: Conflict) -> _Three | None:
    sides = (conflict.base, conflict.ours, conflict.theirs)
    base, ours, theirs = sides
    if conflict.kind is not ConflictKind.CONTENT or not (base and ours and theirs):
        return None
    return (base, ours, theirs) if all(side and side.mode in REGULAR for side in sides) else None


async def _hunks(
    git: Git, store: Store, texts: Mapping[bytes, _Three], side: int
) -> dict[bytes, tuple[Hunk, ...]] | GitFailed:
    """Compare the bases with one side, all files in one call; numbers stand for the names."""
    empty = await empty_tree(git, store)
    if isinstance(empty, GitFailed):
        return empty
    trees: list[str] = []
    for which in (0, side):
        entries = {name: Entry(MODE_FILE, sides[which].id) for name, sides in texts.items()}
        tree = await write_tree(git, store, empty, entries)
        if isinstance(tree, GitFailed):
            return tree
        trees.append(tree)
    changes = await changes_between(git, store, trees[0], trees[1])
    if isinstance(changes, GitFailed):
        return changes
    return {change.path: change.hunks for change in changes}
