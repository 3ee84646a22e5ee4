"""Accepted units folded onto the live text: what goes in, what is there already, what does not fit.

Each revision is merged as a whole first. Only where that conflicts are the units of the paths in
question tried on their own, so that one overlapping edit makes one unit a conflict and no more.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import field, frozen

from sennit.adapters.git.changes import changes_between
from sennit.adapters.git.merges import merge_trees
from sennit.adapters.git.resolving import carried, with_settled
from sennit.adapters.git.trees import changed_paths, read_blobs, write_blobs, write_tree
from sennit.core.accepted import Placed, Removed, UnmetNeeds, Written, accepted_entries
from sennit.core.already import Presence, presence
from sennit.core.objects import Conflict, Conflicted, Entry, GitFailed, Merged
from sennit.core.text import git_lines
from sennit.core.units import Unit, unmet_needs, with_needs
from sennit_protocol.conflicts import Take
from sennit_protocol.proposals import UnitKind

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from sennit.adapters.git.git import Git
    from sennit.adapters.git.store import Store
    from sennit.core.objects import FileChange, MergeResult
    from sennit.core.resolutions import Resolution


@frozen
class AcceptedRevision:
    """A revision by its base tree and all of its units, and which of them are accepted.

    ``resolutions`` settle conflicts that the accepted units meet; see ``_Fold._settled``.
    """

    base: str
    units: tuple[Unit, ...]
    accepted: frozenset[str]
    resolutions: tuple[Resolution, ...] = ()


@frozen
class Folded:
    """The live text with the accepted units, and what became of each of them, by unit id.

    ``uncertain`` and ``normalised`` name paths, as in ``Merged``. A unit that needs one in
    conflict is in conflict with it. ``unmet`` are accepted units whose needs were not accepted:
    they are left out, and nothing is accepted on a person's behalf. ``unused`` are paths of which
    units are applied as they were proposed, since the conflict that a person settled is not there.
    """

    tree: str
    applied: tuple[str, ...] = ()
    already: tuple[str, ...] = ()
    conflicts: Mapping[str, Conflict] = field(factory=dict)
    uncertain: tuple[bytes, ...] = ()
    normalised: tuple[bytes, ...] = ()
    unmet: tuple[str, ...] = ()
    unused: tuple[bytes, ...] = ()


async def accepted_tree(
    git: Git, store: Store, base: str, units: Sequence[Unit], accepted: frozenset[str]
) -> str | GitFailed:
    """Store the base with the accepted units; they must hold what they need."""
    wanted = _blobs_to_read(units, accepted)
    blobs = await read_blobs(git, store, wanted) if wanted else {}
    if isinstance(blobs, GitFailed):
        return blobs
    entries = accepted_entries(blobs.__getitem__, units, accepted)
    if isinstance(entries, UnmetNeeds):
        said = f"these units were accepted without what they need: {dict(entries.missing)}"
        return GitFailed("write the accepted version", None, said)
    written = [entry for entry in entries if isinstance(entry, Written)]
    ids = await write_blobs(git, store, [entry.content for entry in written])
    if isinstance(ids, GitFailed):
        return ids
    changes: dict[bytes, Entry | None] = {}
    changes |= {entry.path: None for entry in entries if isinstance(entry, Removed)}
    changes |= {entry.path: entry.entry for entry in entries if isinstance(entry, Placed)}
    changes |= {
        entry.path: Entry(entry.mode, identity)
        for entry, identity in zip(written, ids, strict=True)
    }
    return await write_tree(git, store, base, changes)


def _blobs_to_read(units: Iterable[Unit], accepted: frozenset[str]) -> set[str]:
    left = {unit.path for unit in units if unit.id not in accepted}
    return {
        side.id
        for unit in units
        if unit.kind is UnitKind.HUNK and unit.id in accepted and unit.path in left
        for side in (unit.before, unit.after)
        if side is not None
    }


async def fold_onto_live(
    git: Git, store: Store, live: str, revisions: Sequence[AcceptedRevision], at: int
) -> Folded | GitFailed:
    """Fold revisions, in order, onto the live tree; ``at`` is the event's time in seconds."""
    folded = Folded(live)
    for revision in revisions:
        step = await _Fold(git, store, at, folded.tree, revision).run()
        if isinstance(step, GitFailed):
            return step
        folded = Folded(
            tree=step.tree,
            applied=folded.applied + step.applied,
            already=folded.already + step.already,
            conflicts={**folded.conflicts, **step.conflicts},
            uncertain=tuple(sorted({*folded.uncertain, *step.uncertain})),
            normalised=tuple(sorted({*folded.normalised, *step.normalised})),
            unmet=folded.unmet + step.unmet,
            unused=tuple(sorted({*folded.unused, *step.unused})),
        )
    return folded


