"""The files of git-lfs: the store has its own folder of them, which begins as links to the user's.

Without it the clean filter of a snapshot would write into the user's git directory, and the smudge
filter of a workspace would look for files where none are.
"""

from __future__ import annotations

import os
import shutil
from contextlib import suppress
from typing import TYPE_CHECKING

from sennit.adapters.git.files import make_private_folder

if TYPE_CHECKING:
    from pathlib import Path

    from sennit.adapters.git.git import Config


def lfs_config(store_git_dir: Path) -> Config:
    """Point git-lfs to the folder of the store; without git-lfs this says nothing to anybody."""
    return (("lfs.storage", str(store_git_dir / "lfs")),)


def mirror_lfs(common_dir: Path, store_git_dir: Path) -> None:
    """Link every file that git-lfs has for the user into the store, or copy it.

    Git-lfs names files by their content and never changes one, so what is there already is right.
    """
    theirs = common_dir / "lfs" / "objects"
    ours = store_git_dir / "lfs" / "objects"
    for folder, _, names in os.walk(theirs):
        target = ours / os.path.relpath(folder, theirs)
        if names:
            make_private_folder(target)
        for name in names:
            _link_or_copy(theirs / folder / name, target / name)


def _link_or_copy(source: Path, target: Path) -> None:
    with suppress(FileExistsError, FileNotFoundError):
        try:
            os.link(source, target, follow_symlinks=False)
        except (FileExistsError, FileNotFoundError):
            raise
        except OSError:
            # Another file system or another owner.
            shutil.copy2(source, target)
