"""Asks git which of some paths it ignores."""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING

from attrs import frozen

from sennit.adapters.git.stage import nul_ended
from sennit.core.objects import GitFailed

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sennit.adapters.git.git import Git, Place

# ``check-ignore`` is the one command that refuses literal paths; a path that begins with a dot
# and a slash holds no magic either.
_NO_MAGIC = b"./"
_NOT_LITERAL = {"GIT_LITERAL_PATHSPECS": "0"}


EVERYTHING_ELSE = ("ls-files", "--others", "--directory", "--no-empty-directory", "-z")
"""Lists what is not tracked, without any rule: quick, since no folder is asked for its own."""


@frozen
class Others:
    """Ignored paths, and folders of which only a part is ignored; folders end with a slash."""

    ignored: tuple[bytes, ...]
    mixed: tuple[bytes, ...]


def told_apart(others: Iterable[bytes], untracked: Iterable[bytes]) -> Others:
    """Tell ignored paths from untracked ones among all that is not tracked."""
    names = sorted(untracked)
    known = set(names)
    ignored: list[bytes] = []
    mixed: list[bytes] = []
    for path in others:
        if path in known:
            continue
        at = bisect_left(names, path)
        holds_some = path.endswith(b"/") and at < len(names) and names[at].startswith(path)
        (mixed if holds_some else ignored).append(path)
    return Others(tuple(ignored), tuple(mixed))


async def with_those_in_mixed(
    git: Git, place: Place, others: Others
) -> tuple[bytes, ...] | GitFailed:
    """Give all ignored paths; git is asked for its rules only in folders that hold both."""
    if not others.mixed:
        return others.ignored
    rules = ("--ignored", "--exclude-standard", "--")
    listed = await git.run([*EVERYTHING_ELSE, *rules, *others.mixed], place)
    if isinstance(listed, GitFailed):
        return listed
    return others.ignored + tuple(path for path in listed.stdout.split(b"\0") if path)


async def ignored_among(
    git: Git, place: Place, paths: Iterable[bytes]
) -> frozenset[bytes] | GitFailed:
    """Give those paths that the rules of a place ignore, whether or not its index holds them."""
    answer = await git.run(
        ["check-ignore", "--no-index", "-z", "--stdin"],
        place,
        stdin=nul_ended(_NO_MAGIC + path for path in paths),
        accept=(0, 1),
        env=_NOT_LITERAL,
    )
    if isinstance(answer, GitFailed):
        return answer
    names = answer.stdout.split(b"\0")
    return frozenset(name.removeprefix(_NO_MAGIC) for name in names if name)
