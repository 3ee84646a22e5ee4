"""Looks at a user's work tree by the names that its disk has, whatever configuration says of them.

A repository that was copied from a disk that folds case goes on saying so: git would take a file
for another that is tracked, and list it as neither. Patterns of the user fold all the same.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from attrs import evolve

from sennit.adapters.git.disk_abilities import tells_case_apart
from sennit.adapters.git.files import in_thread
from sennit.adapters.git.ignored import ignored_among
from sennit.core.objects import GitFailed

if TYPE_CHECKING:
    from pathlib import Path

    from sennit.adapters.git.git import Config, Git, Place
    from sennit.adapters.git.status import Status

_APART: Config = (("core.ignoreCase", "false"),)


def names_config(work_tree: Path) -> Config:
    """Give the configuration for calls that ask which names a work tree holds and no more."""
    return _APART if tells_case_apart(os.fsencode(work_tree)) else ()


async def by_disk(place: Place) -> Place | GitFailed:
    """Give the place of a work tree, for such calls."""
    if place.work_tree is None:
        raise ValueError("a place without a work tree")
    config = await in_thread("look at a work tree", names_config, place.work_tree)
    return config if isinstance(config, GitFailed) else evolve(place, config=place.config + config)


async def without_ignored(git: Git, place: Place, status: Status) -> Status | GitFailed:
    """Count as ignored what the rules of ``place``, as they fold names, say is ignored."""
    if not status.untracked:
        return status
    ignored = await ignored_among(git, place, status.untracked)
    if isinstance(ignored, GitFailed):
        return ignored
    untracked = tuple(path for path in status.untracked if path not in ignored)
    return evolve(status, untracked=untracked, ignored=(*status.ignored, *sorted(ignored)))