@frozen
class _Taken:
    """How far the search has come: the units that fit together, and the conflicts of others."""

    fitting: frozenset[str]
    conflicts: Mapping[str, Conflict] = field(factory=dict)


@frozen
class _Fold:
    """One revision on its way onto the text so far."""

    git: Git
    store: Store
    at: int
    live: str
    revision: AcceptedRevision

    async def run(self) -> Folded | GitFailed:
        """Merge the accepted units as a whole, or as many of them as fit."""
        accepted = self._complete()
        whole = await self._merge(accepted)
        if isinstance(whole, GitFailed):
            return whole
        taken = _Taken(accepted)
        if isinstance(whole, Conflicted):
            found = await self._as_many_as_fit(accepted, whole)
            if isinstance(found, GitFailed):
                return found
            taken = found
            whole = await self._merge(taken.fitting)
        match whole:
            case Merged():
                return await self._told_apart(taken, whole)
            case Conflicted():
                raise AssertionError("units that were merged together do not merge again")
            case GitFailed():
                return whole

    def _complete(self) -> frozenset[str]:
        """Leave out the accepted units whose needs were not accepted, and what needs those."""
        accepted = self.revision.accepted
        while unmet := unmet_needs(self.revision.units, accepted):
            accepted -= unmet.keys()
        return accepted

    async def _merge(self, units: frozenset[str]) -> MergeResult:
        tree = await accepted_tree(
            self.git, self.store, self.revision.base, self.revision.units, units
        )
        if isinstance(tree, GitFailed):
            return tree
        result = await merge_trees(
            self.git, self.store, self.revision.base, self.live, tree, self.at
        )
        return await self._settled(result) if isinstance(result, Conflicted) else result

    async def _settled(self, attempt: Conflicted) -> MergeResult:
        """Let what a person has settled count where the same sides meet again.

        A part of the units of a file is another side than all of them, so that a resolution never
        brings in what was not accepted. What the user typed elsewhere in the file is merged with.
        """
        if not self.revision.resolutions:
            return attempt
        known = await carried(self.git, self.store, attempt, self.revision.resolutions, self.at)
        if isinstance(known, GitFailed):
            return known
        return (
            attempt if known is None else await with_settled(self.git, self.store, attempt, known)
        )

    async def _as_many_as_fit(
        self, accepted: frozenset[str], whole: Conflicted
    ) -> _Taken | GitFailed:
        """Take what lies outside the conflict as a whole, then search among the rest."""
        paths = {path for conflict in whole.conflicts for path in conflict.paths}
        mine = [unit for unit in self.revision.units if unit.id in accepted]
        doubtful = [unit for unit in mine if paths & {unit.path, unit.old_path}]
        clear = [unit for unit in mine if not paths & {unit.path, unit.old_path}]
        taken: _Taken | GitFailed = _Taken(frozenset())
        for group in (clear, doubtful):
            if isinstance(taken, GitFailed):
                return taken
            taken = await self._take(taken, tuple(_needs_first(group)))
        return taken

    async def _take(self, taken: _Taken, group: tuple[Unit, ...]) -> _Taken | GitFailed:
        """Take a group if it fits; else its halves; a single unit that does not is in conflict."""
        if not group:
            return taken
        broken = next(
            (taken.conflicts[n] for n in self._needed(group) if n in taken.conflicts), None
        )
        result: MergeResult | None = None
        if broken is None:
            result = await self._merge(taken.fitting | self._needed(group))
        match result:
            case GitFailed():
                return result
            case Merged():
                return _Taken(taken.fitting | self._needed(group), taken.conflicts)
            case Conflicted() | None:
                pass
        if len(group) == 1:
            conflict = broken or _about(group[0], result)
            return _Taken(taken.fitting, {**taken.conflicts, group[0].id: conflict})
        half = len(group) // 2
        first = await self._take(taken, group[:half])
        return first if isinstance(first, GitFailed) else await self._take(first, group[half:])

    def _needed(self, group: Iterable[Unit]) -> frozenset[str]:
        return with_needs(self.revision.units, (unit.id for unit in group))

    async def _told_apart(self, taken: _Taken, merged: Merged) -> Folded | GitFailed:
        """Tell the units that changed something from those that were there already."""
        edge = await changed_paths(self.git, self.store, self.live, merged.tree)
        if isinstance(edge, GitFailed):
            return edge
        drift = await self._drift(taken)
        if isinstance(drift, GitFailed):
            return drift
        applied: list[str] = []
        already: list[str] = []
        for unit in self.revision.units:
            if unit.id not in taken.fitting:
                continue
            there = await self._is_there(unit, edge.keys(), drift)
            if isinstance(there, GitFailed):
                return there
            (already if there else applied).append(unit.id)
        return Folded(
            merged.tree,
            tuple(applied),
            tuple(already),
            taken.conflicts,
            merged.uncertain,
            merged.normalised,
            tuple(sorted(self.revision.accepted - self._complete())),
            unused=self._unused(merged.resolved, applied),
        )

    def _unused(self, resolved: tuple[bytes, ...], applied: Sequence[str]) -> tuple[bytes, ...]:
        """Paths with a resolution of another text than the one that is applied."""
        settled = {
            one.path for one in self.revision.resolutions if one.take is not Take.THEIRS
        } - set(resolved)
        units = (unit for unit in self.revision.units if unit.id in applied)
        return tuple(sorted({unit.path for unit in units} & settled))

    async def _drift(self, taken: _Taken) -> _Drift | GitFailed:
        """What the live text has changed in the files of the units, with contents to compare."""
        changes = await changes_between(self.git, self.store, self.revision.base, self.live)
        if isinstance(changes, GitFailed):
            return changes
        by_path = {change.old_path: change for change in changes}
        wanted: set[str] = set()
        for unit in self.revision.units:
            change = by_path.get(unit.old_path)
            if unit.id in taken.fitting and unit.hunk is not None and change is not None:
                sides = (unit.after, change.after)
                wanted |= {side.id for side in sides if side is not None}
        blobs = await read_blobs(self.git, self.store, wanted) if wanted else {}
        if isinstance(blobs, GitFailed):
            return blobs
        return _Drift(by_path, {name: git_lines(content) for name, content in blobs.items()})

    async def _is_there(
        self, unit: Unit, edge: AbstractSet[bytes], drift: _Drift
    ) -> bool | GitFailed:
        """Tell by the diffs whether a unit would change nothing; else by merging it alone."""
        near = drift.changes.get(unit.old_path) or drift.changes.get(unit.path)
        match presence(unit, near, drift.lines):
            case Presence.ABSENT:
                return False
            case Presence.THERE:
                return True
            case Presence.UNCLEAR:
                pass
        if not edge:
            return True
        alone = await self._merge(self._needed((unit,)))
        if isinstance(alone, GitFailed):
            return alone
        return isinstance(alone, Merged) and alone.tree == self.live


@frozen
class _Drift:
    """What the live text changed since the base, by the path in the base; contents as lines."""

    changes: Mapping[bytes, FileChange]
    lines: Mapping[str, list[bytes]]


def _needs_first(group: Sequence[Unit]) -> Iterable[Unit]:
    """Order a group so that what others need comes before them."""
    waiting = {unit.id: unit for unit in group}
    while waiting:
        ready = [u for u in waiting.values() if not any(need in waiting for need in u.needs)]
        for unit in ready:
            del waiting[unit.id]
            yield unit


def _about(unit: Unit, result: Conflicted | None) -> Conflict:
    """Pick the conflict that names the unit's path; git may name another, after a rename."""
    if result is None:
        raise AssertionError("a unit without a broken need was merged")
    paths = {unit.path, unit.old_path}
    named = [one for one in result.conflicts if paths & {one.path, *one.paths}]
    return (named or list(result.conflicts))[0]
