"""Names what an agent brought where no capture can take it: ignored paths, absent submodules.

What it wrote there is newer than its workspace. What it moved there need not be, since the folder
of a file can be renamed: a file that the workspace began with, and that is not at its place any
more, is known by its size and the time of its last edit.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from attrs import frozen

from sennit.adapters.git.disk import below, lies_beyond_a_link
from sennit.adapters.git.files import in_thread
from sennit.adapters.git.index_file import UnknownIndexError, edit_in, edit_of, stat_data_of
from sennit.adapters.git.submodules import submodules_of
from sennit.adapters.walking import walked
from sennit.core.objects import GitFailed, LeftOut, LeftOutReason

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator
    from pathlib import Path

    from sennit.adapters.git.git import Git, Place

MOST_NAMED = 20
"""How many ignored paths are named; the last one says how many more there are."""
_MOST_LOOKED_AT = 2_000
_Edits = frozenset[tuple[int, int]]
_IGNORED = "the agent wrote it or moved it there, but git ignores it"
_ABSENT = (
    "the submodule is not there, so what the agent wrote in its folder belongs to no repository"
)


@frozen
class Begun:
    """What a workspace began with, and which paths of that are gone from it.

    ``since_ns``, nanoseconds since 1970 by the clock of its disk, is when it was complete.
    """

    since_ns: int
    index: Path
    object_format: str
    gone: Collection[bytes]


async def uncaptured(
    git: Git, place: Place, root: Path, ignored: Iterable[bytes], begun: Begun
) -> tuple[LeftOut, ...] | GitFailed:
    """Name what of ``ignored`` the agent wrote, or moved there.

    Ignored folders, which end with a slash, are named as one; a capture takes neither them nor
    what lies in the folder of a submodule that is not checked out.
    """
    paths = [path.rstrip(b"/") for path in ignored]
    fresh = await in_thread("look at ignored files", _brought, os.fsencode(root), paths, begun)
    if isinstance(fresh, GitFailed):
        return fresh
    absent = await _in_absent_submodules(git, place, root)
    return absent if isinstance(absent, GitFailed) else absent + _named(fresh)


def _named(paths: list[bytes]) -> tuple[LeftOut, ...]:
    named = [LeftOut(path, LeftOutReason.IGNORED, _IGNORED) for path in paths[:MOST_NAMED]]
    more = len(paths) - MOST_NAMED
    if more > 0:
        named[-1] = LeftOut(
            named[-1].path,
            LeftOutReason.IGNORED,
            f"{_IGNORED}, like {more} more that are not named",
        )
    return tuple(named)


def _brought(root: bytes, paths: list[bytes], begun: Begun) -> list[bytes]:
    if not paths:
        return []
    moved = _moved_away(begun) if begun.gone else _Edits()
    return [path for path in paths if _is_brought(root, path, begun.since_ns, moved)]


def _moved_away(begun: Begun) -> _Edits | None:
    """Give what is known of the files that are gone; None where it could be any file."""
    try:
        known = stat_data_of(begun.index.read_bytes(), begun.object_format)
        gone = frozenset(begun.gone)
        return frozenset(edit_in(data) for path, data in known if data is not None and path in gone)
    except UnknownIndexError:
        return None


def _is_brought(root: bytes, path: bytes, since_ns: int, moved: _Edits | None) -> bool:
    """Tell whether anything there is newer or was moved there.

    Where nothing is gone that could have been moved, only the beginning of a large folder is looked
    at.
    """
    if lies_beyond_a_link(root, path):
        return False
    if moved is None:
        return True
    for number, one in enumerate(_below(below(root, path))):
        if number >= _MOST_LOOKED_AT and not moved:
            return False
        try:
            status = os.lstat(one)
        except OSError:
            # Gone meanwhile, or where nobody can look.
            continue
        if status.st_ctime_ns > since_ns or edit_of(status) in moved:
            return True
    return False


def _below(top: bytes) -> Iterator[bytes]:
    yield top
    yield from (entry.path for entry in walked(top))


async def _in_absent_submodules(
    git: Git, place: Place, root: Path
) -> tuple[LeftOut, ...] | GitFailed:
    found = await submodules_of(git, place)
    if isinstance(found, GitFailed):
        return found
    paths = tuple(one.path for one in found)
    filled = await in_thread("look at submodules", _filled, os.fsencode(root), paths)
    if isinstance(filled, GitFailed):
        return filled
    return tuple(LeftOut(path, LeftOutReason.ABSENT_SUBMODULE, _ABSENT) for path in filled)


def _filled(root: bytes, paths: tuple[bytes, ...]) -> list[bytes]:
    """Give the folders that hold something, but no repository."""
    found = []
    for path in paths:
        if lies_beyond_a_link(root, path):
            continue
        try:
            names = os.listdir(below(root, path))  # noqa: PTH208  bytes
        except (FileNotFoundError, NotADirectoryError):
            continue
        if names and b".git" not in names:
            found.append(path)
    return found
