"""Units: the parts of a revision that a person accepts or rejects, and what accepting gives.

A file that is created, deleted, renamed, or changed in its mode, link, type or binary content is
one unit; changed text is one unit a hunk. A unit names the units it needs: a hunk of a renamed
file needs the rename, what takes a path needs whatever frees that path.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from urllib.parse import quote_from_bytes, unquote_to_bytes

from attrs import evolve, frozen

from sennit.core.objects import (
    MODE_LINK,
    MODE_SUBMODULE,
    ChangeKind,
    Entry,
    FileChange,
    Hunk,
)
from sennit_protocol.proposals import UnitKind


@frozen
class Unit:
    """One part of a revision. ``ordinal`` counts the units of one path; ``hunk`` only for text.

    ``before`` and ``after`` are the entries of the whole file on both sides of the revision;
    ``binary``: git takes the content that differs for no text.
    """

    id: str
    path: bytes
    old_path: bytes
    kind: UnitKind
    ordinal: int
    before: Entry | None
    after: Entry | None
    hunk: Hunk | None = None
    needs: tuple[str, ...] = ()
    binary: bool = False


def unit_id(revision: str, path: bytes, ordinal: int) -> str:
    """Name a unit by where it is, never by its text: equal text may occur twice in one file."""
    return f"{revision}:{ordinal}:{quote_from_bytes(path)}"


def path_of(unit: str) -> bytes:
    """Read the path that a unit's name holds."""
    return unquote_to_bytes(unit.split(":", 2)[2])


def units_of(revision: str, changes: Sequence[FileChange]) -> tuple[Unit, ...]:
    """Cut a revision's changes into units, in the order of the changes, then of their hunks."""
    drafts = [unit for change in changes for unit in _units_of_file(revision, change)]
    return tuple(_with_freed_paths(drafts))


def _units_of_file(revision: str, change: FileChange) -> Iterator[Unit]:
    needs: tuple[str, ...] = ()
    parts = [(kind, None) for kind in _whole_kinds(change)]
    hunks = [(UnitKind.HUNK, hunk) for hunk in change.hunks]
    for ordinal, (kind, hunk) in enumerate([*parts, *hunks]):
        identity = unit_id(revision, change.path, ordinal)
        yield Unit(
            id=identity,
            path=change.path,
            old_path=change.old_path,
            kind=kind,
            ordinal=ordinal,
            before=change.before,
            after=change.after,
            hunk=hunk,
            needs=needs,
            binary=change.binary,
        )
        if kind is UnitKind.RENAME:
            needs = (identity,)


def _whole_kinds(change: FileChange) -> Iterator[UnitKind]:
    match change.kind:
        case ChangeKind.CREATE:
            yield UnitKind.CREATE
        case ChangeKind.DELETE:
            yield UnitKind.DELETE
        case ChangeKind.TYPE:
            yield UnitKind.TYPE
        case ChangeKind.RENAME:
            yield UnitKind.RENAME
            yield from _changed_aspects(change)
        case ChangeKind.MODIFY:
            yield from _changed_aspects(change)


def _changed_aspects(change: FileChange) -> Iterator[UnitKind]:
    if change.before is None or change.after is None:
        raise ValueError(f"a change of {change.path!r} lacks one of its sides")
    if change.before.mode != change.after.mode:
        yield UnitKind.MODE
    if change.before.id == change.after.id:
        return
    if change.after.mode == MODE_LINK:
        yield UnitKind.LINK
    elif change.after.mode == MODE_SUBMODULE:
        yield UnitKind.SUBMODULE
    elif change.binary or not change.hunks:
        yield UnitKind.BINARY


_TAKING = frozenset({UnitKind.CREATE, UnitKind.RENAME})
_FREEING = frozenset({UnitKind.DELETE, UnitKind.RENAME})


def _with_freed_paths(units: Sequence[Unit]) -> Iterator[Unit]:
    """Add the needs of a file that became a folder, or a folder that became a file."""
    freeing = {unit.old_path: unit.id for unit in units if unit.kind in _FREEING}
    under: dict[bytes, list[str]] = {}
    for path, identity in freeing.items():
        for folder in parents(path):
            under.setdefault(folder, []).append(identity)
    for unit in units:
        if unit.kind not in _TAKING:
            yield unit
            continue
        above = [freeing[folder] for folder in parents(unit.path) if folder in freeing]
        in_the_way = [*above, *under.get(unit.path, [])]
        needed = tuple(identity for identity in in_the_way if identity != unit.id)
        yield evolve(unit, needs=unit.needs + needed)


def parents(path: bytes) -> Iterator[bytes]:
    """Name every folder above the path, the outermost first."""
    position = path.find(b"/")
    while position != -1:
        yield path[:position]
        position = path.find(b"/", position + 1)


def with_needs(units: Iterable[Unit], wanted: Iterable[str]) -> frozenset[str]:
    """Complete a choice: the wanted units and everything that they need."""
    needs = {unit.id: unit.needs for unit in units}
    chosen: set[str] = set()
    open_ends = [identity for identity in wanted if identity in needs]
    while open_ends:
        identity = open_ends.pop()
        if identity not in chosen:
            chosen.add(identity)
            open_ends.extend(needs[identity])
    return frozenset(chosen)


def with_dependents(units: Sequence[Unit], chosen: set[str]) -> set[str]:
    """The chosen units and those that mean nothing without them."""
    found = set(chosen)
    while True:
        more = {unit.id for unit in units if set(unit.needs) & found} - found
        if not more:
            return found
        found |= more


def unmet_needs(units: Iterable[Unit], accepted: frozenset[str]) -> Mapping[str, tuple[str, ...]]:
    """Tell for each accepted unit which units it needs that are not accepted."""
    return {
        unit.id: missing
        for unit in units
        if unit.id in accepted
        and (missing := tuple(need for need in unit.needs if need not in accepted))
    }
