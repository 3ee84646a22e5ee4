"""Merges of three trees: path by path where no name can have moved, else by git as a whole."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import evolve

from sennit.adapters.git.changes import renames_between
from sennit.adapters.git.disk_abilities import folds_names
from sennit.adapters.git.files import both
from sennit.adapters.git.line_endings import Levelled, ThreeWay, level_line_endings
from sennit.adapters.git.merge_tree import merge_by_git, prepare_merge
from sennit.adapters.git.name_collisions import colliding
from sennit.adapters.git.path_merges import Changes, merge_by_path
from sennit.adapters.git.second_opinion import doubtful, opinions_on
from sennit.adapters.git.trees import changed_paths_of, entries_at
from sennit.core.merge import decide_by_identity
from sennit.core.objects import (
    Conflict,
    Conflicted,
    ConflictKind,
    GitFailed,
    Merged,
    MergeResult,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from sennit.adapters.git.git import Git
    from sennit.adapters.git.second_opinion import Opinions
    from sennit.adapters.git.store import Store


async def merge_trees(
    git: Git, store: Store, base: str, ours: str, theirs: str, at: int
) -> MergeResult:
    """Merge two trees that both come from ``base``; ``at`` dates the throw-away commits.

    ``at`` is the time of the event in seconds since 1970. The same trees give the same result at
    any time. Attributes are those of ``ours``, as when git merges into a work tree.
    """
    if decided := decide_by_identity(base, ours, theirs):
        return Merged(decided.value)
    changes = await _changes(git, store, base, ours, theirs)
    if isinstance(changes, GitFailed):
        return changes
    trees = await level_line_endings(git, store, Levelled(base, ours, theirs), changes.both)
    if isinstance(trees, GitFailed):
        return trees
    if trees.paths:
        changes = await _changes(git, store, trees.base, trees.ours, trees.theirs)
        if isinstance(changes, GitFailed):
            return changes
    merged = await merge_by_path(git, store, trees, changes, at)
    if merged is not None:
        return await _with_collisions(git, store, trees, merged, changes.added)
    return await _merge_whole(git, store, trees, changes, at)


async def _merge_whole(
    git: Git, store: Store, trees: Levelled, changes: Changes, at: int
) -> MergeResult:
    if decided := decide_by_identity(trees.base, trees.ours, trees.theirs):
        return Merged(decided.value, normalised=trees.paths)
    paths = {*changes.ours, *changes.theirs}
    prepared = await prepare_merge(git, store, trees, at, attributes=trees.ours, paths=paths)
    if isinstance(prepared, GitFailed):
        return prepared
    # Git and libgit2 work at the same time.
    result, opinions = await both(
        merge_by_git(git, store, prepared),
        _opinions(git, store, trees, changes),
    )
    if isinstance(result, Merged):
        result = await _with_collisions(git, store, trees, result, changes.added)
    if not isinstance(result, Merged) or not opinions:
        return result
    if isinstance(opinions, GitFailed):
        return opinions
    merged = await entries_at(git, store, result.tree, opinions.keys())
    if isinstance(merged, GitFailed):
        return merged
    return evolve(result, uncertain=doubtful(opinions, merged))


async def _changes(
    git: Git, store: Store, base: str, ours: str, theirs: str
) -> Changes | GitFailed:
    changed = await changed_paths_of(git, store, base, (ours, theirs))
    if isinstance(changed, GitFailed):
        return changed
    by_us, by_them = changed
    both = {
        path: ThreeWay(sides.before, sides.after, by_them[path].after)
        for path, sides in by_us.items()
        if path in by_them
    }
    return Changes(by_us, by_them, both)


async def _with_collisions(
    git: Git, store: Store, trees: Levelled, merged: Merged, added: Collection[bytes]
) -> MergeResult:
    """Tell of names that both sides brought together and that some systems cannot keep apart.

    Where the user's own system cannot, one file would be lost: that is a conflict.
    """
    if not added:
        return merged
    met = await colliding(git, store, merged.tree, added)
    if isinstance(met, GitFailed) or not met:
        return met if isinstance(met, GitFailed) else merged
    before = await colliding(git, store, trees.theirs, met)
    if isinstance(before, GitFailed):
        return before
    names = {path: other for path, other in met.items() if path not in before}
    if not names or not folds_names(store.users_disk):
        return evolve(merged, colliding=tuple(sorted(met)))
    entries = await entries_at(git, store, merged.tree, (*names, *names.values()))
    if isinstance(entries, GitFailed):
        return entries
    conflicts = tuple(
        Conflict(
            kind=ConflictKind.NAME_COLLISION,
            path=path,
            base=None,
            ours=entries.get(other),
            theirs=entries.get(path),
            paths=(path, other),
            message="CONFLICT (names): two names that are one on this system",
        )
        for path, other in sorted(names.items())
    )
    return Conflicted(merged.tree, conflicts, merged.normalised)


async def _opinions(
    git: Git, store: Store, trees: Levelled, changes: Changes
) -> Opinions | GitFailed:
    files = await _followed_through_renames(git, store, trees, changes.both)
    return files if isinstance(files, GitFailed) else await opinions_on(git, store, files)


async def _followed_through_renames(
    git: Git, store: Store, trees: Levelled, both: Mapping[bytes, ThreeWay]
) -> dict[bytes, ThreeWay] | GitFailed:
    """Find what one side edited and the other renamed: it was merged at its new path."""
    followed = {path: three for path, three in both.items() if three.ours and three.theirs}
    for side in ("ours", "theirs"):
        gone = {path for path, three in both.items() if three.base and not getattr(three, side)}
        if not gone:
            continue
        tree: str = getattr(trees, side)
        renames = await renames_between(git, store, trees.base, tree)
        if isinstance(renames, GitFailed):
            return renames
        moved = {old: new for old, new in renames.items() if old in gone}
        entries = await entries_at(git, store, tree, moved.values())
        if isinstance(entries, GitFailed):
            return entries
        followed |= {
            new: evolve(both[old], **{side: entries[new]})
            for old, new in moved.items()
            if new in entries
        }
    return followed
