"""Merges with conflicts that a person has settled, and what settles them.

A resolution is used only where git finds the conflict again, with the same three sides. The rest of
the tree is git's own attempt, so that nothing but the conflict is decided by it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from attrs import frozen

from sennit.adapters.git.merges import merge_trees
from sennit.adapters.git.regions import is_of_texts, three_texts
from sennit.adapters.git.trees import (
    empty_tree,
    entries_at,
    tree_entries,
    write_blob,
    write_tree,
)
from sennit.core.merge import decide_by_identity
from sennit.core.objects import (
    Conflict,
    Conflicted,
    ConflictKind,
    Entry,
    GitFailed,
    Merged,
    MergeResult,
)
from sennit.core.resolutions import Held, Resolution, settled
from sennit.core.suggestions import favoured
from sennit_protocol.conflicts import Side

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sennit.adapters.git.git import Git
    from sennit.adapters.git.store import Store

_BY_TREES = frozenset({
    ConflictKind.RENAME_RENAME,
    ConflictKind.RENAME_DELETE,
    ConflictKind.DIRECTORY_RENAME,
    ConflictKind.FILE_DIRECTORY,
    ConflictKind.NAME_COLLISION,
    ConflictKind.OTHER,
})  # fmt: skip
"""Conflicts about where things are: a side of these is what its whole tree holds at the paths."""


@frozen
class Three:
    """The trees of a merge."""

    base: str
    ours: str
    theirs: str

    def of(self, side: Side) -> str:
        """The tree of one side."""
        match side:
            case Side.BASE:
                return self.base
            case Side.OURS:
                return self.ours
            case Side.THEIRS:
                return self.theirs


async def merge_resolved(
    git: Git, store: Store, trees: Three, at: int, resolutions: Sequence[Resolution]
) -> MergeResult:
    """Merge as ``merge_trees`` does; what was settled about every conflict settles the merge."""
    result = await merge_trees(git, store, trees.base, trees.ours, trees.theirs, at)
    if not isinstance(result, Conflicted):
        return result
    known = settled(result.conflicts, resolutions)
    return result if known is None else await with_settled(git, store, result, known)


async def with_settled(
    git: Git, store: Store, attempt: Conflicted, resolutions: Sequence[Resolution]
) -> MergeResult:
    """Put what was settled in place of every conflict of git's attempt."""
    held = {one.path: one.entry for each in resolutions for one in each.held}
    tree = await _with_held(git, store, attempt, held)
    if isinstance(tree, GitFailed):
        return tree
    resolved = tuple(sorted(one.path for one in resolutions))
    return Merged(tree, normalised=attempt.normalised, resolved=resolved)


async def _with_held(
    git: Git, store: Store, attempt: Conflicted, held: dict[bytes, Entry | None]
) -> str | GitFailed:
    there = await entries_at(git, store, attempt.tree, (*held, *attempt.aside))
    if isinstance(there, GitFailed):
        return there
    changes: dict[bytes, Entry | None] = {path: None for path in attempt.aside if path in there}
    placed = {path: entry for path, entry in held.items() if entry is not None}
    changes |= {path: None for path in held if path not in placed and path in there}
    if any(path not in there for path in placed):
        # It may have to take the place of a folder.
        everything = await tree_entries(git, store, attempt.tree)
        if isinstance(everything, GitFailed):
            return everything
        folders = tuple(path + b"/" for path in placed)
        changes |= {path: None for path in everything if path.startswith(folders)}
    changes |= placed
    return await write_tree(git, store, attempt.tree, changes)


async def side_held(
    git: Git, store: Store, trees: Three, conflict: Conflict, side: Side
) -> tuple[Held, ...] | GitFailed:
    """What the paths of a conflict hold once one side counts there.

    Of texts, that side's lines count where the sides clash; the rest of both stays merged.
    """
    if is_of_texts(conflict):
        return await _favoured_held(git, store, conflict, side)
    if conflict.kind not in _BY_TREES:
        return (Held(conflict.path, _entry(conflict, side)),)
    found = await entries_at(git, store, trees.of(side), conflict.paths)
    if isinstance(found, GitFailed):
        return found
    return tuple(Held(path, found.get(path)) for path in conflict.paths)


