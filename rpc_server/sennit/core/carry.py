"""Decisions of one revision brought over to the next of the same lineage.

A decision goes over only where exactly one unit of each revision has that path and text, and only
together with the units it needs. Everything else is undecided again, and is named.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Generic, TypeVar

from attrs import frozen

from sennit.core.accepted import BlobLookup
from sennit.core.objects import Entry
from sennit.core.text import git_lines
from sennit.core.units import Unit
from sennit_protocol.proposals import UnitKind

Decision = TypeVar("Decision")


@frozen
class UnitText:
    """What a unit says, without where in the file it says it."""

    kind: UnitKind
    path: bytes
    old_path: bytes
    before: tuple[bytes, ...]
    after: tuple[bytes, ...]


@frozen
class CarriedOver(Generic[Decision]):
    """Decisions by unit id of the new revision; ``undecided`` are its other units, in order.

    ``lost`` are the decided units of the old revision whose decision found no place.
    """

    decisions: Mapping[str, Decision]
    undecided: tuple[str, ...]
    lost: tuple[str, ...]


def unit_text(blob: BlobLookup, unit: Unit) -> UnitText:
    """Tell what a unit says; blobs are read for hunks only."""
    before, after = unit.before, unit.after
    match unit.kind:
        case UnitKind.HUNK:
            sides = _hunk_sides(blob, unit)
        case UnitKind.RENAME:
            sides = ((), ())
        case UnitKind.MODE:
            sides = _mode_of(before), _mode_of(after)
        case _:
            sides = _whole(before), _whole(after)
    return UnitText(unit.kind, unit.path, unit.old_path, *sides)


def _mode_of(entry: Entry | None) -> tuple[bytes, ...]:
    return (b"%o" % entry.mode,) if entry else ()


def _whole(entry: Entry | None) -> tuple[bytes, ...]:
    return (b"%o" % entry.mode, entry.id.encode()) if entry else ()


def _hunk_sides(blob: BlobLookup, unit: Unit) -> tuple[tuple[bytes, ...], tuple[bytes, ...]]:
    hunk = unit.hunk
    if hunk is None or unit.before is None or unit.after is None:
        raise ValueError(f"unit {unit.id} is a hunk without its text")
    old = git_lines(blob(unit.before.id))[hunk.before_start :][: hunk.before_count]
    new = git_lines(blob(unit.after.id))[hunk.after_start :][: hunk.after_count]
    return tuple(old), tuple(new)


def carry_over(
    blob: BlobLookup, old: Sequence[Unit], new: Sequence[Unit], decisions: Mapping[str, Decision]
) -> CarriedOver[Decision]:
    """Bring decisions over to a new revision, where there can be no doubt what they meant."""
    old_texts = {unit.id: unit_text(blob, unit) for unit in old}
    new_texts = {unit.id: unit_text(blob, unit) for unit in new}
    once = _only_once(old_texts) & _only_once(new_texts)
    source = {text: identity for identity, text in old_texts.items() if text in once}
    carried = {
        identity: decisions[source[text]]
        for identity, text in new_texts.items()
        if text in once and source[text] in decisions
    }
    carried = _with_their_needs(new, carried)
    kept = {source[new_texts[identity]] for identity in carried}
    return CarriedOver(
        decisions=carried,
        undecided=tuple(unit.id for unit in new if unit.id not in carried),
        lost=tuple(unit.id for unit in old if unit.id in decisions and unit.id not in kept),
    )


def _only_once(texts: Mapping[str, UnitText]) -> set[UnitText]:
    return {text for text, count in Counter(texts.values()).items() if count == 1}


def _with_their_needs(
    units: Sequence[Unit], carried: Mapping[str, Decision]
) -> dict[str, Decision]:
    kept = dict(carried)
    changed = True
    while changed:
        drop = [
            unit.id
            for unit in units
            if unit.id in kept and any(need not in kept for need in unit.needs)
        ]
        changed = bool(drop)
        for identity in drop:
            del kept[identity]
    return kept
