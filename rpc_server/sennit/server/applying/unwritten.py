"""What an application makes of files that git holds and that are not on the user's disk.

A snapshot takes them as the index has them, so that an agent's edit of a file outside the sparse
patterns can be applied. But a file that git was told not to look at is not on the disk either when
an application, or the user, has removed it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from attrs import evolve, field, frozen

from sennit.adapters.git.trees import entries_at
from sennit.adapters.git.unwritten import flagged_among, unwritten_among
from sennit.core.objects import Entry, FileChange, GitFailed, Snapshot
from sennit.core.units import Unit
from sennit.server.applying.amending import amended, unsaved_in
from sennit.server.applying.modes import with_known_modes
from sennit.server.applying.respelling import as_spelled_on_disk
from sennit.server.applying.values import Part, Wish
from sennit.server.applying.written import with_what_was_written
from sennit.server.repositories import Opened
from sennit.server.services import Services


@frozen
class Live:
    """The live text; ``unwritten`` are paths of it that count although no file is there.

    ``as_written`` are those that git reads otherwise than they were meant, ``respelled`` those that
    it knows by another spelling.
    """

    snapshot: Snapshot
    unwritten: frozenset[bytes] = field(factory=frozenset)
    as_written: frozenset[bytes] = field(factory=frozenset)
    respelled: frozenset[bytes] = field(factory=frozenset)


async def as_on_disk(
    services: Services, opened: Opened, live: Snapshot, wish: Wish, at: int
) -> Live | GitFailed:
    """Leave out of the live text what is not on the disk since it was removed there.

    What git does not look at is as the parts know it.
    """
    named = await as_spelled_on_disk(services, opened, live, wish, at)
    if isinstance(named, GitFailed):
        return named
    known = await with_known_modes(services, opened, named.snapshot, wish, at)
    if isinstance(known, GitFailed):
        return known
    written = await with_what_was_written(services, opened, known, wish, at)
    if isinstance(written, GitFailed):
        return written
    live, parts = written.snapshot, wish.parts
    touched = {path for part in parts for path in _units_by_path(part)}
    unsaved = unsaved_in(live)
    absent = await unwritten_among(
        services.git,
        opened.store,
        opened.repository,
        live.tree,
        touched - unsaved - wish.left_alone,
    )
    if isinstance(absent, GitFailed):
        return absent
    found = Live(live, as_written=written.paths, respelled=named.paths)
    if not absent:
        return found
    gone = await _removed(services, opened, parts, absent)
    if isinstance(gone, GitFailed):
        return gone
    snapshot = await amended(services, opened, live, dict.fromkeys(gone), at)
    if isinstance(snapshot, GitFailed):
        return snapshot
    return evolve(found, snapshot=snapshot, unwritten=frozenset(absent.keys() - gone))


def _units_by_path(part: Part) -> dict[bytes, list[Unit]]:
    found: dict[bytes, list[Unit]] = {}
    for unit in part.units:
        if unit.id in part.accepted:
            for path in {unit.path, unit.old_path}:
                found.setdefault(path, []).append(unit)
    return found


async def _removed(
    services: Services, opened: Opened, parts: Sequence[Part], absent: Mapping[bytes, Entry]
) -> frozenset[bytes] | GitFailed:
    """Tell by the first part that is about a path; those after it build on that one."""
    gone: set[bytes] = set()
    told: set[bytes] = set()
    for part in parts:
        units = {path: many for path, many in _units_by_path(part).items()
                 if path in absent and path not in told}  # fmt: skip
        told.update(units)
        base = await entries_at(services.git, opened.store, part.base_tree, units.keys())
        if isinstance(base, GitFailed):
            return base
        gone.update(
            path
            for path, many in units.items()
            if _is_removed(path, absent[path], base.get(path), many, part.applied)
        )
    return frozenset(gone)


def _is_removed(
    path: bytes,
    indexed: Entry,
    base: Entry | None,
    units: Sequence[Unit],
    applied: frozenset[str],
) -> bool:
    """Whether a file was removed, or was absent all along and is as the part knows it.

    The index holds what a sparse checkout left out; of what was on the disk it may hold another
    text than the part began with.
    """
    if base is None:
        return True
    if any(unit.after is None or unit.path != path for unit in units):
        return base != indexed or all(unit.id in applied for unit in units)
    return indexed not in {base, *(unit.after for unit in units)}


async def to_take_away(
    services: Services,
    opened: Opened,
    absent_before: Mapping[bytes, Entry],
    changes: Sequence[FileChange],
) -> frozenset[bytes] | GitFailed:
    """Give the files that an undo removes from the disk, where they were not before.

    What git looks at by now is written: without its file it would count as deleted.
    """
    back = {
        change.path
        for change in changes
        if change.path == change.old_path and absent_before.get(change.path) == change.after
    }
    return await flagged_among(services.git, opened.repository, back & absent_before.keys())
