"""Units of revisions with their flags and texts: computed once, kept while they are looked at."""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import anyio.to_thread
from attrs import define, field

from sennit.adapters.git.changes import changes_between
from sennit.adapters.git.name_collisions import colliding
from sennit.adapters.git.resolving import Three, merge_resolved
from sennit.adapters.git.sizes import sizes_of
from sennit.adapters.git.trees import changed_paths_of, read_blobs
from sennit.core.engine.commands import Arrived
from sennit.core.engine.rows import RevisionRow
from sennit.core.flags import FlagRules, RevisionFacts, flags_of, is_preselected
from sennit.core.globs import Globs, compiled_globs
from sennit.core.objects import (
    MODE_LINK,
    MODE_SUBMODULE,
    Entry,
    FileChange,
    GitFailed,
    MergeResult,
)
from sennit.core.proposal_views import Looked
from sennit.core.resolutions import Resolution
from sennit.core.units import Unit, units_of
from sennit.server.repositories import Opened
from sennit_protocol.proposals import UnitKind
from sennit_protocol.states import Integration, UnitFlag

if TYPE_CHECKING:
    from sennit.server.services import Services

KEPT_REVISIONS = 64
KEPT_CHANGES = 8
"""A capture counts them just before the first look at the revision needs them."""
KEPT_PATHS = 100_000
"""Of all revisions together: many more of them wait for a decision than are looked at."""


@define(eq=False)
class RevisionCache:
    """The newest revisions that were looked at; they are immutable, so nothing here is stale."""

    _units: OrderedDict[str, tuple[Unit, ...]] = field(factory=OrderedDict)
    _changes: OrderedDict[tuple[str, str], tuple[FileChange, ...]] = field(factory=OrderedDict)
    _merges: OrderedDict[tuple[Three, tuple[Resolution, ...]], MergeResult] = field(
        factory=OrderedDict
    )
    _paths: OrderedDict[str, frozenset[bytes]] = field(factory=OrderedDict)
    _paths_kept: int = 0

    async def changes(
        self, services: Services, opened: Opened, base_tree: str, tree: str
    ) -> tuple[FileChange, ...] | GitFailed:
        """What differs between two trees; their names say what they hold."""
        key = (base_tree, tree)
        known = self._changes.get(key)
        if known is None:
            found = await changes_between(services.git, opened.store, base_tree, tree)
            if isinstance(found, GitFailed):
                return found
            known = self._changes[key] = found
        self._changes.move_to_end(key)
        while len(self._changes) > KEPT_CHANGES:
            self._changes.popitem(last=False)
        return known

    async def merged(
        self, services: Services, opened: Opened, trees: Three, resolutions: tuple[Resolution, ...]
    ) -> MergeResult:
        """What comes of a merge with what a person has settled; all its parts name contents."""
        key = (trees, resolutions)
        known = self._merges.get(key)
        if known is None:
            at = services.clock.now_ms() // 1000
            known = await merge_resolved(services.git, opened.store, trees, at, resolutions)
            if isinstance(known, GitFailed):
                return known
            self._merges[key] = known
        self._merges.move_to_end(key)
        while len(self._merges) > KEPT_CHANGES:
            self._merges.popitem(last=False)
        return known

    async def units(
        self, services: Services, opened: Opened, revision: str, base_tree: str, tree: str
    ) -> tuple[Unit, ...] | GitFailed:
        """The units of a revision."""
        known = self._units.get(revision)
        if known is None:
            changes = await self.changes(services, opened, base_tree, tree)
            if isinstance(changes, GitFailed):
                return changes
            known = await anyio.to_thread.run_sync(units_of, revision, changes)
            self._units[revision] = known
        self._units.move_to_end(revision)
        while len(self._units) > KEPT_REVISIONS:
            self._units.popitem(last=False)
        return known

    async def paths(
        self, services: Services, opened: Opened, arrived: Sequence[Arrived]
    ) -> Mapping[str, frozenset[bytes]]:
        """The paths that each revision touches; one that cannot be read touches none."""
        found: dict[str, frozenset[bytes]] = {}
        for one in arrived:
            units = await self.units(services, opened, one.revision, one.base_tree, one.tree)
            if not isinstance(units, GitFailed):
                paths = {path for unit in units for path in (unit.path, unit.old_path)}
                found[one.revision] = frozenset(paths)
        return found

    async def touching(
        self, services: Services, opened: Opened, revisions: Sequence[RevisionRow], path: bytes
    ) -> tuple[RevisionRow, ...]:
        """Those of several revisions that touch a path, and those of which that cannot be told.

        By their trees alone, which are compared once: editors ask at every move of the cursor.
        """
        new: dict[str, list[RevisionRow]] = {}
        for one in revisions:
            if one.id not in self._paths:
                new.setdefault(one.base_tree, []).append(one)
        paths: dict[str, frozenset[bytes]] = {
            one.id: self._paths[one.id] for one in revisions if one.id in self._paths
        }
        for base_tree, rows in new.items():
            trees = [row.tree for row in rows]
            changed = await changed_paths_of(services.git, opened.store, base_tree, trees)
            if not isinstance(changed, GitFailed):
                found = zip(rows, changed, strict=True)
                paths |= {row.id: frozenset(differing) for row, differing in found}
        self._keep_paths(paths)
        return tuple(one for one in revisions if path in paths.get(one.id, (path,)))

    def _keep_paths(self, paths: Mapping[str, frozenset[bytes]]) -> None:
        for revision, touched in paths.items():
            # At least one each, or nothing would bound those that touch nothing.
            self._paths_kept += 0 if revision in self._paths else len(touched) + 1
            self._paths[revision] = touched
            self._paths.move_to_end(revision)
        while self._paths_kept > KEPT_PATHS:
            _, touched = self._paths.popitem(last=False)
            self._paths_kept -= len(touched) + 1


