"""Which units of a new revision are those of the one before it: what decisions can be kept for."""

from __future__ import annotations

import anyio.to_thread
from attrs import frozen

from sennit.adapters.git.trees import read_blobs
from sennit.core.carry import carry_over
from sennit.core.engine.commands import CaptureRun
from sennit.core.engine.rows import RevisionRow
from sennit.core.objects import GitFailed
from sennit.core.units import Unit, units_of
from sennit.server.repositories import Opened
from sennit.server.services import Services
from sennit_protocol.ids import UnitId
from sennit_protocol.proposals import UnitKind


@frozen
class SameUnits:
    """How many units a revision has; the old unit's id, and the new one's behind its revision."""

    units: int = 0
    pairs: tuple[tuple[UnitId, str], ...] = ()


async def same_units(
    services: Services, opened: Opened, command: CaptureRun, tree: str
) -> SameUnits | GitFailed:
    """Compare what a run left with the revision that it follows; none where it follows none."""
    before = None if command.follows is None else services.state.get(RevisionRow, command.follows)
    if before is None:
        return SameUnits()
    old = await services.revisions.units(services, opened, before.id, before.base_tree, before.tree)
    if isinstance(old, GitFailed):
        return old
    changes = await services.revisions.changes(services, opened, command.base_tree, tree)
    if isinstance(changes, GitFailed):
        return changes
    # The revision has no name yet: the engine gives it one, and puts it before these.
    new = await anyio.to_thread.run_sync(units_of, "", changes)
    blobs = await read_blobs(services.git, opened.store, _texts(old) | _texts(new))
    if isinstance(blobs, GitFailed):
        return blobs

    def compare() -> SameUnits:
        themselves = {unit.id: UnitId(unit.id) for unit in old}
        carried = carry_over(blobs.__getitem__, old, new, themselves)
        pairs = tuple((mine, rest) for rest, mine in carried.decisions.items())
        return SameUnits(len(new), pairs)

    return await anyio.to_thread.run_sync(compare)


def _texts(units: tuple[Unit, ...]) -> frozenset[str]:
    return frozenset(
        entry.id
        for unit in units
        if unit.kind is UnitKind.HUNK
        for entry in (unit.before, unit.after)
        if entry is not None
    )
