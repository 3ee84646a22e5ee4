"""Removes the folder of a run, whatever its agent has put there: locked folders, endless depth."""

from __future__ import annotations

import errno
import os
from typing import TYPE_CHECKING

from sennit.adapters.git.delete import Kept, remove_tree

if TYPE_CHECKING:
    from pathlib import Path

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_MOUNTED = "something is mounted there; unmount it first"


def remove_folder(path: Path) -> None:
    """Remove a folder with all that it holds, following no link and entering no mount; blocks.

    Nobody may work in it any more. Raises OSError, FileNotFoundError where it is gone already.
    """
    path.lstat()
    parent = os.open(path.parent, _FOLDER)
    try:
        stopped = remove_tree(parent, os.fsencode(path.name), os.fsencode(path))
    finally:
        os.close(parent)
    if stopped is None:
        return
    if stopped.reason is Kept.OTHER_FILE_SYSTEM:
        raise OSError(errno.EBUSY, _MOUNTED, stopped.where)
    raise OSError(errno.EACCES, "it cannot be removed", stopped.where)
