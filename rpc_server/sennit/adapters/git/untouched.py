"""Files that git takes for changed although nobody has touched them since they were checked out.

Where a repository holds a text in other line endings than its rules ask for, git finds it changed
as soon as it reads it again, and of a new checkout it reads what was written last. That is no work
of an agent.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING

from sennit.adapters.git.disk import below
from sennit.adapters.git.files import in_thread
from sennit.adapters.git.index_file import UnknownIndexError, mode_in, stat_data, stat_data_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sennit.core.objects import GitFailed


async def untouched_among(
    root: bytes, index: Path, object_format: str, since_ns: int, paths: Iterable[bytes]
) -> frozenset[bytes] | GitFailed:
    """Give those of the files that are as they were when the workspace was complete.

    ``index`` is the one that the workspace began with, ``since_ns`` when it was complete, by the
    clock of its disk: a file that was touched later has a later time of change, which nobody sets.
    """
    return await in_thread(
        "look at files of a workspace", _untouched, root, index, object_format, since_ns, paths
    )


def _untouched(
    root: bytes, index: Path, object_format: str, since_ns: int, paths: Iterable[bytes]
) -> frozenset[bytes]:
    old = {path: status for path in paths if (status := _status(root, path)) is not None
           and status.st_ctime_ns <= since_ns}  # fmt: skip
    if not old:
        return frozenset()
    try:
        written = dict(stat_data_of(index.read_bytes(), object_format))
    except UnknownIndexError:
        # Then git alone decides.
        return frozenset()
    return frozenset(
        path
        for path, status in old.items()
        if (data := written.get(path)) is not None and stat_data(status, mode_in(data)) == data
    )


def _status(root: bytes, path: bytes) -> os.stat_result | None:
    try:
        status = Path(os.fsdecode(below(root, path))).lstat()
    except OSError:
        # What is gone, or cannot be looked at, is not known to be as it was.
        return None
    # The folder of a submodule says nothing about the commit that is checked out in it.
    return None if stat.S_ISDIR(status.st_mode) else status
