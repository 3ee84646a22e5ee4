"""Merges of three trees, by git's own merge-ort, with everything that changes its answer pinned."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import evolve, frozen

from sennit.adapters.git.attributes import with_attributes
from sennit.adapters.git.changes import renames_between
from sennit.adapters.git.conflicts import Commits, conflicts_of, parse_attempt
from sennit.adapters.git.disk_abilities import folds_names
from sennit.adapters.git.git import DISPOSABLE
from sennit.adapters.git.inprocess import Objects, with_objects
from sennit.adapters.git.line_endings import Levelled, ThreeWay, level_line_endings
from sennit.adapters.git.name_collisions import colliding
from sennit.adapters.git.raw_trees import Folders, InTheWay, rewritten
from sennit.adapters.git.regions import with_regions
from sennit.adapters.git.second_opinion import TextMerge, doubtful
from sennit.adapters.git.trees import (
    changed_paths_of,
    entries_at,
    without_needless,
    write_merge_sides,
)
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

    from sennit.adapters.git.git import Config, Git
    from sennit.adapters.git.raw_trees import Sides
    from sennit.adapters.git.store import Store

MERGE_CONFIG: Config = (
    ("merge.renames", "true"),
    ("merge.directoryRenames", "conflict"),
    ("merge.renameLimit", "7000"),
    ("merge.renormalize", "false"),
    ("merge.conflictStyle", "merge"),
    ("merge.default", "text"),
    ("diff.algorithm", "histogram"),
    ("diff.renames", "true"),
)
"""What the user may have configured otherwise must not change a tree id."""

_CONFLICT = 1


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
    trees = Levelled(base, ours, theirs)
    if changes.cannot_meet:
        joined = await with_objects(store, lambda objects: _joined(objects, ours, changes.theirs))
        if isinstance(joined, str):
            return await _with_collisions(git, store, trees, Merged(joined), changes.added)
    return await _merge_what_meets(git, store, trees, changes, at)


async def _merge_what_meets(
    git: Git, store: Store, given: Levelled, changes: _Changes, at: int
) -> MergeResult:
    both = changes.both
    trees = await level_line_endings(git, store, given, both)
    if isinstance(trees, GitFailed):
        return trees
    if decided := decide_by_identity(trees.base, trees.ours, trees.theirs):
        return Merged(decided.value, normalised=trees.paths)
    result = await _merge(git, store, trees, at)
    if isinstance(result, Merged):
        result = await _with_collisions(git, store, trees, result, changes.added)
    if not isinstance(result, Merged) or not both:
        return result
    uncertain = await _uncertain(git, store, trees, both, result.tree)
    return uncertain if isinstance(uncertain, GitFailed) else evolve(result, uncertain=uncertain)


@frozen
class _Changes:
    """What each side changed, and with three sides each what both did."""

    ours: Mapping[bytes, Sides]
    theirs: Mapping[bytes, Sides]
    both: Mapping[bytes, ThreeWay]

    @property
    def added(self) -> tuple[bytes, ...]:
        """The paths that theirs alone brings in."""
        changed = self.theirs.items()
        return tuple(path for path, sides in changed if not sides.before and path not in self.both)

    @property
    def cannot_meet(self) -> bool:
        """Whether each path has one side that says what becomes of it.

        Git finds no rename on a side that removes nothing or adds nothing, so none leads elsewhere.
        """
        same = all(three.ours == three.theirs for three in self.both.values())
        return same and not (_may_rename(self.ours) or _may_rename(self.theirs))


def _may_rename(changed: Mapping[bytes, Sides]) -> bool:
    removes = any(sides.after is None for sides in changed.values())
    return removes and any(sides.before is None for sides in changed.values())


def _joined(objects: Objects, ours: str, theirs: Mapping[bytes, Sides]) -> str | None:
    """Put what theirs changed into the tree of ours; None where a file and a folder collide."""
    after = {path: sides.after for path, sides in theirs.items()}
    changes = without_needless(Folders(objects.tree, ours), after)
    try:
        return rewritten(objects.tree, objects.write_tree, ours, changes)
    except InTheWay:
        return None


async def _changes(
    git: Git, store: Store, base: str, ours: str, theirs: str
) -> _Changes | GitFailed:
    changed = await changed_paths_of(git, store, base, (ours, theirs))
    if isinstance(changed, GitFailed):
        return changed
    by_us, by_them = changed
    both = {
        path: ThreeWay(sides.before, sides.after, by_them[path].after)
        for path, sides in by_us.items()
        if path in by_them
    }
    return _Changes(by_us, by_them, both)


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


async def _merge(git: Git, store: Store, trees: Levelled, at: int) -> MergeResult:
    """Merge commits whose only common ancestor is the base."""
    sides = await write_merge_sides(git, store, trees.base, (trees.ours, trees.theirs), at)
    if isinstance(sides, GitFailed):
        return sides
    place = await with_attributes(git, store, trees.ours)
    if isinstance(place, GitFailed):
        return place
    done = await git.run(
        ["merge-tree", "--write-tree", "-z", "--messages", *sides],
        place,
        accept=(0, _CONFLICT),
        config=MERGE_CONFIG + DISPOSABLE + store.neutral,
    )
    if isinstance(done, GitFailed):
        return done
    attempt = parse_attempt(done.stdout, Commits(sides[0], sides[1]))
    if done.code == _CONFLICT:
        conflicts = await with_regions(git, store, conflicts_of(attempt))
        if isinstance(conflicts, GitFailed):
            return conflicts
        return Conflicted(attempt.tree, conflicts, trees.paths, attempt.aside)
    return Merged(attempt.tree, normalised=trees.paths)


async def _uncertain(
    git: Git, store: Store, trees: Levelled, both: Mapping[bytes, ThreeWay], merged: str
) -> tuple[bytes, ...] | GitFailed:
    if trees.paths:
        levelled = await _changes(git, store, trees.base, trees.ours, trees.theirs)
        if isinstance(levelled, GitFailed):
            return levelled
        both = levelled.both
    followed = await _followed_through_renames(git, store, trees, both)
    if isinstance(followed, GitFailed):
        return followed
    if not any(three.texts for three in followed.values()):
        return ()
    results = await entries_at(git, store, merged, followed.keys())
    if isinstance(results, GitFailed):
        return results
    merges = [
        TextMerge(path, sides[0].id, sides[1].id, sides[2].id, results[path].id)
        for path, three in followed.items()
        if path in results and (sides := three.texts)
    ]
    return await doubtful(git, store, merges)


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
