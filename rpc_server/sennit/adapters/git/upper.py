"""Reads the upper layer of a mounted workspace from outside: what lies there, what it hides.

What differs from the lower layer is all that lies in the upper one: files, folders that are merged
with those below, whiteouts (character devices 0/0: nothing is there), and opaque folders (nothing
of what lies below counts), as the kernel's overlayfs documentation describes them.
"""

from __future__ import annotations

import errno
import os
import stat
from typing import TYPE_CHECKING

from attrs import field, frozen

from sennit.adapters.git.disk import below, is_whiteout

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_OPAQUE = "user.overlay.opaque"
_YES = b"y"
_NOT_SAID = frozenset({errno.ENODATA, errno.ENOTSUP, errno.EACCES})
"""A folder that may not be read is one of which nobody knows what it holds."""
_GIT = b".git"


@frozen
class Upper:
    """Paths in an upper layer, relative to it.

    ``files``: what is there, links and special files too. ``hiding``: files, whiteouts and folders
    that hide all that the lower layer has below them.
    """

    files: list[bytes] = field(factory=list)
    folders: list[bytes] = field(factory=list)
    whiteouts: list[bytes] = field(factory=list)
    hiding: list[bytes] = field(factory=list)


def look_at_upper(root: bytes) -> Upper:
    """Walk an upper layer, whose own ``.git`` is left out; no link is followed."""
    found = Upper()
    waiting = [b""]
    while waiting:
        folder = waiting.pop()
        try:
            with os.scandir(below(root, folder) if folder else root) as entries:
                listed = list(entries)
        except PermissionError:
            # Nobody knows what it holds; the look at each path will say that it cannot be read.
            found.hiding.append(folder)
            continue
        for entry in listed:
            name = os.fsencode(entry.name)
            if folder or name != _GIT:
                _sort_in(found, entry, below(folder, name) if folder else name, waiting)
    return found


def _sort_in(found: Upper, entry: os.DirEntry[bytes], path: bytes, waiting: list[bytes]) -> None:
    if entry.is_dir(follow_symlinks=False):
        found.folders.append(path)
        if is_opaque(entry.path):
            found.hiding.append(path)
        waiting.append(path)
        return
    found.hiding.append(path)
    if is_whiteout(entry.stat(follow_symlinks=False)):
        found.whiteouts.append(path)
    else:
        found.files.append(path)


def is_opaque(folder: bytes) -> bool:
    """Tell whether a folder of an upper layer hides all that lies below it in the lower one."""
    try:
        return os.getxattr(folder, _OPAQUE, follow_symlinks=False) == _YES
    except OSError as error:
        if error.errno in _NOT_SAID:
            return False
        raise


def make_whiteout(root: bytes, path: bytes) -> None:
    """Have nothing be at a path, whatever the lower layer has there. Raises OSError."""
    full = below(root, path)
    os.makedirs(os.path.dirname(full), exist_ok=True)  # noqa: PTH103, PTH120  bytes
    os.mknod(full, stat.S_IFCHR, os.makedev(0, 0))


def make_opaque(root: bytes, path: bytes) -> None:
    """Have a folder be at a path, without what the lower layer has below it. Raises OSError."""
    full = below(root, path)
    os.makedirs(full, exist_ok=True)  # noqa: PTH103  bytes
    os.setxattr(full, _OPAQUE, _YES, follow_symlinks=False)


def to_hide(gone: Iterable[bytes], kept: Iterable[bytes]) -> list[bytes]:
    """Give what has to be hidden so that the paths ``gone`` are, and no folder of nothing else.

    ``kept`` are the paths that are there afterwards. Below one of these nothing needs to be hidden.
    """
    files = frozenset(kept)
    folders = {folder for path in files for folder in _above(path)}
    hidden: set[bytes] = set()
    for path in gone:
        steps = (*_above(path), path)
        first = next((step for step in steps if step not in folders), None)
        # A file that becomes a folder is hidden by that folder, and what lay in a folder that
        # becomes a file by that file.
        if first is not None and files.isdisjoint(steps):
            hidden.add(first)
    return sorted(hidden)


def _above(path: bytes) -> Iterator[bytes]:
    at = path.find(b"/")
    while at >= 0:
        yield path[:at]
        at = path.find(b"/", at + 1)
