"""Names the submodules that the index of a work tree holds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import anyio

from sennit.core.objects import MODE_SUBMODULE, GitFailed

if TYPE_CHECKING:
    from pathlib import Path

    from sennit.adapters.git.git import Git, Place

_GITLINK = b"%o " % MODE_SUBMODULE


async def submodules_of(git: Git, place: Place, root: Path) -> tuple[bytes, ...] | GitFailed:
    """List them by path. A tree that declares none is not looked through."""
    if not await anyio.Path(root / ".gitmodules").exists():
        return ()
    listed = await git.run(["ls-files", "--stage", "-z"], place)
    if isinstance(listed, GitFailed):
        return listed
    records = (record.partition(b"\t") for record in listed.stdout.split(b"\0"))
    return tuple(path for fields, _, path in records if fields.startswith(_GITLINK))