async def look(services: Services, opened: Opened, revision: RevisionRow) -> Looked | GitFailed:
    """All that a view of a revision needs beside its row."""
    units = await services.revisions.units(
        services, opened, revision.id, revision.base_tree, revision.tree
    )
    if isinstance(units, GitFailed):
        return units
    blobs = await read_blobs(services.git, opened.store, texts_in(units))
    if isinstance(blobs, GitFailed):
        return blobs
    sizes = await sizes_of(services.git, opened.store, unread_in(units) - blobs.keys())
    if isinstance(sizes, GitFailed):
        return sizes
    met = await _names_met(services, opened, revision, units)
    if isinstance(met, GitFailed):
        return met
    sizes |= {name: len(content) for name, content in blobs.items()}
    facts = RevisionFacts(sizes, blobs, met, await _activity(services, revision))
    flags = await _flags(services, revision, units, facts)
    preselected = frozenset(
        unit.id
        for unit in units
        if revision.integration is Integration.CLEAN and is_preselected(flags[unit.id])
    )
    return Looked(units, flags, preselected, blobs)


_WITH_TEXT = frozenset({UnitKind.HUNK, UnitKind.CREATE, UnitKind.DELETE, UnitKind.LINK})


def texts_in(units: Iterable[Unit]) -> frozenset[str]:
    """The objects that hold the texts of units, and where links lead."""
    return frozenset(
        entry.id
        for unit in units
        for entry in _contents(unit)
        if unit.kind in _WITH_TEXT or entry.mode == MODE_LINK
    )


def unread_in(units: Iterable[Unit]) -> frozenset[str]:
    """The objects that units put in place of others and that are no texts."""
    other = (unit for unit in units if unit.kind in {UnitKind.BINARY, UnitKind.TYPE})
    return frozenset(one.id for unit in other for one in _contents(unit))


def _contents(unit: Unit) -> Iterator[Entry]:
    sides = (unit.before, unit.after)
    return (one for one in sides if one is not None and one.mode != MODE_SUBMODULE)


_TAKES_A_NAME = frozenset({UnitKind.CREATE, UnitKind.RENAME})


async def _names_met(
    services: Services, opened: Opened, revision: RevisionRow, units: Sequence[Unit]
) -> frozenset[bytes] | GitFailed:
    """The new names of a revision that some systems take for others, its own or merged ones."""
    new = frozenset(unit.path for unit in units if unit.kind in _TAKES_A_NAME)
    met = await colliding(services.git, opened.store, revision.tree, new)
    return met if isinstance(met, GitFailed) else frozenset((*met, *revision.colliding))


async def _flags(
    services: Services, revision: RevisionRow, units: Sequence[Unit], facts: RevisionFacts
) -> dict[str, tuple[UnitFlag, ...]]:
    settings = services.settings.of(revision.repository.top)
    spec = services.state.task(revision.ticket, revision.task).spec
    rules = FlagRules(
        writes=globs(spec.writes) if spec.writes else None,
        sensitive=globs(settings.review.sensitive),
        generated=globs(settings.review.generated),
    )

    def flags() -> dict[str, tuple[UnitFlag, ...]]:
        unsure = dict.fromkeys(revision.uncertain, (UnitFlag.UNCERTAIN,))
        return {
            unit.id: (*unsure.get(unit.path, ()), *flags_of(unit, rules, facts)) for unit in units
        }

    return await anyio.to_thread.run_sync(flags)


def globs(patterns: Sequence[str]) -> Globs:
    """Globs that were found valid when they came in."""
    compiled = compiled_globs(patterns)
    if isinstance(compiled, tuple):
        raise TypeError(f"a glob was let in that is none: {compiled}")
    return compiled


async def _activity(services: Services, revision: RevisionRow) -> bytes:
    task = services.state.task(revision.ticket, revision.task)
    output = await services.output_tail(task.runs[-1]) if task.runs else b""
    return os.fsencode(task.spec.prompt) + b"\n" + output
