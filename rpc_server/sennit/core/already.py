"""Whether the live text holds a unit already, as far as two diffs of one base can tell."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from enum import StrEnum, auto
from operator import attrgetter

from sennit.core.objects import ChangeKind, FileChange, Hunk
from sennit.core.units import Unit


class Presence(StrEnum):
    """What the diffs say; where they cannot, a merge of the unit alone does."""

    THERE = auto()
    ABSENT = auto()
    UNCLEAR = auto()


_SAME_FILE = frozenset({ChangeKind.MODIFY, ChangeKind.RENAME})


def presence(
    unit: Unit, drift: FileChange | None, lines: Mapping[str, Sequence[bytes]]
) -> Presence:
    """Compare a unit with what the live text changed in the same file of the same base.

    ``lines`` holds the contents after of both, cut by ``git_lines``. Hunks that neither meet nor
    touch cannot hold each other; equal ones are the same change.
    """
    if drift is None:
        return Presence.ABSENT
    if unit.hunk is None or unit.after is None or drift.after is None:
        return Presence.UNCLEAR
    if drift.kind not in _SAME_FILE or drift.binary:
        return Presence.UNCLEAR
    near = _near(drift.hunks, unit.hunk)
    if not near:
        return Presence.ABSENT
    mine = _lines(lines[unit.after.id], unit.hunk)
    same = any(
        (hunk.before_start, hunk.before_count) == (unit.hunk.before_start, unit.hunk.before_count)
        and _lines(lines[drift.after.id], hunk) == mine
        for hunk in near
    )
    return Presence.THERE if same else Presence.UNCLEAR


def _near(hunks: Sequence[Hunk], mine: Hunk) -> Sequence[Hunk]:
    """The hunks that meet or touch; they are in order and apart, so few have to be looked at."""
    end = bisect_right(hunks, mine.before_start + mine.before_count, key=attrgetter("before_start"))
    begin = end
    while begin and _end(hunks[begin - 1]) >= mine.before_start:
        begin -= 1
    return hunks[begin:end]


def _end(hunk: Hunk) -> int:
    return hunk.before_start + hunk.before_count


def _lines(content: Sequence[bytes], hunk: Hunk) -> Sequence[bytes]:
    return content[hunk.after_start : hunk.after_start + hunk.after_count]
