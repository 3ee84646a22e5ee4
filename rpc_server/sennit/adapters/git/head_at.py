"""A git directory of a moment that shares a store's objects, refs and configuration.

Git says what differs from a commit in one call (``status``) only where that commit is HEAD, and the
HEAD of a store is nothing. So this one is made like that of a linked worktree (gitrepository-layout
calls them ``commondir``), with a HEAD of its own.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from sennit.adapters.git.files import make_private_folder, read_if_there, write_private

if TYPE_CHECKING:
    from pathlib import Path

    from sennit.adapters.git.store import Store


def make_git_directory_at(store: Store, folder: Path, commit: str) -> None:
    """Make it at a place where nothing is; who asked for it removes it. Raises OSError."""
    make_private_folder(folder / "info")
    write_private(folder / "HEAD", f"{commit}\n".encode())
    write_private(folder / "commondir", os.fsencode(store.git_dir) + b"\n")
    sparse = read_if_there(store.git_dir / "info" / "sparse-checkout")
    if sparse is not None:
        # Of all that decides a status only these patterns belong to each git directory alone.
        write_private(folder / "info" / "sparse-checkout", sparse)
