"""Which git is installed, and whether it can merge trees."""

from __future__ import annotations

import re
from pathlib import Path

from attrs import frozen

from sennit.adapters.git.git import Git, Place
from sennit.core.objects import GitFailed

OLDEST = (2, 38)
"""The first git whose ``merge-tree`` merges as ``git merge`` does, without a work tree."""

_NUMBERS = re.compile(r"git version (\d+)\.(\d+)")


@frozen
class GitVersion:
    """What git says of itself, and the first two numbers; none where it says something else."""

    told: str
    numbers: tuple[int, int] | None

    @property
    def advice(self) -> str | None:
        """What to do where it is too old; None where it is new enough, or nobody can tell."""
        if self.numbers is None or self.numbers >= OLDEST:
            return None
        oldest = ".".join(map(str, OLDEST))
        return f"Install git {oldest} or newer; older ones cannot merge without a work tree."


async def git_version(git: Git, folder: Path) -> GitVersion | GitFailed:
    """Ask git for its version; ``folder`` is any folder that exists."""
    answer = await git.run(["version"], Place(cwd=folder))
    if isinstance(answer, GitFailed):
        return answer
    told = answer.stdout.decode(errors="replace").strip()
    found = _NUMBERS.match(told)
    return GitVersion(told, (int(found[1]), int(found[2])) if found else None)
