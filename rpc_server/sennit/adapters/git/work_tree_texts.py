"""Contents of a tree as a checkout would write them: with line endings, filters and encodings."""

from __future__ import annotations

import os
import shutil
from collections.abc import Collection
from pathlib import Path

import anyio
import anyio.to_thread

from sennit.adapters.git.checkout import Source, check_out
from sennit.adapters.git.discovery import Repository
from sennit.adapters.git.files import in_thread, make_private_folder
from sennit.adapters.git.git import Git
from sennit.adapters.git.scratch import scratch_name
from sennit.adapters.git.store import Store
from sennit.core.objects import GitFailed


async def work_tree_contents(
    git: Git, store: Store, repository: Repository, source: Source, paths: Collection[bytes]
) -> dict[bytes, bytes] | GitFailed:
    """The bytes that a checkout of the tree would write at these paths, which the tree holds."""
    if not paths:
        return {}
    folder = store.scratch / scratch_name("texts")
    made = await in_thread("make a folder", make_private_folder, folder)
    if isinstance(made, GitFailed):
        return made
    try:
        failed = await check_out(git, store, repository, source, folder, tuple(paths))
        if failed is not None:
            return failed
        return await in_thread("read what was checked out", _contents, folder, tuple(paths))
    finally:
        with anyio.CancelScope(shield=True):
            await anyio.to_thread.run_sync(shutil.rmtree, folder, True)


def _contents(folder: Path, paths: tuple[bytes, ...]) -> dict[bytes, bytes]:
    found = {}
    for path in paths:
        file = folder / os.fsdecode(path)
        found[path] = os.fsencode(file.readlink()) if file.is_symlink() else file.read_bytes()
    return found
