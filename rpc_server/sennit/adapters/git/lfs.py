"""The files of git-lfs: the store has its own folder of them, which begins as links to the user's.

Without it the clean filter of a snapshot would write into the user's git directory, and the smudge
filter of a workspace would look for files where none are.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, assert_never

from sennit.adapters.git.file_copies import FileCopy, NoRoom, copy_files
from sennit.adapters.git.files import make_private_folder
from sennit.adapters.git.mirror import CANNOT_LINK, Copying, Linking, still_shared

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from sennit.adapters.git.git import Config
    from sennit.adapters.git.mirror import Sharing


def lfs_config(store_git_dir: Path) -> Config:
    """Point git-lfs to the folder of the store; without git-lfs this says nothing to anybody."""
    return (("lfs.storage", str(store_git_dir / "lfs")),)


def mirror_lfs(common_dir: Path, store_git_dir: Path, sharing: Sharing) -> NoRoom | None:
    """Link every file that git-lfs has for the user into the store, or copy it.

    Git-lfs names files by their content and never changes one, so what is there already is right.
    """
    ours = store_git_dir / "lfs" / "objects"
    missing = _missing(common_dir / "lfs" / "objects", ours)
    match sharing:
        case Linking():
            # On another disk all are copied, as far as that has room: git-lfs borrows from nowhere.
            unlinked = (pair for pair in missing if not _linked(*pair))
            return copy_files(list(_copies(unlinked)), sys.maxsize)
        case Copying(room=room):
            return copy_files([*still_shared(ours), *_copies(missing)], room)
        case unknown:
            assert_never(unknown)


def _missing(theirs: Path, ours: Path) -> Iterator[tuple[Path, Path]]:
    for folder, _, names in os.walk(theirs):
        target = ours / os.path.relpath(folder, theirs)
        if names:
            make_private_folder(target)
        for name in names:
            if not (target / name).exists():
                yield theirs / folder / name, target / name


def _copies(pairs: Iterable[tuple[Path, Path]]) -> Iterator[FileCopy]:
    for source, target in pairs:
        try:
            size = source.stat().st_size
        except FileNotFoundError:
            # Git-lfs has cleared it away meanwhile.
            continue
        # It has the times of its source, so that nobody else would wait for it.
        yield FileCopy(source, target, size, to_the_disk=True)


def _linked(source: Path, target: Path) -> bool:
    """Link a file, if that can be done; what is there or gone by now needs nothing either."""
    try:
        os.link(source, target, follow_symlinks=False)
    except (FileExistsError, FileNotFoundError):
        return True
    except OSError as error:
        if error.errno not in CANNOT_LINK:
            raise
        return False
    return True
