"""What goes in of a revision whose conflicts a person has settled, on top of what it met."""

from __future__ import annotations

from typing import TYPE_CHECKING

import anyio.to_thread
from attrs import frozen

from sennit.adapters.git.resolving import Three
from sennit.adapters.git.trees import entries_at, read_blobs, tree_entries, write_tree
from sennit.core.engine.rows import RevisionRow
from sennit.core.objects import GitFailed, Merged
from sennit.core.resolutions import Resolution
from sennit.core.settled_views import SettledChange, paths_of, touching
from sennit.core.units import units_of
from sennit.server.looking import texts_in
from sennit.server.repositories import Opened
from sennit_protocol.states import Integration

if TYPE_CHECKING:
    from sennit.server.services import Services


@frozen
class Settled:
    """The trees before and after, and the resolutions that took part; none where none counts."""

    before: str
    after: str
    resolutions: tuple[Resolution, ...] = ()


async def settled_of(
    services: Services, opened: Opened, revision: RevisionRow
) -> Settled | GitFailed:
    """What a revision changes: of what it met where conflicts were settled, else of its base."""
    as_it_is = Settled(revision.base_tree, revision.tree)
    if revision.integration is not Integration.CLEAN or not revision.resolutions:
        return as_it_is
    trees = Three(revision.base_tree, revision.merged_onto, revision.tree)
    merged = await services.revisions.merged(services, opened, trees, revision.resolutions)
    if isinstance(merged, GitFailed):
        return merged
    if not isinstance(merged, Merged) or not merged.resolved:
        return as_it_is
    known = tuple(one for one in revision.resolutions if one.path in merged.resolved)
    return Settled(revision.merged_onto, merged.tree, known)


async def settled_tree(
    services: Services, opened: Opened, revision: RevisionRow
) -> str | GitFailed:
    """The tree that the agent left, with the files in it whose conflict was settled as they go in.

    What it met elsewhere is the work of others, and no part of the revision.
    """
    settled = await settled_of(services, opened, revision)
    if isinstance(settled, GitFailed) or not settled.resolutions:
        return revision.tree if isinstance(settled, Settled) else settled
    git, store = services.git, opened.store
    paths = frozenset().union(*map(paths_of, settled.resolutions))
    there = await tree_entries(git, store, revision.tree)
    held = await entries_at(git, store, settled.after, paths)
    if isinstance(there, GitFailed):
        return there
    if isinstance(held, GitFailed):
        return held
    in_the_way = tuple(path + b"/" for path in held)
    gone = {path for path in there if path in paths or path.startswith(in_the_way)}
    return await write_tree(git, store, revision.tree, {**dict.fromkeys(gone), **held})


async def settled_changes(
    services: Services, opened: Opened, revision: RevisionRow, settled: Settled
) -> tuple[SettledChange, ...] | GitFailed:
    """What goes in at the paths of each conflict that was settled."""
    if not settled.resolutions:
        return ()
    changes = await services.revisions.changes(services, opened, settled.before, settled.after)
    if isinstance(changes, GitFailed):
        return changes
    units = await anyio.to_thread.run_sync(units_of, revision.id, changes)
    made: list[SettledChange] = []
    for one in settled.resolutions:
        mine = touching(units, paths_of(one))
        blobs = await read_blobs(services.git, opened.store, texts_in(mine))
        if isinstance(blobs, GitFailed):
            return blobs
        made.append(SettledChange(one, mine, blobs))
    return tuple(made)
