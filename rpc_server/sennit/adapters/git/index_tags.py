"""How an index marks its paths, as ``git ls-files -t`` tells it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sennit.core.objects import GitFailed

if TYPE_CHECKING:
    from sennit.adapters.git.git import Config, Git, Place

SKIPPED = b"S"
"""The tag of a path that is not in the work tree (skip-worktree)."""


async def tags_in(git: Git, place: Place, config: Config = ()) -> dict[bytes, bytes] | GitFailed:
    """Give the tag of each path of the index of a place."""
    listed = await git.run(["ls-files", "-t", "-z"], place, config=config)
    if isinstance(listed, GitFailed):
        return listed
    records = (record.partition(b" ") for record in listed.stdout.split(b"\0") if record)
    return {path: tag for tag, _, path in records}


async def skipped_in(git: Git, place: Place) -> tuple[bytes, ...] | GitFailed:
    """Give the paths that the index of a place marks as not in the work tree, in order."""
    tags = await tags_in(git, place)
    if isinstance(tags, GitFailed):
        return tags
    return tuple(path for path, tag in tags.items() if tag == SKIPPED)
