"""The modes of the live text where git does not look at them, as ``core.fileMode`` says.

There a snapshot tells the modes of the index, and of a new file that it is no program. To a merge
that would be a change of the user's: of a program that an application has written, for one.
"""

from __future__ import annotations

from attrs import evolve

from sennit.adapters.git.disk_abilities import kept_on
from sennit.adapters.git.raw_trees import REGULAR
from sennit.adapters.git.trees import entries_at
from sennit.core.objects import Entry, GitFailed, Snapshot
from sennit.server.applying.amending import amended
from sennit.server.applying.values import Part, Wish
from sennit.server.repositories import Opened
from sennit.server.services import Services


async def with_known_modes(
    services: Services, opened: Opened, live: Snapshot, wish: Wish, at: int
) -> Snapshot | GitFailed:
    """Give the live text the modes that what is to be applied begins with, or brings itself."""
    if kept_on(opened.store.users_disk).modes:
        return live
    known: dict[bytes, Entry] = {}
    for part in wish.parts:
        entries = await _entries(services, opened, part)
        if isinstance(entries, GitFailed):
            return entries
        # The first part that is about a path begins with what lies there.
        known = entries | known
    there = await entries_at(services.git, opened.store, live.tree, known.keys())
    if isinstance(there, GitFailed):
        return there
    changes = {
        path: evolve(entry, mode=known[path].mode)
        for path, entry in there.items()
        if {entry.mode, known[path].mode} == REGULAR
    }
    return await amended(services, opened, live, changes, at)


async def _entries(
    services: Services, opened: Opened, part: Part
) -> dict[bytes, Entry] | GitFailed:
    units = [unit for unit in part.units if unit.id in part.accepted]
    brought = {unit.path: unit.after for unit in units if unit.after is not None}
    paths = {path for unit in units for path in (unit.path, unit.old_path)}
    base = await entries_at(services.git, opened.store, part.base_tree, paths)
    return base if isinstance(base, GitFailed) else brought | base
