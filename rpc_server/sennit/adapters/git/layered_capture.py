"""Finds what may differ in a workspace that is a layer, from outside and without its lower layer.

Its index takes every file as it is, as a sparse checkout does with files that are not there; git
then reads rules of ignoring and attributes of such files from the index. What the upper layer has,
hides or removes is compared; so a capture costs what was changed, needs no mount, and works after
a crash.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from attrs import evolve

from sennit.adapters.git.files import both, in_thread
from sennit.adapters.git.stage import nul_ended
from sennit.adapters.git.upper import differing, look_at_upper
from sennit.core.objects import GitFailed

if TYPE_CHECKING:
    from pathlib import Path

    from sennit.adapters.git.git import Config, Git, Place

_ALL_OF_IT: Config = (("core.sparseCheckout", "false"),)
_LONG_AGO = (1, 1)


async def compare_upper(git: Git, place: Place, plain: Path) -> GitFailed | None:
    """Have the index of ``place`` compared with the work tree where the upper layer has a say.

    ``plain``: the index that the workspace began with, which knows what lies in no layer because
    it is outside the sparse patterns.
    """
    upper, listed = await both(
        in_thread("look at a layer", look_at_upper, os.fsencode(str(place.work_tree))),
        git.run(["ls-files", "-t", "-z"], evolve(place, index_file=plain)),
    )
    if isinstance(upper, GitFailed):
        return upper
    if isinstance(listed, GitFailed):
        return listed
    records = listed.stdout.split(b"\0")[:-1]
    tracked = [record[2:] for record in records]
    absent = frozenset(record[2:] for record in records if record.startswith(b"S "))
    paths = await in_thread("look at a layer", differing, upper, tracked, absent)
    if isinstance(paths, GitFailed):
        return paths
    if paths:
        asked = ["update-index", "--no-skip-worktree", "-z", "--stdin"]
        done = await git.run(asked, place, stdin=nul_ended(paths), config=_ALL_OF_IT)
        if isinstance(done, GitFailed):
            return done
    # Older than every file: git then compares contents, and believes no time that can be set.
    return await in_thread("date an index", os.utime, str(place.index_file), _LONG_AGO)
