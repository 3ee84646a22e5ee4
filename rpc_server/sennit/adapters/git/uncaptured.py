"""Names what an agent wrote where no capture can take it: ignored paths, absent submodules."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from sennit.adapters.git.disk import below, lies_beyond_a_link
from sennit.adapters.git.files import in_thread
from sennit.adapters.git.submodules import submodules_of
from sennit.adapters.walking import walked
from sennit.core.objects import GitFailed, LeftOut, LeftOutReason

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from sennit.adapters.git.git import Git, Place

MOST_NAMED = 20
"""How many ignored paths are named; the last one says how many more there are."""
_MOST_LOOKED_AT = 2_000
_IGNORED = "the agent wrote it, but git ignores it"
_ABSENT = (
    "the submodule is not there, so what the agent wrote in its folder belongs to no repository"
)


async def uncaptured(
    git: Git, place: Place, root: Path, *, ignored: Iterable[bytes], since_ns: int
) -> tuple[LeftOut, ...] | GitFailed:
    """Name what of ``ignored`` was written after a moment.

    The moment is in nanoseconds since 1970 and is compared with the change times of inodes.
    Ignored folders, which end with a slash, are named as one; a capture takes neither them nor
    what lies in the folder of a submodule that is not checked out.
    """
    paths = [path.rstrip(b"/") for path in ignored]
    top = os.fsencode(root)
    fresh = await in_thread("look at ignored files", _written_since, top, paths, since_ns)
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


def _written_since(root: bytes, paths: list[bytes], since_ns: int) -> list[bytes]:
    return [path for path in paths if _is_fresh(root, path, since_ns)]


def _is_fresh(root: bytes, path: bytes, since_ns: int) -> bool:
    """Tell whether anything there is newer; of a large folder only the beginning is looked at."""
    if lies_beyond_a_link(root, path):
        return False
    for number, one in enumerate(_below(below(root, path))):
        if number >= _MOST_LOOKED_AT:
            return False
        try:
            if os.lstat(one).st_ctime_ns > since_ns:
                return True
        except OSError:
            # Gone meanwhile, or where nobody can look.
            continue
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
