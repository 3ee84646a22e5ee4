"""Merges of three trees by git's own merge-ort, with everything that changes its answer pinned."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import frozen

from sennit.adapters.git.attributes import place_with, rules_for, with_attributes
from sennit.adapters.git.conflicts import Commits, conflicts_of, parse_attempt
from sennit.adapters.git.git import DISPOSABLE
from sennit.adapters.git.inprocess import NotHere, with_objects
from sennit.adapters.git.regions import with_regions
from sennit.adapters.git.trees import merge_sides, write_merge_sides
from sennit.core.objects import Conflicted, GitFailed, Merged, MergeResult

if TYPE_CHECKING:
    from collections.abc import Collection

    from sennit.adapters.git.git import Config, Git, Place
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


@frozen
class Prepared:
    """A merge of three trees that git can do at once.

    ``sides`` are commits whose only common ancestor is the base, ``place`` has the attributes.
    """

    trees: Levelled
    sides: tuple[str, ...]
    place: Place


async def prepare_merge(
    git: Git,
    store: Store,
    trees: Levelled,
    at: int,
    *,
    attributes: str,
    paths: Collection[bytes],
) -> Prepared | GitFailed:
    """Get all ready for a merge with the attributes of a tree; ``at`` dates the commits.

    ``paths`` are those at which either side differs from the base.
    """
    both = (trees.ours, trees.theirs)
    found = await with_objects(
        store,
        lambda objects: (
            merge_sides(objects, trees.base, both, at),
            rules_for(objects, attributes, paths),
        ),
    )
    if isinstance(found, NotHere):
        sides = await write_merge_sides(git, store, trees.base, both, at)
        place = await with_attributes(git, store, attributes, paths)
    else:
        sides = found[0]
        place = await place_with(git, store, found[1])
    if isinstance(sides, GitFailed):
        return sides
    return place if isinstance(place, GitFailed) else Prepared(trees, sides, place)


async def merge_by_git(git: Git, store: Store, prepared: Prepared) -> MergeResult:
    """Merge what was prepared."""
    sides, paths = prepared.sides, prepared.trees.paths
    done = await git.run(
        ["merge-tree", "--write-tree", "-z", "--messages", *sides],
        prepared.place,
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
        return Conflicted(attempt.tree, conflicts, paths, attempt.aside)
    return Merged(attempt.tree, normalised=paths)
