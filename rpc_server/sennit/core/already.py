"""Whether the live text holds a unit already, as far as two diffs of one base can tell."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum, auto

from sennit.core.objects import ChangeKind, FileChange, Hunk
from sennit.core.overlaps import overlapping
from sennit.core.text import git_lines
from sennit.core.units import Unit


class Presence(StrEnum):
    """What the diffs say; where they cannot, a merge of the unit alone does."""

    THERE = auto()
    ABSENT = auto()
    UNCLEAR = auto()


_SAME_FILE = frozenset({ChangeKind.MODIFY, ChangeKind.RENAME})


def presence(unit: Unit, drift: FileChange | None, blobs: Mapping[str, bytes]) -> Presence:
    """Compare a unit with what the live text changed in the same file of the same base.

    ``blobs`` holds the contents after of both. Hunks that neither meet nor touch cannot hold each
    other; equal ones are the same change.
    """
    if drift is None:
        return Presence.ABSENT
    if unit.hunk is None or unit.after is None or drift.after is None:
        return Presence.UNCLEAR
    if drift.kind not in _SAME_FILE or drift.binary:
        return Presence.UNCLEAR
    near = overlapping(drift.hunks, (unit.hunk,))
    if not near:
        return Presence.ABSENT
    mine = _lines(blobs[unit.after.id], unit.hunk)
    same = any(
        (hunk.before_start, hunk.before_count) == (unit.hunk.before_start, unit.hunk.before_count)
        and _lines(blobs[drift.after.id], hunk) == mine
        for hunk in near
    )
    return Presence.THERE if same else Presence.UNCLEAR


def _lines(content: bytes, hunk: Hunk) -> list[bytes]:
    return git_lines(content)[hunk.after_start : hunk.after_start + hunk.after_count]
