"""Looks whether a store still has the objects that kept work needs, and whether they can be read.

What the user's own commits hold is left out: git looks after that in the repository itself.
"""

from __future__ import annotations

import hashlib
import time
import zlib
from typing import TYPE_CHECKING

from attrs import field, frozen

from sennit.adapters.git.files import in_thread
from sennit.core.objects import GitFailed

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from sennit.adapters.git.git import Git
    from sennit.adapters.git.store import Store

_LEAST_S = 1.0
"""What a call of git is given at least, seconds: it has begun by then."""

_READING_S = 3.0
"""How long what is there is read, at most, where nothing is found to be wrong."""
_CHUNK = 1 << 20


@frozen
class Work:
    """One piece of kept work: a commit, and the one that it is based on."""

    name: str
    commit: str
    base: str


@frozen
class Looked:
    """What was found of works by their names: what is wrong with each that is damaged.

    ``unlooked`` are those that there was no time for. ``unread`` counts objects that are there and
    that there was no time to read.
    """

    damaged: dict[str, str] = field(factory=dict)
    unlooked: tuple[str, ...] = ()
    unread: int = 0


async def look_at_works(
    git: Git, store: Store, works: Sequence[Work], seconds: float, told: Callable[[int], None]
) -> Looked | GitFailed:
    """Look for at most that long; ``told`` hears how many works have been looked at.

    All are looked at together; one by one only if something is wrong, to find out what it is with.
    """
    until = time.monotonic() + seconds
    reached = await _reached(git, store, works, seconds)
    if not isinstance(reached, GitFailed):
        enough = time.monotonic() + min(seconds, _READING_S)
        unread = await in_thread("read objects", _unreadable, store, reached, enough)
        if isinstance(unread, GitFailed):
            return unread
        if not unread.ids:
            return Looked(unread=unread.left)
    return await _each(git, store, works, until, told)


async def _each(
    git: Git, store: Store, works: Sequence[Work], until: float, told: Callable[[int], None]
) -> Looked | GitFailed:
    damaged: dict[str, str] = {}
    for number, work in enumerate(works):
        told(number)
        reached = await _reached(git, store, (work,), until - time.monotonic())
        if time.monotonic() >= until:
            # A call that was stopped has found nothing out.
            return Looked(damaged, tuple(other.name for other in works[number:]))
        if isinstance(reached, GitFailed):
            damaged[work.name] = _said(reached)
            continue
        unread = await in_thread("read objects", _unreadable, store, reached, until)
        if isinstance(unread, GitFailed):
            return unread
        if unread.ids:
            damaged[work.name] = f"the object {unread.ids[0]} is damaged"
    return Looked(damaged)


async def _reached(
    git: Git, store: Store, works: Sequence[Work], seconds: float
) -> tuple[str, ...] | GitFailed:
    """Give every object that works need beside what is in the commits below their bases."""
    # A base with what is said after it stands for itself, without its parents.
    ends = {end for work in works for end in (work.commit, f"{work.base}^!")}
    done = await git.limited(seconds=max(seconds, _LEAST_S)).run(
        ["rev-list", "--objects", "--no-object-names", "--stdin"],
        store.place,
        stdin="".join(f"{end}\n" for end in sorted(ends)).encode(),
    )
    return done if isinstance(done, GitFailed) else tuple(done.stdout.decode("ascii").split())


def _said(failed: GitFailed) -> str:
    """Say what git missed: the last thing that it complained of is what ended it."""
    lines = failed.stderr.strip().splitlines() or [f"git ended with exit code {failed.exit_code}"]
    return lines[-1].removeprefix("fatal: ")


@frozen
class _Unread:
    """Those that are damaged, and how many there was no time for."""

    ids: tuple[str, ...]
    left: int


def _unreadable(store: Store, ids: Sequence[str], until: float) -> _Unread:
    """Read those that are files of their own; git reads no content to tell that one is there."""
    found: list[str] = []
    for number, identity in enumerate(ids):
        if time.monotonic() > until:
            return _Unread(tuple(found), len(ids) - number)
        if _is_damaged(store.objects / identity[:2] / identity[2:], store.object_format, identity):
            found.append(identity)
    return _Unread(tuple(found), 0)


def _is_damaged(path: Path, object_format: str, identity: str) -> bool:
    unpacked, digest = zlib.decompressobj(), hashlib.new(object_format)
    try:
        with path.open("rb") as file:
            while chunk := file.read(_CHUNK):
                digest.update(unpacked.decompress(chunk))
    except FileNotFoundError:
        # It is in a pack, or borrowed.
        return False
    except zlib.error:
        return True
    return not unpacked.eof or digest.hexdigest() != identity
