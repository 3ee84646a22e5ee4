"""Line endings that were changed as a whole, made equal before a merge.

When one side turns a file from LF to CRLF and both sides edit it, every line differs and git sees
nothing but a conflict. All sides get the ending of our side, then the merge shows what was really
edited. Ours is the text so far, of the user or with what was accepted: no line of it may change
that nobody edited. The paths are named, so that it can be said.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import frozen

from sennit.adapters.git.raw_trees import REGULAR
from sennit.adapters.git.trees import read_blobs, write_blobs, write_tree
from sennit.core.objects import Entry, GitFailed
from sennit.core.text import LineEnding, line_ending, with_line_ending

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sennit.adapters.git.git import Git
    from sennit.adapters.git.store import Store

Texts = tuple[Entry, Entry, Entry]
"""Base, ours and theirs of a text."""


@frozen
class ThreeWay:
    """What three trees hold at one path that both sides changed."""

    base: Entry | None
    ours: Entry | None
    theirs: Entry | None

    @property
    def texts(self) -> Texts | None:
        """Give the sides when all are regular files with three different contents."""
        sides = (self.base, self.ours, self.theirs)
        files = tuple(side for side in sides if side is not None and side.mode in REGULAR)
        if len(files) < len(sides) or len({side.id for side in files}) < len(sides):
            return None
        return files[0], files[1], files[2]


@frozen
class Levelled:
    """Three trees whose files have one line ending each; ``paths`` are those that were changed."""

    base: str
    ours: str
    theirs: str
    paths: tuple[bytes, ...] = ()


async def level_line_endings(
    git: Git, store: Store, trees: Levelled, both: Mapping[bytes, ThreeWay]
) -> Levelled | GitFailed:
    """Give the three trees with whole changes of line endings taken back in files of ``both``."""
    texts = {path: sides for path, three in both.items() if (sides := three.texts)}
    if not texts:
        return trees
    blobs = await read_blobs(git, store, {side.id for sides in texts.values() for side in sides})
    if isinstance(blobs, GitFailed):
        return blobs
    changes: list[dict[bytes, tuple[Entry, bytes]]] = [{}, {}, {}]
    for path, sides in texts.items():
        contents = [blobs[side.id] for side in sides]
        wanted = _common_ending(*(line_ending(content) for content in contents))
        if wanted is None or any(b"\0" in content for content in contents):
            continue
        for change, side, content in zip(changes, sides, contents, strict=True):
            levelled = with_line_ending(content, wanted)
            if levelled != content:
                change[path] = (side, levelled)
    return await _written(git, store, trees, changes)


def _common_ending(base: LineEnding, ours: LineEnding, theirs: LineEnding) -> LineEnding | None:
    """Tell the ending that all sides are to get; None when nothing has to be done."""
    whole = {LineEnding.LF, LineEnding.CRLF}
    if not {base, ours, theirs} <= whole or base == ours == theirs:
        return None
    return ours


async def _written(
    git: Git, store: Store, trees: Levelled, changes: list[dict[bytes, tuple[Entry, bytes]]]
) -> Levelled | GitFailed:
    results: list[str] = []
    for tree, change in zip((trees.base, trees.ours, trees.theirs), changes, strict=True):
        ids = await write_blobs(git, store, [content for _, content in change.values()])
        if isinstance(ids, GitFailed):
            return ids
        entries = {
            path: Entry(side.mode, identity)
            for (path, (side, _)), identity in zip(change.items(), ids, strict=True)
        }
        written = await write_tree(git, store, tree, entries)
        if isinstance(written, GitFailed):
            return written
        results.append(written)
    paths = sorted({path for change in changes for path in change})
    return Levelled(results[0], results[1], results[2], tuple(paths))
