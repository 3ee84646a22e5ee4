"""Names that an application has spelled anew, on a disk that takes both spellings for one name.

Git goes by the spelling of its index, also after a file was renamed by case alone, so that a
snapshot has the old name. What takes the application back must find the one that it left there.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping

import anyio.to_thread

from sennit.adapters.git.disk_abilities import tells_case_apart
from sennit.adapters.git.respelled import spelled
from sennit.adapters.git.trees import entries_at
from sennit.core.names import folded
from sennit.core.objects import Entry, GitFailed, Snapshot
from sennit.server.applying.amending import Amended, amended_at, unsaved_in
from sennit.server.applying.values import Wish
from sennit.server.repositories import Opened
from sennit.server.services import Services


async def as_spelled_on_disk(
    services: Services, opened: Opened, live: Snapshot, wish: Wish, at: int
) -> Amended | GitFailed:
    """Give the live text the names that an application left, where they are still so spelled.

    The paths are these, while git goes by others.
    """
    twins = _twins(wish)
    if not twins:
        return Amended(live)
    read = await entries_at(services.git, opened.store, live.tree, {*twins, *twins.values()})
    if isinstance(read, GitFailed):
        return read
    unsaved = unsaved_in(live)
    asked = {
        new: old
        for new, old in twins.items()
        if new not in read and old in read and not unsaved & {new, old}
    }
    if not asked:
        return Amended(live)
    top = os.fsencode(opened.repository.work_tree)
    names = await anyio.to_thread.run_sync(_still_so, top, asked)
    changes: dict[bytes, Entry | None] = {asked[new]: None for new in names}
    changes |= {new: read[asked[new]] for new in names}
    return await amended_at(services, opened, live, changes, at)


def _twins(wish: Wish) -> Mapping[bytes, bytes]:
    """Give what was written by names that differ from others of the parts by spelling alone."""
    if not wish.written:
        return {}
    units = [unit for part in wish.parts for unit in part.units if unit.id in part.accepted]
    names = {path for unit in units for path in (unit.path, unit.old_path)}
    others = {folded(name): name for name in names - wish.written.keys()}
    known = ((name, others.get(folded(name))) for name in wish.written)
    return {name: other for name, other in known if other is not None}


def _still_so(top: bytes, names: Iterable[bytes]) -> frozenset[bytes]:
    if tells_case_apart(top):
        return frozenset()
    return frozenset(name for name in names if spelled(top, name) == name)
