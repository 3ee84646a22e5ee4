"""Three texts as pieces: where two changes of one text go together, and where they clash.

The pieces follow git's rule: changes of the two sides that share lines of the base, or touch,
are one clash, unless both give the same text. They say what a conflict is about; whether there is
one is git's word alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from attrs import frozen

from sennit.core.objects import Hunk, Region

Lines = tuple[bytes, ...]


@frozen
class ThreeTexts:
    """Base, ours and theirs as lines of git, with what each side changed of the base, in order."""

    base: Lines
    ours: Lines
    theirs: Lines
    our_hunks: tuple[Hunk, ...]
    their_hunks: tuple[Hunk, ...]


@frozen
class Agreed:
    """Lines that a merge holds whatever becomes of the clashes."""

    lines: Lines


@frozen
class Clash:
    """Lines about which the sides differ; the hunks are those that meet here."""

    base: Lines
    ours: Lines
    theirs: Lines
    region: Region
    our_hunks: tuple[Hunk, ...]
    their_hunks: tuple[Hunk, ...]


Piece = Agreed | Clash


def pieces(texts: ThreeTexts) -> tuple[Piece, ...]:
    """Cut three texts into what goes together and what clashes, from the first line to the last."""
    return tuple(_pieces(texts))


def regions(texts: ThreeTexts) -> tuple[Region, ...]:
    """Give the lines of the three texts over which they clash."""
    return tuple(piece.region for piece in _pieces(texts) if isinstance(piece, Clash))


@frozen
class _Group:
    """Changes that meet or touch: the lines of the base that they cover, and the changes."""

    start: int
    end: int
    ours: tuple[Hunk, ...] = ()
    theirs: tuple[Hunk, ...] = ()


def _pieces(texts: ThreeTexts) -> Iterator[Piece]:
    position, our_shift, their_shift = 0, 0, 0
    for group in _groups(texts):
        if position < group.start:
            yield Agreed(texts.base[position : group.start])
        our_start, their_start = group.start + our_shift, group.start + their_shift
        our_shift += _growth(group.ours)
        their_shift += _growth(group.theirs)
        position = group.end
        region = Region(
            base_start=group.start,
            base_count=group.end - group.start,
            ours_start=our_start,
            ours_count=group.end + our_shift - our_start,
            theirs_start=their_start,
            theirs_count=group.end + their_shift - their_start,
        )
        yield _piece(texts, group, region)
    if position < len(texts.base):
        yield Agreed(texts.base[position:])


def _growth(hunks: Sequence[Hunk]) -> int:
    return sum(hunk.after_count - hunk.before_count for hunk in hunks)


def _piece(texts: ThreeTexts, group: _Group, region: Region) -> Piece:
    ours = texts.ours[region.ours_start :][: region.ours_count]
    theirs = texts.theirs[region.theirs_start :][: region.theirs_count]
    if not group.theirs or ours == theirs:
        return Agreed(ours)
    if not group.ours:
        return Agreed(theirs)
    base = texts.base[group.start : group.end]
    return Clash(base, ours, theirs, region, group.ours, group.theirs)


def _groups(texts: ThreeTexts) -> Iterator[_Group]:
    changes = [(hunk, True) for hunk in texts.our_hunks]
    changes += [(hunk, False) for hunk in texts.their_hunks]
    changes.sort(key=lambda change: (change[0].before_start, end_of(change[0])))
    group: _Group | None = None
    for hunk, is_ours in changes:
        if group is not None and hunk.before_start > group.end:
            yield group
            group = None
        if group is None:
            group = _Group(hunk.before_start, end_of(hunk))
        group = _Group(
            group.start,
            max(group.end, end_of(hunk)),
            (*group.ours, hunk) if is_ours else group.ours,
            group.theirs if is_ours else (*group.theirs, hunk),
        )
    if group is not None:
        yield group


def end_of(hunk: Hunk) -> int:
    """Give the line of the base behind a change."""
    return hunk.before_start + hunk.before_count
