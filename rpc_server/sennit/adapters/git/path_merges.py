"""Merges of trees path by path, where no name can have moved: only what meets is given to git.

Git finds a rename only where one side removes a path and adds another. Where neither side does
both, each path is merged by itself: it is as the side has it that changed it, and of a text that
both changed git merges the three versions, on trees that hold nothing else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import frozen

from sennit.adapters.git.files import both
from sennit.adapters.git.inprocess import NotHere, with_objects
from sennit.adapters.git.line_endings import Levelled
from sennit.adapters.git.merge_tree import merge_by_git, prepare_merge
from sennit.adapters.git.raw_trees import REGULAR, InTheWay, rewritten
from sennit.adapters.git.second_opinion import doubtful, opinions_on
from sennit.adapters.git.trees import entries_at, without_needless
from sennit.core.objects import GitFailed, Merged

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sennit.adapters.git.git import Git
    from sennit.adapters.git.inprocess import Objects
    from sennit.adapters.git.line_endings import ThreeWay
    from sennit.adapters.git.raw_trees import Sides
    from sennit.adapters.git.store import Store
    from sennit.core.objects import Entry


@frozen
class Changes:
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
    def meeting(self) -> Mapping[bytes, ThreeWay] | None:
        """The files that the sides changed differently, if there is nothing else to be merged."""
        if _may_rename(self.ours) or _may_rename(self.theirs):
            return None
        meeting = {path: three for path, three in self.both.items() if three.ours != three.theirs}
        return meeting if all(map(_is_file, meeting.values())) else None


def _may_rename(changed: Mapping[bytes, Sides]) -> bool:
    removes = any(sides.after is None for sides in changed.values())
    return removes and any(sides.before is None for sides in changed.values())


def _is_file(three: ThreeWay) -> bool:
    sides = (three.base, three.ours, three.theirs)
    return all(side is not None and side.mode in REGULAR for side in sides)


async def merge_by_path(
    git: Git, store: Store, trees: Levelled, changes: Changes, at: int
) -> Merged | None:
    """Merge each path by itself; None where that is not clean, or cannot be done in process.

    ``at`` dates the throw-away commits, in seconds since 1970.
    """
    meeting = changes.meeting
    if meeting is None:
        return None
    texts = await _merge_files(git, store, trees, meeting, at) if meeting else _Texts({})
    if texts is None:
        return None
    tree = await with_objects(store, lambda objects: _joined(objects, trees.ours, changes, texts))
    if not isinstance(tree, str):
        return None
    return Merged(tree, normalised=trees.paths, uncertain=texts.uncertain)


@frozen
class _Texts:
    """What came of files that met; the ``uncertain`` are read otherwise by another algorithm."""

    merged: Mapping[bytes, Entry]
    uncertain: tuple[bytes, ...] = ()


async def _merge_files(
    git: Git, store: Store, trees: Levelled, files: Mapping[bytes, ThreeWay], at: int
) -> _Texts | None:
    few = await with_objects(store, lambda objects: _written(objects, files))
    if isinstance(few, NotHere):
        return None
    prepared = await prepare_merge(git, store, few, at, attributes=trees.ours, paths=files)
    if isinstance(prepared, GitFailed):
        return None
    # Git and libgit2 work at the same time.
    result, opinions = await both(
        merge_by_git(git, store, prepared),
        opinions_on(git, store, files),
    )
    if not isinstance(result, Merged) or isinstance(opinions, GitFailed):
        return None
    merged = await entries_at(git, store, result.tree, files)
    if isinstance(merged, GitFailed):
        return None
    return _Texts(merged, doubtful(opinions, merged))


def _written(objects: Objects, files: Mapping[bytes, ThreeWay]) -> Levelled:
    """Store three trees, of the base and both sides, that hold these files alone."""

    def holding(entries: Mapping[bytes, Entry | None]) -> str:
        return rewritten(lambda _: (), objects.write_tree, "", entries)

    return Levelled(
        holding({path: three.base for path, three in files.items()}),
        holding({path: three.ours for path, three in files.items()}),
        holding({path: three.theirs for path, three in files.items()}),
    )


def _joined(objects: Objects, ours: str, changes: Changes, texts: _Texts) -> str | None:
    """Put into the tree of ours what theirs changed, and at paths that met what came of it.

    None where a file of one side is in the way of a folder of the other.
    """
    after = {path: sides.after for path, sides in changes.theirs.items()}
    wanted = without_needless(objects.folders(ours), {**after, **texts.merged})
    try:
        return rewritten(objects.items, objects.write_tree, ours, wanted)
    except InTheWay:
        return None
