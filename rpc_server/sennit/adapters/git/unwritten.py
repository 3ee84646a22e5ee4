"""Files of the index that are not on the disk: flagged ones, and those outside the sparse patterns.

A snapshot takes such a file as the index has it. Whoever writes to the work tree has to know that
nothing lies there.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from sennit.adapters.git.disk import existing
from sennit.adapters.git.files import in_thread
from sennit.adapters.git.trees import entries_at
from sennit.core.objects import MODE_SUBMODULE, Entry, GitFailed

if TYPE_CHECKING:
    from collections.abc import Collection

    from sennit.adapters.git.discovery import Repository
    from sennit.adapters.git.git import Config, Git
    from sennit.adapters.git.store import Store

# Git would hide the flag of a file that a sparse checkout left out and that is there all the same.
_AS_IN_THE_INDEX: Config = (("sparse.expectFilesOutsideOfPatterns", "true"),)
_NOT_FLAGGED = frozenset({b"H", b"M"})


async def unwritten_among(
    git: Git, store: Store, repository: Repository, tree: str, paths: Collection[bytes]
) -> dict[bytes, Entry] | GitFailed:
    """Give those paths, with their entries, that a tree holds and that are not on the disk.

    Only where git is told not to look for them: any other has been removed this very moment.
    """
    root = os.fsencode(repository.work_tree)
    there = await in_thread("look at the work tree", existing, root, paths)
    if isinstance(there, GitFailed):
        return there
    absent = set(paths).difference(there)
    if not absent:
        return {}
    entries = await entries_at(git, store, tree, absent)
    if isinstance(entries, GitFailed):
        return entries
    files = {path: entry for path, entry in entries.items() if entry.mode != MODE_SUBMODULE}
    flagged = await flagged_among(git, repository, files.keys())
    if isinstance(flagged, GitFailed):
        return flagged
    return {path: entry for path, entry in files.items() if path in flagged}


async def flagged_among(
    git: Git, repository: Repository, paths: Collection[bytes]
) -> frozenset[bytes] | GitFailed:
    """Give those paths that git is told, in the user's index, not to look for on the disk."""
    if not paths:
        return frozenset()
    listed = await git.configured(_AS_IN_THE_INDEX).run(["ls-files", "-v", "-z"], repository.place)
    if isinstance(listed, GitFailed):
        return listed
    flagged = (one[2:] for one in listed.stdout.split(b"\0") if one[:1] not in _NOT_FLAGGED)
    return frozenset(flagged).intersection(paths)
