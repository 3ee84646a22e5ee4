"""Removes the folder of a run, whatever its agent has put there: locked folders, endless depth."""

from __future__ import annotations

import os
import secrets
import stat
from itertools import count
from pathlib import Path

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_OWNER_MAY_ALL = 0o700


def remove_folder(path: Path) -> None:
    """Remove a folder with all that it holds, following no link; blocks.

    Nobody may work in it any more. What lies deep is moved up first, so that neither the stack
    nor the length of a path ends it. Raises OSError, FileNotFoundError where it is gone already.
    """
    path.chmod(_OWNER_MAY_ALL)
    top = os.open(path, _FOLDER)
    names = (f"{secrets.token_hex(8)}-{number}" for number in count())
    try:
        while found := os.listdir(top):  # noqa: PTH208  a folder that is open
            for name in found:
                if not _is_folder(top, name):
                    os.unlink(name, dir_fd=top)
                    continue
                inner = _unlocked(top, name)
                try:
                    for each in os.listdir(inner):  # noqa: PTH208  as above
                        if _is_folder(inner, each):
                            # It cannot be moved by who may not write into it.
                            os.close(_unlocked(inner, each))
                        os.rename(each, next(names), src_dir_fd=inner, dst_dir_fd=top)
                finally:
                    os.close(inner)
                os.rmdir(name, dir_fd=top)
    finally:
        os.close(top)
    path.rmdir()


def _is_folder(parent: int, name: str) -> bool:
    return stat.S_ISDIR(os.stat(name, dir_fd=parent, follow_symlinks=False).st_mode)


def _unlocked(parent: int, name: str) -> int:
    """Open a folder, also one that its owner took every right from."""
    os.chmod(name, _OWNER_MAY_ALL, dir_fd=parent)
    return os.open(name, _FOLDER, dir_fd=parent)
