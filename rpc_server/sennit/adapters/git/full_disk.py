"""Finds out whether git could not write a file for lack of room, which it does not say."""

from __future__ import annotations

import errno
import os
import re
from typing import TYPE_CHECKING

import anyio.to_thread
from attrs import evolve

from sennit.adapters.git.scratch import scratch_name
from sennit.core.objects import GitFailed

if TYPE_CHECKING:
    from pathlib import Path

    from sennit.adapters.git.git import Git
    from sennit.adapters.git.store import Store

_SAID = re.compile(r"unable to write file '?(.+?)'?$", re.MULTILINE)
_NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT})
_LITTLE = 1 << 20
_ADVICE = "Make room there, then try again."


async def told_if_full(
    git: Git, store: Store, failed: GitFailed, *, base: str, folder: Path
) -> GitFailed:
    """Add to a failure to write files of a base into a folder that there is no room for them."""
    path = _SAID.search(failed.stderr)
    if path is None:
        return failed
    asked = await git.run(["cat-file", "-s", f"{base}:{path[1]}"], store.place)
    size = _LITTLE if isinstance(asked, GitFailed) else int(asked.stdout)
    why = await anyio.to_thread.run_sync(_why_not_written, folder, max(size, _LITTLE))
    if why is None:
        return failed
    return evolve(failed, stderr=f"{failed.stderr.strip()}: {why}", advice=_ADVICE)


def _why_not_written(folder: Path, size: int) -> str | None:
    """Try to have a file of that size, in bytes: how much is free says nothing of quotas."""
    tried = folder / f".{scratch_name('room')}"
    try:
        with tried.open("xb") as file:
            os.posix_fallocate(file.fileno(), 0, size)
    except OSError as error:
        return error.strerror if error.errno in _NO_ROOM else None
    finally:
        tried.unlink(missing_ok=True)
    return None
