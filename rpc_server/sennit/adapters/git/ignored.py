"""Asks git which of some paths it ignores."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sennit.adapters.git.stage import nul_ended
from sennit.core.objects import GitFailed

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sennit.adapters.git.git import Git, Place

# ``check-ignore`` is the one command that refuses literal paths; a path that begins with a dot
# and a slash holds no magic either.
_NO_MAGIC = b"./"
_NOT_LITERAL = {"GIT_LITERAL_PATHSPECS": "0"}


async def ignored_among(
    git: Git, place: Place, paths: Iterable[bytes], *, by_index: bool = False
) -> frozenset[bytes] | GitFailed:
    """Give those paths that the rules of a place ignore, whether or not its index holds them.

    ``by_index``: rules that are not on the disk are read from the index, and what that holds is not
    ignored.
    """
    asked = ["check-ignore", *(() if by_index else ("--no-index",)), "-z", "--stdin"]
    answer = await git.run(
        asked,
        place,
        stdin=nul_ended(_NO_MAGIC + path for path in paths),
        accept=(0, 1),
        env=_NOT_LITERAL,
    )
    if isinstance(answer, GitFailed):
        return answer
    names = answer.stdout.split(b"\0")
    return frozenset(name.removeprefix(_NO_MAGIC) for name in names if name)
