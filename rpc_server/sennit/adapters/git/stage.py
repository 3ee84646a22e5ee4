"""Brings an index of ours up to what lies on disk, path by path, and makes a tree of it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from sennit.adapters.git.disk import below, lies_beyond_a_link
from sennit.adapters.git.files import in_thread
from sennit.core.objects import Entry, GitFailed, LeftOut, LeftOutReason

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from sennit.adapters.git.git import Config, Git, Place

_MANY = 1_000
# Every new file goes into one pack instead of an object file each: several times faster.
_INTO_ONE_PACK: Config = (("core.bigFileThreshold", "1"),)
_DIED = 128
_MOST_REFUSED = 50
"""Paths that git may refuse one by one; more mean that something else is wrong."""
_MACHINE = ("No space left", "Disk quota exceeded", "Read-only file system", "Input/output error")


async def stage(
    git: Git,
    place: Place,
    present: Sequence[bytes],
    entries: Mapping[bytes, Entry | None],
    *,
    into_one_pack: bool = False,
) -> tuple[LeftOut, ...] | GitFailed:
    """Read the ``present`` paths from disk, then set ``entries`` (None removes a path).

    Listing the paths instead of ``git add -A`` keeps what must stay out from ever becoming an
    object, and does not look into submodules. Gives the paths that git refused; they stay in the
    index as they were. ``into_one_pack``: new objects get no file each.
    """
    # The call that reads what is there also removes what is not, which saves a call for that.
    gone = await in_thread("look for what is gone", _gone, place, entries) if present else []
    if isinstance(gone, GitFailed):
        return gone
    config = _INTO_ONE_PACK if into_one_pack or len(present) > _MANY else ()
    refused = await _read(git.configured(config), place, [*present, *gone])
    if isinstance(refused, GitFailed):
        return refused
    done = frozenset(gone) - {one.path for one in refused}
    rest = {path: entry for path, entry in entries.items() if path not in done}
    failed = await _set_entries(git, place, rest)
    return tuple(one for one in refused if one.path not in rest) if failed is None else failed


def _gone(place: Place, entries: Mapping[bytes, Entry | None]) -> list[bytes]:
    """Give the paths to remove at which nothing lies, not even behind a link."""
    root = os.fsencode(str(place.work_tree))
    removed = (path for path, entry in entries.items() if entry is None)
    return [
        path
        for path in removed
        if not lies_beyond_a_link(root, path) and not os.path.lexists(below(root, path))
    ]


async def _read(
    git: Git, place: Place, present: Sequence[bytes]
) -> tuple[LeftOut, ...] | GitFailed:
    """Read paths from disk. Git takes all or none, so one that it refuses is found by halving.

    It refuses what is not in the encoding that its attributes name, and what a filter fails on.
    """
    refused: list[LeftOut] = []
    waiting = [present] if present else []
    if len(present) == 1:
        # Of several each is refused twice, first with others, so that no chance decides. So is one.
        failed = await _update(git, place, present)
        if failed is None or not _is_refusal(failed):
            return () if failed is None else failed
    while waiting:
        paths = waiting.pop()
        failed = await _update(git, place, paths)
        if failed is None:
            continue
        if not _is_refusal(failed) or len(refused) == _MOST_REFUSED:
            return failed
        if len(paths) == 1:
            refused.append(LeftOut(paths[0], LeftOutReason.REFUSED_BY_GIT, failed.stderr))
        else:
            middle = len(paths) // 2
            waiting += [paths[middle:], paths[:middle]]
    return tuple(refused)


async def _update(git: Git, place: Place, paths: Sequence[bytes]) -> GitFailed | None:
    done = await git.run(
        ["update-index", "--add", "--remove", "--replace", "-z", "--stdin"],
        place,
        stdin=nul_ended(paths),
    )
    return done if isinstance(done, GitFailed) else None


def _is_refusal(failed: GitFailed) -> bool:
    return failed.exit_code == _DIED and not any(words in failed.stderr for words in _MACHINE)


async def _set_entries(
    git: Git, place: Place, entries: Mapping[bytes, Entry | None]
) -> GitFailed | None:
    """Set paths of an index to entries; None removes a path, with all its stages."""
    gone = [path for path, entry in entries.items() if entry is None]
    if gone:
        asked = ["update-index", "--force-remove", "-z", "--stdin"]
        done = await git.run(asked, place, stdin=nul_ended(gone))
        if isinstance(done, GitFailed):
            return done
    lines = [
        f"{entry.mode:o} {entry.id}\t".encode() + path
        for path, entry in entries.items()
        if entry is not None
    ]
    if not lines:
        return None
    asked = ["update-index", "--add", "--replace", "-z", "--index-info"]
    done = await git.run(asked, place, stdin=nul_ended(lines))
    return done if isinstance(done, GitFailed) else None


def nul_ended(paths: Iterable[bytes]) -> bytes:
    """Write paths the way that git reads them with ``-z``."""
    return b"".join(path + b"\0" for path in paths)


async def write_tree(git: Git, place: Place) -> str | GitFailed:
    """Make a tree of an index and give its id."""
    written = await git.run(["write-tree"], place)
    return written if isinstance(written, GitFailed) else written.stdout.decode().strip()