def _entry(conflict: Conflict, side: Side) -> Entry | None:
    match side:
        case Side.BASE:
            return conflict.base
        case Side.OURS:
            return conflict.ours
        case Side.THEIRS:
            return conflict.theirs
        case _:
            assert_never(side)


async def _favoured_held(
    git: Git, store: Store, conflict: Conflict, side: Side
) -> tuple[Held, ...] | GitFailed:
    texts = await three_texts(git, store, (conflict,))
    if isinstance(texts, GitFailed):
        return texts
    content = favoured(texts[conflict.path], side)
    if content is None:
        # Git clashes where our cut does not: then the side counts as a whole.
        return (Held(conflict.path, _entry(conflict, side)),)
    if side is Side.BASE and conflict.base is None:
        return (Held(conflict.path, None),)
    return await text_held(git, store, conflict, content)


async def text_held(
    git: Git, store: Store, conflict: Conflict, content: bytes
) -> tuple[Held, ...] | GitFailed:
    """What the path of a conflict holds once a text settles it; its mode is merged."""
    identity = await write_blob(git, store, content)
    if isinstance(identity, GitFailed):
        return identity
    return (Held(conflict.path, Entry(merged_mode(conflict), identity)),)


def merged_mode(conflict: Conflict) -> int:
    """The mode of a file whose text was settled: what one side changed counts."""
    ours, theirs = conflict.ours, conflict.theirs
    if ours is None or theirs is None:
        raise ValueError(f"the conflict of {conflict.path!r} is not about two files")
    base = ours.mode if conflict.base is None else conflict.base.mode
    decided = decide_by_identity(base, ours.mode, theirs.mode)
    return ours.mode if decided is None else decided.value


async def carried(
    git: Git, store: Store, attempt: Conflicted, resolutions: Sequence[Resolution], at: int
) -> tuple[Resolution, ...] | GitFailed | None:
    """Bring resolutions of texts over to a text that has changed elsewhere since.

    None where one of the conflicts was never settled, or was changed in what was settled.
    """
    found: list[Resolution] = []
    for conflict in attempt.conflicts:
        one = await carried_one(git, store, conflict, resolutions, at)
        if one is None or isinstance(one, GitFailed):
            return one
        found.append(one)
    return tuple(found)


async def carried_one(
    git: Git, store: Store, conflict: Conflict, resolutions: Iterable[Resolution], at: int
) -> Resolution | GitFailed | None:
    """Bring what settled one conflict over, as ``carried`` does."""
    near = [one for one in resolutions if one.is_near(conflict)]
    exact = next((one for one in near if one.settles(conflict)), None)
    if exact is not None or not near:
        return exact
    one = near[0]
    was = one.conflict.ours
    if was is None or one.entry is None or not is_of_texts(conflict):
        return None
    sides = ThreeEntries(was, conflict.ours, one.entry)
    entry = await merge_alone(git, store, sides, at)
    if isinstance(entry, GitFailed):
        return entry
    if isinstance(entry, Conflicted):
        return None
    return Resolution(conflict, one.take, (Held(conflict.path, entry),), one.suggestion)


_ALONE = b"file"


@frozen
class ThreeEntries:
    """One file by itself in the three sides of a merge; None where a side has none."""

    base: Entry | None
    ours: Entry | None
    theirs: Entry | None


async def merge_alone(
    git: Git, store: Store, sides: ThreeEntries, at: int
) -> Entry | Conflicted | GitFailed | None:
    """Merge one file without all that lies beside it; None where the merge holds no file."""
    trees: list[str] = []
    for entry in (sides.base, sides.ours, sides.theirs):
        tree = await _alone(git, store, entry)
        if isinstance(tree, GitFailed):
            return tree
        trees.append(tree)
    merged = await merge_trees(git, store, trees[0], trees[1], trees[2], at)
    if not isinstance(merged, Merged):
        return merged
    entries = await entries_at(git, store, merged.tree, (_ALONE,))
    return entries if isinstance(entries, GitFailed) else entries.get(_ALONE)


async def _alone(git: Git, store: Store, entry: Entry | None) -> str | GitFailed:
    empty = await empty_tree(git, store)
    if isinstance(empty, GitFailed) or entry is None:
        return empty
    return await write_tree(git, store, empty, {_ALONE: entry})
