"""Suggestions for a conflict of texts: named guesses at what a person may want, and how sure.

None is ever taken by itself. A rule answers a clash or does not; a suggestion answers every clash
of a file, by one rule, or by the first rule that answers each.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher

from attrs import frozen

from sennit.core.objects import Hunk
from sennit.core.three_way import Agreed, Clash, Lines, Piece, ThreeTexts, end_of, pieces
from sennit_protocol.conflicts import Side, SuggestionKind, Sureness


@frozen
class Suggestion:
    """A whole text that would settle a conflict, what it was made by, and how sure it is."""

    kind: SuggestionKind
    sure: Sureness
    content: bytes


SURENESS: Mapping[SuggestionKind, Sureness] = {
    SuggestionKind.LINE_ENDINGS: Sureness.LIKELY,
    SuggestionKind.ONE_HOLDS_MORE: Sureness.LIKELY,
    SuggestionKind.IMPORTS: Sureness.LIKELY,
    SuggestionKind.ADJACENT_EDITS: Sureness.LIKELY,
    SuggestionKind.OURS_THEN_THEIRS: Sureness.GUESS,
    SuggestionKind.THEIRS_THEN_OURS: Sureness.GUESS,
    SuggestionKind.EACH_ITS_OWN: Sureness.GUESS,
    SuggestionKind.FOLLOW_FOLDER: Sureness.LIKELY,
}
"""How far a suggestion can be believed. Edits of adjacent lines equalled what people committed in
about four of five real conflicts; of two orders of insertions only one can be meant."""


def suggestions(texts: ThreeTexts) -> tuple[Suggestion, ...]:
    """Give what would settle every clash of three texts, the surest first; none where none is."""
    cut = pieces(texts)
    clashes = [piece for piece in cut if isinstance(piece, Clash)]
    if not clashes:
        return ()
    answers = {kind: [rule(texts, clash) for clash in clashes] for kind, rule in _RULES.items()}
    whole = [(kind, found) for kind, found in answers.items() if None not in found]
    if not whole:
        # Each clash by the first rule that has an answer for it.
        mixed = [next((one for one in each if one is not None), None)
                 for each in zip(*answers.values(), strict=True)]  # fmt: skip
        whole = [] if None in mixed else [(SuggestionKind.EACH_ITS_OWN, mixed)]
    made = [
        Suggestion(kind, SURENESS[kind], _with_answers(cut, [one or () for one in found]))
        for kind, found in whole
    ]
    return tuple(_each_once(made))


def favoured(texts: ThreeTexts, side: Side) -> bytes | None:
    """Merge three texts with one side's lines wherever they clash; None where they do not clash."""
    cut = pieces(texts)
    answers = [_of_side(piece, side) for piece in cut if isinstance(piece, Clash)]
    return _with_answers(cut, answers) if answers else None


def _of_side(clash: Clash, side: Side) -> Lines:
    match side:
        case Side.BASE:
            return clash.base
        case Side.OURS:
            return clash.ours
        case Side.THEIRS:
            return clash.theirs


def _with_answers(cut: Sequence[Piece], answers: Sequence[Lines]) -> bytes:
    remaining = iter(answers)
    parts = [piece.lines if isinstance(piece, Agreed) else next(remaining) for piece in cut]
    whole = [line for part in parts for line in part]
    # A last line without an end must not run into what now follows it.
    ended = [line if line.endswith(b"\n") else line + b"\n" for line in whole[:-1]]
    return b"".join([*ended, *whole[-1:]])


def _each_once(made: Sequence[Suggestion]) -> Iterator[Suggestion]:
    seen: set[bytes] = set()
    for one in made:
        if one.content not in seen:
            seen.add(one.content)
            yield one


# The rules. Each gives the lines for one clash, or None.


MOST_COMPARED = 1_000
"""Lines of a clash, of all sides together, that are compared one by one."""


def _one_holds_more(_texts: ThreeTexts, clash: Clash) -> Lines | None:
    if len(clash.base) + len(clash.ours) + len(clash.theirs) > MOST_COMPARED:
        return None
    ours, theirs = (_Change.of(clash.base, side) for side in (clash.ours, clash.theirs))
    if ours.is_part_of(theirs):
        return clash.theirs
    return clash.ours if theirs.is_part_of(ours) else None


