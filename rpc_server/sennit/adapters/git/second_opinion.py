"""A second opinion on clean merges: another algorithm, which may read the same edits otherwise.

Git merges by histogram differences, libgit2 by Myers'. Where both merge cleanly to different
texts, one of them is wrong and a person should look; such paths are named.
"""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

from attrs import frozen

from sennit.adapters.git.files import in_thread, make_private_folder, write_private
from sennit.adapters.git.inprocess import NotHere, Objects, with_objects
from sennit.adapters.git.raw_trees import tree_bytes
from sennit.adapters.git.scratch import scratch_name
from sennit.adapters.git.trees import read_blobs
from sennit.core.objects import MODE_FILE, Entry, GitFailed

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from sennit.adapters.git.git import Git
    from sennit.adapters.git.store import Store

_MOST_CONFLICTS = 127


@frozen
class TextMerge:
    """One file that both sides changed: the ids of its three sides and of git's clean result."""

    path: bytes
    base: str
    ours: str
    theirs: str
    merged: str

    @property
    def sides(self) -> tuple[str, str, str]:
        """The three ids in the order of a merge."""
        return self.base, self.ours, self.theirs


async def doubtful(
    git: Git, store: Store, merges: Sequence[TextMerge]
) -> tuple[bytes, ...] | GitFailed:
    """Name the paths that the other algorithm merges cleanly to another text."""
    found = await with_objects(store, lambda objects: _by_libgit2(objects, merges))
    return await _by_merge_file(git, store, merges) if isinstance(found, NotHere) else found


def _by_libgit2(objects: Objects, merges: Sequence[TextMerge]) -> tuple[bytes, ...]:
    others = clean_texts(objects, [merge.sides for merge in merges])
    return tuple(
        merge.path
        for merge, other in zip(merges, others, strict=True)
        if other not in {None, merge.merged}
    )


def clean_texts(objects: Objects, merges: Sequence[Sequence[str]]) -> tuple[str | None, ...]:
    """Merge base, ours and theirs of each by the other algorithm; None where they conflict."""
    if not merges:
        return ()
    # Not at the top: a server has to be ready long before its first merge.
    from pygit2.enums import MergeFlag  # noqa: PLC0415

    # Numbers stand for the names: no attribute and no driver can apply to them.
    names = [b"%08d" % number for number in range(len(merges))]
    trees = [
        objects.write_tree(
            tree_bytes(
                {name: Entry(MODE_FILE, side) for name, side in zip(names, ids, strict=True)}
            )
        )
        for ids in zip(*merges, strict=True)
    ]
    index = objects.repository.merge_trees(trees[0], trees[1], trees[2], flags=MergeFlag(0))
    clean = {entry.path: str(entry.id) for entry in index}
    conflicts = index.conflicts or ()
    in_conflict = {side.path for sides in conflicts for side in sides if side is not None}
    return tuple(
        None if name in in_conflict else clean.get(name) for name in map(bytes.decode, names)
    )


async def _by_merge_file(
    git: Git, store: Store, merges: Sequence[TextMerge]
) -> tuple[bytes, ...] | GitFailed:
    """Ask ``git merge-file``, which uses Myers' differences too, where libgit2 cannot read."""
    wanted = {one for merge in merges for one in (*merge.sides, merge.merged)}
    blobs = await read_blobs(git, store, wanted)
    if isinstance(blobs, GitFailed):
        return blobs
    folder = store.scratch / scratch_name("opinion")
    try:
        found: list[bytes] = []
        for merge in merges:
            made = await in_thread(
                "write a scratch file", _lay_out, folder, [blobs[side] for side in merge.sides]
            )
            if isinstance(made, GitFailed):
                return made
            args = ["merge-file", "-p", "ours", "base", "theirs"]
            codes = range(_MOST_CONFLICTS + 1)
            place = store.over(folder, store.scratch / "none")
            done = await git.run(args, place, accept=[*codes, 255])
            if isinstance(done, GitFailed):
                return done
            if done.code == 0 and done.stdout != blobs[merge.merged]:
                found.append(merge.path)
        return tuple(found)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _lay_out(folder: Path, contents: Sequence[bytes]) -> None:
    make_private_folder(folder)
    for name, content in zip(("base", "ours", "theirs"), contents, strict=True):
        write_private(folder / os.fsdecode(name), content)
