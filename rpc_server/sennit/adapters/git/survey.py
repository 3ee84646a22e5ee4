"""One look at a work tree for a snapshot: what differs, what is ignored, what git looks away from.

Git's own list of ignored paths costs as much as all the rest of a status, since every folder is
asked for its rules. So everything that is not tracked is listed without rules, which is quick, and
what a status does not call untracked is ignored.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import evolve, frozen

from sennit.adapters.git.disk import existing
from sennit.adapters.git.files import both, in_thread
from sennit.adapters.git.ignored import told_apart, with_those_in_mixed
from sennit.adapters.git.stage import nul_ended
from sennit.adapters.git.status import Status, read_status
from sennit.core.objects import GitFailed

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sennit.adapters.git.look import Look

_ALL_THERE_IS = ("ls-files", "-v", "-c", "-o", "--directory", "--no-empty-directory", "-z")
_NOT_TRACKED = "?"
_FLAGGED = "SRCKhsmrck"
"""All other tags but ``H`` and ``M``, which are paths as usual and unmerged ones."""


@frozen
class Survey:
    """``status``, and how many files and whole folders are ignored; ``plain``: no path is flagged.

    Flagged are paths that git was told not to look at and that are there all the same.
    """

    status: Status
    ignored: int
    plain: bool = True


@frozen
class _Listed:
    flagged: tuple[bytes, ...]
    others: tuple[bytes, ...]


async def survey(look: Look) -> Survey | GitFailed:
    """Look at the work tree, counting edits of files that git was told not to look at."""
    status, listed = await both(
        read_status(look.git, look.place), look.git.run(_ALL_THERE_IS, look.place)
    )
    if isinstance(listed, GitFailed):
        return listed
    if isinstance(status, GitFailed):
        return status
    found = await in_thread("look at flagged files", _sorted_out, look.root, listed.stdout)
    if isinstance(found, GitFailed):
        return found
    surveyed = await _with_ignored(look, status, found.others)
    if isinstance(surveyed, GitFailed) or not found.flagged:
        return surveyed
    again = await _unflagged(look, found.flagged)
    return again if isinstance(again, GitFailed) else evolve(surveyed, status=again, plain=False)


async def _unflagged(look: Look, paths: Sequence[bytes]) -> Status | GitFailed:
    for flag in ("--no-assume-unchanged", "--no-skip-worktree"):
        done = await look.git.run(
            ["update-index", flag, "-z", "--stdin"], look.place, stdin=nul_ended(paths)
        )
        if isinstance(done, GitFailed):
            return done
    return await read_status(look.git, look.place)


def _sorted_out(root: bytes, listed: bytes) -> _Listed:
    flagged = [path for tag in _FLAGGED for path in _tagged(listed, tag)]
    return _Listed(existing(root, flagged), tuple(_tagged(listed, _NOT_TRACKED)))


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


async def _with_ignored(look: Look, status: Status, others: Sequence[bytes]) -> Survey | GitFailed:
    apart = told_apart(others, status.untracked)
    ignored = await with_those_in_mixed(look.git, look.place, apart)
    return ignored if isinstance(ignored, GitFailed) else Survey(status, len(ignored))
