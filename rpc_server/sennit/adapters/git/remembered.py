"""Remembers which tree a work tree came to, so that one that has not changed is not staged again.

What decides a tree is the user's index, the configuration, the attributes that lie outside that
index, and the files that differ from it. Each file is known by its inode, size and times (the
change time is among them), as git knows the files of its own index; and as with git, what was
written within the last moments is not trusted. Attributes are few and small: they are read.
"""

from __future__ import annotations

import hashlib
import os
import stat
import time
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from attrs import frozen

from sennit.adapters.git.disk import below
from sennit.adapters.git.files import read_if_there, write_private

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from sennit.adapters.git.base_plan import Plan
    from sennit.adapters.git.look import Look

_SETTLED_NS = 50_000_000
"""Older than the coarsest clock that file times are taken from."""
_LONGEST_ID = 64


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
        for part in _parts(look, plan, began - _SETTLED_NS):
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


def _file(look: Look) -> Path:
    return look.store.root / "source.tree"


def _parts(look: Look, plan: Plan, settled: int) -> Iterator[bytes]:
    index = os.stat(look.repository.git_dir / "index")  # noqa: PTH116  as for other paths
    # The user may have replaced it since it was copied: then the plan is not one of this index.
    if index.st_mtime_ns != look.index.stat().st_mtime_ns:
        raise _CannotBeKnownError
    yield _status(index, settled)
    yield repr((look.git.config, look.store.object_format, look.store.rules)).encode()
    for name in ("config", "info/attributes", "info/sparse-checkout"):
        yield read_if_there(look.store.git_dir / name) or b""
    for file in _attributes_above(look, plan):
        yield (read_if_there(file) or b"") if file.is_file() else b""
    for path in sorted(plan.present):
        status = os.lstat(below(look.root, path))
        if stat.S_ISDIR(status.st_mode):
            raise _CannotBeKnownError
        yield path
        yield _status(status, settled)
    for path, entry in sorted(plan.entries.items()):
        yield path
        yield repr(entry).encode()


def _attributes_above(look: Look, plan: Plan) -> list[Path]:
    """Name what may say how the files that are read become objects, ignored or not."""
    folders = {
        parent for path in plan.present for parent in PurePosixPath(os.fsdecode(path)).parents
    }
    return [look.repository.work_tree / folder / ".gitattributes" for folder in sorted(folders)]


def _status(status: os.stat_result, settled: int) -> bytes:
    if max(status.st_mtime_ns, status.st_ctime_ns) > settled:
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
