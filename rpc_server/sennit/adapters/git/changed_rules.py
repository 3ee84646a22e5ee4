"""The user's work tree as git sees it once a change of ``.gitattributes`` files is made.

Git reads attributes from the work tree, where the files of before still lie while others are got
ready that the new ones are about. So it is shown a folder of links to what lies there, with the
new rules in their places. Filters run in that folder, and find by it what they keep in the tree.
"""

from __future__ import annotations

import os
import shutil
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import anyio
import anyio.to_thread

from sennit.adapters.git.files import PRIVATE_FOLDER, in_thread, write_private
from sennit.adapters.git.raw_trees import REGULAR
from sennit.adapters.git.scratch import scratch_name
from sennit.adapters.git.trees import read_blobs
from sennit.core.names import refused
from sennit.core.objects import Entry, GitFailed
from sennit.core.units import parents

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping

    from sennit.adapters.git.git import Git
    from sennit.adapters.git.store import Store


@asynccontextmanager
async def under_rules(
    git: Git, store: Store, work_tree: Path, rules: Mapping[bytes, Entry | None]
) -> AsyncIterator[Path | GitFailed]:
    """Hold a work tree that has these files of attributes, or has none (None) at their paths.

    It is the user's own where none changes.
    """
    if not rules:
        yield work_tree
        return
    # Git does not read attributes through a link.
    files = {path: one.id for path, one in rules.items() if one and one.mode in REGULAR}
    blobs = await read_blobs(git, store, set(files.values()))
    if isinstance(blobs, GitFailed):
        yield blobs
        return
    contents = {
        path: blobs[files[path]] if path in files else None
        for path in rules
        if refused(path) is None
    }
    folder = store.scratch / scratch_name("view")
    try:
        made = await in_thread("show git the new rules", _lay_out, work_tree, folder, contents)
        yield folder if made is None else made
    finally:
        with anyio.CancelScope(shield=True):
            await anyio.to_thread.run_sync(shutil.rmtree, folder, True)


def _lay_out(work_tree: Path, folder: Path, rules: Mapping[bytes, bytes | None]) -> None:
    above = {b"", *(each for path in rules for each in parents(path))}
    for each in sorted(above, key=lambda path: (path.count(b"/"), path)):
        target = folder / os.fsdecode(each)
        target.mkdir(mode=PRIVATE_FOLDER)
        for entry in _entries(work_tree, each):
            name = os.fsencode(entry.name)
            if (each + b"/" + name if each else name) not in above | rules.keys():
                (target / entry.name).symlink_to(entry.path)
    for path, content in rules.items():
        if content is not None:
            write_private(folder / os.fsdecode(path), content)


def _entries(work_tree: Path, folder: bytes) -> list[os.DirEntry[str]]:
    """Give what lies in a folder of the work tree; nothing where there is none, or a link."""
    for each in (*parents(folder + b"/"),) if folder else ():
        lies = work_tree / os.fsdecode(each)
        if lies.is_symlink() or not lies.is_dir():
            return []
    with os.scandir(work_tree / os.fsdecode(folder)) as found:
        return list(found)
