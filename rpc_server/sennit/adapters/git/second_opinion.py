"""A second opinion on clean merges: another algorithm, which may read the same edits otherwise.

Git merges by histogram differences, libgit2 by Myers'. Where both merge cleanly to different
texts, one of them is wrong and a person should look; such paths are named.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from typing import TYPE_CHECKING

from sennit.adapters.git.files import in_thread, make_private_folder, write_private
from sennit.adapters.git.inprocess import NotHere, Objects, with_objects
from sennit.adapters.git.raw_trees import tree_bytes
from sennit.adapters.git.scratch import scratch_name
from sennit.adapters.git.trees import read_blobs, write_blob
from sennit.core.objects import MODE_FILE, Entry, GitFailed

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from sennit.adapters.git.git import Git
    from sennit.adapters.git.line_endings import Texts, ThreeWay
    from sennit.adapters.git.store import Store

_MOST_CONFLICTS = 127
_FAILED = 255

Opinions = Mapping[bytes, str | None]
"""The clean text of each path by the other algorithm, as the id of a blob; None for a conflict."""


def doubtful(opinions: Opinions, merged: Mapping[bytes, Entry]) -> tuple[bytes, ...]:
    """Name the paths whose clean text by the other algorithm is not what they were merged to."""
    return tuple(
        path
        for path, other in opinions.items()
        if other is not None and path in merged and other != merged[path].id
    )


async def opinions_on(
    git: Git, store: Store, files: Mapping[bytes, ThreeWay]
) -> Opinions | GitFailed:
    """Merge the texts among these files by the other algorithm."""
    texts = {path: sides for path, three in files.items() if (sides := three.texts)}
    if not texts:
        return {}
    found = await with_objects(store, lambda objects: _by_libgit2(objects, tuple(texts.values())))
    if not isinstance(found, NotHere):
        return dict(zip(texts, found, strict=True))
    return await _by_merge_file(git, store, texts)


def _by_libgit2(objects: Objects, texts: Sequence[Texts]) -> tuple[str | None, ...]:
    # Not at the top: a server has to be ready long before its first merge.
    from pygit2.enums import MergeFlag  # noqa: PLC0415

    # Numbers stand for the names: no attribute and no driver can apply to them.
    names = [b"%08d" % number for number in range(len(texts))]
    trees = [
        objects.write_tree(
            tree_bytes(
                {name: Entry(MODE_FILE, one.id) for name, one in zip(names, side, strict=True)}
            )
        )
        for side in zip(*texts, strict=True)
    ]
    index = objects.repository.merge_trees(trees[0], trees[1], trees[2], flags=MergeFlag(0))
    clean = {entry.path: str(entry.id) for entry in index}
    conflicts = index.conflicts or ()
    in_conflict = {side.path for sides in conflicts for side in sides if side is not None}
    return tuple(
        None if name in in_conflict else clean.get(name) for name in map(bytes.decode, names)
    )


async def _by_merge_file(
    git: Git, store: Store, texts: Mapping[bytes, Texts]
) -> Opinions | GitFailed:
    """Ask ``git merge-file``, which uses Myers' differences too, where libgit2 cannot read."""
    blobs = await read_blobs(git, store, {side.id for sides in texts.values() for side in sides})
    if isinstance(blobs, GitFailed):
        return blobs
    folder = store.scratch / scratch_name("opinion")
    place = store.over(folder, store.scratch / "none")
    found: dict[bytes, str | None] = {}
    try:
        for path, sides in texts.items():
            made = await in_thread(
                "write a scratch file", _lay_out, folder, [blobs[side.id] for side in sides]
            )
            if isinstance(made, GitFailed):
                return made
            args = ["merge-file", "-p", "ours", "base", "theirs"]
            codes = range(_MOST_CONFLICTS + 1)
            done = await git.run(args, place, accept=[*codes, _FAILED])
            if isinstance(done, GitFailed):
                return done
            clean = await write_blob(git, store, done.stdout) if done.code == 0 else None
            if isinstance(clean, GitFailed):
                return clean
            found[path] = clean
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return found


def _lay_out(folder: Path, contents: Sequence[bytes]) -> None:
    make_private_folder(folder)
    for name, content in zip(("base", "ours", "theirs"), contents, strict=True):
        write_private(folder / os.fsdecode(name), content)
