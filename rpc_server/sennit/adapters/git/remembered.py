"""Remembers what a look at a work tree found, so that what has not changed is not asked again.

What decides a tree is the user's index, the configuration, the attributes that lie outside that
index, and the files that differ from it. Each file is known by its inode, size and times (the
change time is among them), as git knows the files of its own index; and as with git, what was
written within the last moments is not trusted. Attributes are few and small: they are read.
"""

from __future__ import annotations

import errno
import hashlib
import os
import stat
import time
from typing import TYPE_CHECKING

from attrs import frozen

from sennit.adapters.git.disk import below
from sennit.adapters.git.files import read_if_there, write_private

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from sennit.adapters.git.base_plan import Plan
    from sennit.adapters.git.look import Look

_SETTLED_NS = 50_000_000
"""Longer than a tick of the clock that most file systems take times from."""
_SECOND_NS = 1_000_000_000
_SETTLED_IN_SECONDS_NS = 2 * _SECOND_NS + _SETTLED_NS
"""The same where times are of whole seconds (ext4 with small inodes, sshfs) or of two (FAT)."""
_LONGEST_ID = 64
_ATTRIBUTES = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_NO_FILE = frozenset({errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.ENXIO})
"""Nothing there, or a link or a socket, which git does not follow or read for attributes."""


class _CannotBeKnownError(Exception):
    """Something there is not known by its status alone, such as the commit of a submodule."""


@frozen
class Recalled:
    """``key`` names the state of the work tree, ``tree`` what it came to if that is known."""

    key: str
    tree: str | None


def recall(look: Look, plan: Plan) -> Recalled | None:
    """Name the state of a work tree and look up its tree; None where it cannot be named."""
    began = time.time_ns()
    digest = hashlib.sha256()
    try:
        for part in _parts(look, plan, began):
            digest.update(b"%d " % len(part) + part)
    except (_CannotBeKnownError, OSError):
        return None
    key = digest.hexdigest()
    known, _, tree = (read_if_there(_file(look)) or b"").decode().partition(" ")
    return Recalled(key, tree if known == key and len(tree) <= _LONGEST_ID else None)


def remember(look: Look, recalled: Recalled | None, tree: str) -> None:
    """Keep what a state came to; what cannot be named is forgotten."""
    if recalled is None:
        _file(look).unlink(missing_ok=True)
    elif recalled.tree != tree:
        write_private(_file(look), f"{recalled.key} {tree}".encode())


def is_known_plain(look: Look) -> bool:
    """Tell whether the user's index is known to have no path that git was told not to look at."""
    known = read_if_there(_plain_file(look))
    try:
        return known is not None and known == _index_status(look)
    except (_CannotBeKnownError, FileNotFoundError):
        return False


def remember_plain(look: Look) -> None:
    """Keep that the index of this look has no such path, if it can be told from any other."""
    try:
        write_private(_plain_file(look), _index_status(look))
    except (_CannotBeKnownError, FileNotFoundError):
        _plain_file(look).unlink(missing_ok=True)


def is_settled(modified: int, changed: int, now: int) -> bool:
    """Tell whether a file with these times, in nanoseconds, gets others when it is written again.

    Times of whole seconds are taken for those of a file system that keeps no others.
    """
    in_seconds = changed % _SECOND_NS == 0
    tick = _SETTLED_IN_SECONDS_NS if in_seconds else _SETTLED_NS
    return max(modified, changed) <= now - tick


def _file(look: Look) -> Path:
    return look.store.root / "source.tree"


def _plain_file(look: Look) -> Path:
    return look.store.root / "source.plain"


def _index_status(look: Look) -> bytes:
    index = os.stat(look.repository.git_dir / "index")  # noqa: PTH116  as for other paths
    # The user may have replaced it since it was copied: then this look is not one at this index.
    if index.st_mtime_ns != look.index.stat().st_mtime_ns:
        raise _CannotBeKnownError
    return _status(index, time.time_ns())


def _parts(look: Look, plan: Plan, now: int) -> Iterator[bytes]:
    yield _index_status(look)
    yield repr((look.git.config, look.store.object_format, look.store.rules)).encode()
    for name in ("config", "info/attributes", "info/sparse-checkout"):
        yield read_if_there(look.store.git_dir / name) or b""
    for folder in sorted(_folders_above(plan.present)):
        yield _attributes_in(below(look.root, folder) if folder else look.root)
    for path in sorted(plan.present):
        status = os.lstat(below(look.root, path))
        if stat.S_ISDIR(status.st_mode):
            raise _CannotBeKnownError
        yield path
        yield _status(status, now)
    for path, entry in sorted(plan.entries.items()):
        yield path
        yield repr(entry).encode()


def _folders_above(paths: Iterable[bytes]) -> set[bytes]:
    """Give every folder that a path lies in, the top one as an empty name."""
    found: set[bytes] = set()
    for path in paths:
        folder = path.rpartition(b"/")[0]
        while folder not in found:
            found.add(folder)
            folder = folder.rpartition(b"/")[0]
    return found


def _attributes_in(folder: bytes) -> bytes:
    """Read what may say how the files that are read become objects, ignored or not."""
    try:
        handle = os.open(folder + b"/.gitattributes", _ATTRIBUTES)
    except OSError as error:
        if error.errno in _NO_FILE:
            return b""
        raise
    with os.fdopen(handle, "rb") as file:
        return file.read() if stat.S_ISREG(os.fstat(handle).st_mode) else b""


def _status(status: os.stat_result, now: int) -> bytes:
    if not is_settled(status.st_mtime_ns, status.st_ctime_ns, now):
        raise _CannotBeKnownError
    known = (
        status.st_dev,
        status.st_ino,
        status.st_mode,
        status.st_size,
        status.st_mtime_ns,
        status.st_ctime_ns,
    )
    return repr(known).encode()
