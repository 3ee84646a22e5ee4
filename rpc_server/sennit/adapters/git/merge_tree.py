"""Merges of three trees by git's own merge-ort, with everything that changes its answer pinned."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sennit.adapters.git.attributes import with_attributes
from sennit.adapters.git.conflicts import Commits, conflicts_of, parse_attempt
from sennit.adapters.git.git import DISPOSABLE
from sennit.adapters.git.regions import with_regions
from sennit.adapters.git.trees import write_merge_sides
from sennit.core.objects import Conflicted, GitFailed, Merged, MergeResult

if TYPE_CHECKING:
    from sennit.adapters.git.git import Config, Git
    from sennit.adapters.git.line_endings import Levelled
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


async def merge_by_git(
    git: Git, store: Store, trees: Levelled, at: int, *, attributes: str
) -> MergeResult:
    """Merge commits whose only common ancestor is the base, with the attributes of a tree."""
    sides = await write_merge_sides(git, store, trees.base, (trees.ours, trees.theirs), at)
    if isinstance(sides, GitFailed):
        return sides
    place = await with_attributes(git, store, attributes)
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
