"""Conflicts of texts with their three texts, and the lines over which these clash."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import evolve

from sennit.adapters.git.changes import changes_between
from sennit.adapters.git.raw_trees import REGULAR
from sennit.adapters.git.trees import empty_tree, read_blobs, write_blob, write_tree
from sennit.core.objects import MODE_FILE, Conflict, ConflictKind, Entry, GitFailed, Hunk
from sennit.core.text import git_lines
from sennit.core.three_way import ThreeTexts, regions

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sennit.adapters.git.git import Git
    from sennit.adapters.git.store import Store

_OF_TEXTS = frozenset({ConflictKind.CONTENT, ConflictKind.ADD_ADD})
_Three = tuple[str, str, str]


async def with_regions(
    git: Git, store: Store, conflicts: Sequence[Conflict]
) -> tuple[Conflict, ...] | GitFailed:
    """Add to each conflict of texts the lines that clash."""
    texts = await three_texts(git, store, conflicts)
    if isinstance(texts, GitFailed):
        return texts
    return tuple(
        evolve(conflict, regions=regions(texts[conflict.path]))
        if conflict.path in texts
        else conflict
        for conflict in conflicts
    )


async def three_texts(
    git: Git, store: Store, conflicts: Sequence[Conflict]
) -> dict[bytes, ThreeTexts] | GitFailed:
    """Give the texts of conflicts that are about texts, by path; what both added had none before.

    All files are compared in one call, so that many cost little more than one.
    """
    about = [one for one in conflicts if is_of_texts(one)]
    if not about:
        return {}
    nothing = await write_blob(git, store, b"")
    if isinstance(nothing, GitFailed):
        return nothing
    threes = {b"%08d" % number: _ids(one, nothing) for number, one in enumerate(about)}
    blobs = await read_blobs(git, store, {side for three in threes.values() for side in three})
    if isinstance(blobs, GitFailed):
        return blobs
    hunks: list[Mapping[bytes, tuple[Hunk, ...]]] = []
    for side in (1, 2):
        found = await _hunks(git, store, threes, side)
        if isinstance(found, GitFailed):
            return found
        hunks.append(found)
    return {
        conflict.path: ThreeTexts(
            base=tuple(git_lines(blobs[three[0]])),
            ours=tuple(git_lines(blobs[three[1]])),
            theirs=tuple(git_lines(blobs[three[2]])),
            our_hunks=hunks[0].get(name, ()),
            their_hunks=hunks[1].get(name, ()),
        )
        for conflict, (name, three) in zip(about, threes.items(), strict=True)
    }


def is_of_texts(conflict: Conflict) -> bool:
    """Whether both sides are regular files, so that a text can settle the conflict."""
    ours, theirs = conflict.ours, conflict.theirs
    if conflict.kind not in _OF_TEXTS or ours is None or theirs is None:
        return False
    sides = (ours, theirs, conflict.base or ours)
    return all(side.mode in REGULAR for side in sides)


def _ids(conflict: Conflict, nothing: str) -> _Three:
    base, ours, theirs = conflict.base, conflict.ours, conflict.theirs
    if ours is None or theirs is None:
        raise ValueError(f"the conflict of {conflict.path!r} is not about two texts")
    return nothing if base is None else base.id, ours.id, theirs.id


async def _hunks(
    git: Git, store: Store, texts: Mapping[bytes, _Three], side: int
) -> dict[bytes, tuple[Hunk, ...]] | GitFailed:
    """Compare the bases with one side, all files in one call; numbers stand for the names."""
    empty = await empty_tree(git, store)
    if isinstance(empty, GitFailed):
        return empty
    trees: list[str] = []
    for which in (0, side):
        entries = {name: Entry(MODE_FILE, sides[which]) for name, sides in texts.items()}
        tree = await write_tree(git, store, empty, entries)
        if isinstance(tree, GitFailed):
            return tree
        trees.append(tree)
    changes = await changes_between(git, store, trees[0], trees[1])
    if isinstance(changes, GitFailed):
        return changes
    return {change.path: change.hunks for change in changes}
