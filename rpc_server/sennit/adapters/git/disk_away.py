"""Notices that a folder of ours is gone with its disk, which is not mounted just now.

Made anew it would lie in the mount point, empty, and hide that what it held is elsewhere. So a
folder on another mount than the state folder holds a mark, which the state folder remembers.
"""

from __future__ import annotations

import errno
import json
import os
import secrets
from contextlib import contextmanager
from hashlib import sha256
from typing import TYPE_CHECKING

from attrs import frozen

from sennit.adapters.git.files import make_private_folder, read_if_there, write_private
from sennit.adapters.platform.filesystems import on_one_mount
from sennit.core.objects import GitFailed
from sennit.core.shell_words import shell_word

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

MARK = ".sennit-disk"
"""A file in each folder of ours that lies on a disk of its own: which one it is."""
MEMORIES = "disks"
"""The folder in the state folder that remembers these marks, in a file for each."""
AWAY = "its disk is not mounted"
"""What is said of such a folder; all that waits for a disk goes by it (see `full_disk`)."""


_NOT_NOW = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EROFS})


@frozen
class DiskAway:
    """A folder of ours that is not the one which was there, and the file that remembers that."""

    folder: Path
    memory: Path

    @property
    def told(self) -> str:
        """What is wrong, without an end."""
        return f"{self.folder} is not the folder that Sennit has used: {AWAY}, or it was removed"

    @property
    def advice(self) -> str:
        """What to do about it."""
        begin_anew = f"rm -- {shell_word(os.fsencode(self.memory))}"
        return (
            "Mount its disk, then try again; nothing has to be started anew. Only if what it held"
            f" is lost for good, have an empty one made: `{begin_anew}`."
        )

    def failure(self, doing: str) -> GitFailed:
        """Give it as what keeps something from being done."""
        return GitFailed(doing, None, self.told, self.advice)


def made_on_its_disk(state: Path, folder: Path) -> DiskAway | None:
    """Make a folder of ours if there never was one; where one was and is not now, tell so.

    Raises OSError.
    """
    away = disk_away(state, folder)
    if away is not None:
        return away
    make_private_folder(folder)
    memory = _memory(state, folder)
    if not memory.exists() and not _are_on_one_mount(state, folder):
        try:
            _remember(memory, folder)
        except OSError as error:
            # Who makes room there has to get to it. The next time remembers it.
            if error.errno not in _NOT_NOW:
                raise
    return None


def disk_away(state: Path, folder: Path) -> DiskAway | None:
    """Tell whether a folder of ours has gone with its disk; nothing is made."""
    memory = _memory(state, folder)
    known = read_if_there(memory)
    if known is None or _is_that_of(known, _mark(folder)):
        return None
    return DiskAway(folder, memory)


def _memory(state: Path, folder: Path) -> Path:
    return state / MEMORIES / f"{sha256(os.fsencode(folder)).hexdigest()[:16]}.json"


def _is_that_of(known: bytes, mark: str) -> bool:
    """Compare marks; of a memory that is torn it is known that there was one."""
    try:
        return bool(mark == json.loads(known)["mark"])
    except (ValueError, KeyError, TypeError):
        return mark != ""


def _mark(folder: Path) -> str:
    return (read_if_there(folder / MARK) or b"").decode("ascii", "replace").strip()


def _remember(memory: Path, folder: Path) -> None:
    if not _mark(folder):
        write_private(folder / MARK, f"{secrets.token_hex(16)}\n".encode(), to_the_disk=True)
    make_private_folder(memory.parent)
    # The folder is told for people: the name of the file does not say it.
    content = {"folder": os.fsencode(folder).decode("utf-8", "backslashreplace")}
    write_private(memory, json.dumps({**content, "mark": _mark(folder)}).encode(), to_the_disk=True)


def _are_on_one_mount(state: Path, folder: Path) -> bool:
    with _opened(state) as one, _opened(folder) as other:
        return on_one_mount(one, other)


@contextmanager
def _opened(folder: Path) -> Iterator[int]:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield descriptor
    finally:
        os.close(descriptor)