@frozen
class _Change:
    """What one side did to the lines of the base: which it took out, what it put in."""

    out: frozenset[int]
    put: Lines

    @classmethod
    def of(cls, base: Lines, side: Lines) -> _Change:
        out: set[int] = set()
        put: list[bytes] = []
        for tag, start, end, first, last in _opcodes(base, side):
            if tag != "equal":
                out.update(range(start, end))
                put += side[first:last]
        return cls(frozenset(out), tuple(put))

    def is_part_of(self, other: _Change) -> bool:
        # Taking lines out alone is no change of which another could be the better version.
        remaining = iter(other.put)
        held = all(line in remaining for line in self.put)
        return bool(self.put) and self.out <= other.out and held


def _opcodes(base: Lines, side: Lines) -> Sequence[tuple[str, int, int, int, int]]:
    return SequenceMatcher(None, base, side, autojunk=False).get_opcodes()


def _adjacent_edits(texts: ThreeTexts, clash: Clash) -> Lines | None:
    ours, theirs = clash.our_hunks, clash.their_hunks
    if not all(_are_apart(one, other) for one in ours for other in theirs):
        return None
    changes = [(hunk, texts.ours) for hunk in ours] + [(hunk, texts.theirs) for hunk in theirs]
    changes.sort(key=lambda change: (change[0].before_start, end_of(change[0])))
    lines: list[bytes] = []
    position = clash.region.base_start
    for hunk, side in changes:
        lines += texts.base[position : hunk.before_start]
        lines += side[hunk.after_start : hunk.after_start + hunk.after_count]
        position = end_of(hunk)
    lines += texts.base[position : clash.region.base_start + clash.region.base_count]
    return tuple(lines)


def _are_apart(one: Hunk, other: Hunk) -> bool:
    if one.before_start == other.before_start and not (one.before_count and other.before_count):
        # Of what is put in at one place nobody can say what comes first.
        return bool(one.before_count or other.before_count)
    return end_of(one) <= other.before_start or end_of(other) <= one.before_start


_IMPORT = re.compile(
    rb"\s*(?:import\b|from\s+\S+\s+import\b|\#\s*include\b|(?:pub\s+)?use\s+.+;|using\s+[\w.: =]+;"
    rb"|require\b|(?:const|let|var)\s+.+=\s*require\(|export\s+\*\s+from\b|$)"
)


def _imports(_texts: ThreeTexts, clash: Clash) -> Lines | None:
    sides = (clash.base, clash.ours, clash.theirs)
    if not all(_IMPORT.match(line) for side in sides for line in side):
        return None
    gone = (set(clash.base) - set(clash.theirs)) | (set(clash.base) - set(clash.ours))
    kept = [line for line in clash.ours if line not in gone]
    kept += [line for line in clash.theirs if line not in gone and line not in clash.ours]
    if not kept:
        return None
    if all(list(side) == sorted(side) for side in sides):
        kept.sort()
    return tuple(kept)


def _ours_then_theirs(texts: ThreeTexts, clash: Clash) -> Lines | None:
    return (*clash.ours, *clash.theirs) if _are_two_insertions(texts, clash) else None


def _theirs_then_ours(texts: ThreeTexts, clash: Clash) -> Lines | None:
    return (*clash.theirs, *clash.ours) if _are_two_insertions(texts, clash) else None


def _are_two_insertions(texts: ThreeTexts, clash: Clash) -> bool:
    put_in = not clash.base and bool(clash.ours) and bool(clash.theirs)
    return put_in and _one_holds_more(texts, clash) is None


_Rule = Callable[[ThreeTexts, Clash], Lines | None]
_RULES: Mapping[SuggestionKind, _Rule] = {
    SuggestionKind.ONE_HOLDS_MORE: _one_holds_more,
    SuggestionKind.IMPORTS: _imports,
    SuggestionKind.ADJACENT_EDITS: _adjacent_edits,
    SuggestionKind.OURS_THEN_THEIRS: _ours_then_theirs,
    SuggestionKind.THEIRS_THEN_OURS: _theirs_then_ours,
}
"""The surest first: where no rule answers all clashes, each takes the first that answers it."""
