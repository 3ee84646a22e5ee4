"""The accepted version of a revision's files: the base plus the units that were accepted.

Nothing here reads or writes: blobs come in by a look-up, and what has to be written goes out as
bytes. Accepting every unit names exactly the revision's own objects, accepting none changes
nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from operator import attrgetter

from attrs import frozen

from sennit.core.objects import Entry
from sennit.core.text import git_lines
from sennit.core.units import Unit, unmet_needs
from sennit_protocol.proposals import UnitKind

BlobLookup = Callable[[str], bytes]


@frozen
class Placed:
    """At the path is an object that exists already."""

    path: bytes
    entry: Entry


@frozen
class Written:
    """At the path is a text that is in no object yet: the base with some of its hunks."""

    path: bytes
    mode: int
    content: bytes


@frozen
class Removed:
    """At the path is nothing any more."""

    path: bytes


AcceptedEntry = Placed | Written | Removed


@frozen
class UnmetNeeds:
    """The choice is not closed: for each accepted unit, the units it needs and does not have."""

    missing: Mapping[str, tuple[str, ...]]


def accepted_entries(
    blob: BlobLookup, units: Sequence[Unit], accepted: frozenset[str]
) -> tuple[AcceptedEntry, ...] | UnmetNeeds:
    """Tell what becomes of each path that an accepted unit touches.

    ``blob`` gives the bytes of an object; it is asked only for texts of which some hunks, not
    all, were accepted. Removals come first, so that a file can give way to a folder.
    """
    if missing := unmet_needs(units, accepted):
        return UnmetNeeds(missing)
    entries: list[AcceptedEntry] = []
    for _, of_path in groupby(units, key=attrgetter("path")):
        entries.extend(_entries_of_file(blob, tuple(of_path), accepted))
    return tuple(sorted(entries, key=lambda entry: not isinstance(entry, Removed)))


def _entries_of_file(
    blob: BlobLookup, units: Sequence[Unit], accepted: frozenset[str]
) -> Iterator[AcceptedEntry]:
    chosen = [unit for unit in units if unit.id in accepted]
    if not chosen:
        return
    first, kinds = chosen[0], {unit.kind for unit in chosen}
    if UnitKind.DELETE in kinds:
        yield Removed(first.path)
        return
    if UnitKind.RENAME in kinds:
        yield Removed(first.old_path)
    if first.after is None:
        raise ValueError(f"the units of {first.path!r} say nothing about what comes after")
    if len(chosen) == len(units) or first.before is None:
        yield Placed(first.path, first.after)
        return
    yield _partly(blob, first.before, first.after, chosen)


def _partly(
    blob: BlobLookup, before: Entry, after: Entry, chosen: Sequence[Unit]
) -> Placed | Written:
    path, kinds = chosen[0].path, {unit.kind for unit in chosen}
    mode = after.mode if UnitKind.MODE in kinds else before.mode
    if kinds & {UnitKind.BINARY, UnitKind.LINK, UnitKind.SUBMODULE, UnitKind.TYPE}:
        return Placed(path, Entry(mode, after.id))
    if UnitKind.HUNK not in kinds:
        return Placed(path, Entry(mode, before.id))
    content = with_hunks(blob(before.id), blob(after.id), chosen)
    return Written(path, mode, content)


def with_hunks(before: bytes, after: bytes, units: Iterable[Unit]) -> bytes:
    """Give the text before with the hunks of these units in place, byte for byte."""
    old, new = git_lines(before), git_lines(after)
    hunks = sorted(
        (unit.hunk for unit in units if unit.hunk is not None), key=attrgetter("before_start")
    )
    pieces: list[bytes] = []
    position = 0
    for hunk in hunks:
        pieces += old[position : hunk.before_start]
        pieces += new[hunk.after_start : hunk.after_start + hunk.after_count]
        position = hunk.before_start + hunk.before_count
    return b"".join(pieces + old[position:])
