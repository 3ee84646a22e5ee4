"""One look at a work tree for a snapshot: what differs, is ignored, or is hidden from git."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import evolve, frozen

from sennit.adapters.git.disk import existing
from sennit.adapters.git.disk_abilities import folds_case
from sennit.adapters.git.files import both, in_thread
from sennit.adapters.git.names_by_disk import without_ignored
from sennit.adapters.git.remembered import is_known_plain, remember_plain
from sennit.adapters.git.stage import nul_ended
from sennit.adapters.git.status import Status, read_status_and_ignored
from sennit.core.objects import GitFailed

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sennit.adapters.git.look import Look

_FLAGS = ("ls-files", "-v", "-z")
_FLAGGED = "SRCKhsmrck"
"""All other tags but ``H`` and ``M``, which are paths as usual and unmerged ones."""


@frozen
class Survey:
    """``plain``: no path is flagged, which means that git was told not to look at it."""

    status: Status
    plain: bool


async def survey(look: Look) -> Survey | GitFailed:
    """Look at the work tree, counting edits of files that git was told not to look at.

    Names are told apart as the disk does; see ``as_the_user_ignores``.
    """
    status, flagged = await both(_status(look), _flagged(look))
    if isinstance(flagged, GitFailed):
        return flagged
    if isinstance(status, GitFailed) or not flagged:
        return status if isinstance(status, GitFailed) else Survey(status, plain=True)
    again = await _unflagged(look, flagged)
    return again if isinstance(again, GitFailed) else Survey(again, plain=False)


async def as_the_user_ignores(look: Look, surveyed: Survey) -> Survey | GitFailed:
    """Take nothing for new that the user's git ignores where it folds names in patterns too."""
    if not look.names or not folds_case(look.store.users_disk):
        return surveyed
    status = await without_ignored(look.git, look.place, surveyed.status)
    return status if isinstance(status, GitFailed) else evolve(surveyed, status=status)


async def _status(look: Look) -> Status | GitFailed:
    return await read_status_and_ignored(look.git, evolve(look.place, config=look.names))


async def _flagged(look: Look) -> tuple[bytes, ...] | GitFailed:
    """Give flagged paths at which something lies; an index that is known to have none is not read.

    Those outside the sparse patterns are flagged too, and mostly nothing lies there.
    """
    if await in_thread("look at the index", is_known_plain, look) is True:
        return ()
    listed = await look.git.run(_FLAGS, look.place)
    if isinstance(listed, GitFailed):
        return listed
    return await in_thread("look at flagged files", _sorted_out, look, listed.stdout)


async def _unflagged(look: Look, paths: Sequence[bytes]) -> Status | GitFailed:
    for flag in ("--no-assume-unchanged", "--no-skip-worktree"):
        done = await look.git.run(
            ["update-index", flag, "-z", "--stdin"], look.place, stdin=nul_ended(paths)
        )
        if isinstance(done, GitFailed):
            return done
    return await _status(look)


def _sorted_out(look: Look, listed: bytes) -> tuple[bytes, ...]:
    flagged = [path for tag in _FLAGGED for path in _tagged(listed, tag)]
    if not flagged:
        remember_plain(look)
    return existing(look.root, flagged)


def _tagged(listed: bytes, tag: str) -> Iterator[bytes]:
    """Give the paths of one tag; the many plain ones are passed over without a look at each."""
    start = f"{tag} ".encode()
    if listed.startswith(start):
        yield listed[len(start) : listed.index(b"\0")]
    start = b"\0" + start
    at = listed.find(start)
    while at >= 0:
        end = listed.index(b"\0", at + 1)
        yield listed[at + len(start) : end]
        at = listed.find(start, end)
