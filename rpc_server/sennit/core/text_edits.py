"""Minimal edits between two texts: what an editor has to do so that ``before`` becomes ``after``.

Edits never start or end between CR and LF, which no editor can address; they are sorted, do not
touch, and no position is named twice, so that their order cannot matter.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from attrs import frozen

from sennit.core.text import Position, TextIndex, lsp_lines

MOST_EDITS = 1_000
"""More edits than this in one file become one range: editors take minutes over many thousands."""

_MOST_STEPS = 600
# Myers' algorithm keeps one list a step; beyond this many differing lines one range is honest.


@frozen
class TextEdit:
    """The text between two positions of ``before`` (in code points) gives way to ``new_text``."""

    start: Position
    end: Position
    new_text: str


@frozen
class _Splice:
    """A replacement by offsets: ``before[start:end]`` gives way to ``new``."""

    start: int
    end: int
    new: str


@frozen
class Block:
    """A replacement by lines: lines ``a0`` to ``a1`` give way to lines ``b0`` to ``b1``."""

    a0: int
    a1: int
    b0: int
    b1: int


def text_edits(before: str, after: str, most: int = MOST_EDITS) -> tuple[TextEdit, ...]:
    """Find the edits; more than ``most`` become one. Equal texts have none."""
    splices = list(_joined(_splices(before, after)))
    if len(splices) > most:
        splices = list(_one_range(before, after))
    index = TextIndex(before)
    return tuple(
        TextEdit(index.position(splice.start), index.position(splice.end), splice.new)
        for splice in splices
    )


def apply_text_edits(before: str, edits: Sequence[TextEdit]) -> str:
    """Do what an editor does with the edits: all of them refer to ``before``."""
    index = TextIndex(before)
    pieces: list[str] = []
    position = 0
    for edit in sorted(edits, key=lambda edit: edit.start):
        pieces += (before[position : index.offset(edit.start)], edit.new_text)
        position = index.offset(edit.end)
    return "".join([*pieces, before[position:]])


def _splices(before: str, after: str) -> Iterator[_Splice]:
    old, new = lsp_lines(before), lsp_lines(after)
    starts = [0]
    for line in old:
        starts.append(starts[-1] + len(line))
    for block in blocks(old, new):
        if block.a1 - block.a0 != block.b1 - block.b0:
            pairs = [(old[block.a0 : block.a1], new[block.b0 : block.b1])]
        else:
            # As many lines as before: each keeps what it has, so that cursors and folds stay.
            pairs = [([old[block.a0 + n]], [new[block.b0 + n]]) for n in range(block.a1 - block.a0)]
        offset = starts[block.a0]
        for was, becomes in pairs:
            text = "".join(was)
            yield from _trimmed(offset, text, "".join(becomes))
            offset += len(text)


def _one_range(before: str, after: str) -> Iterator[_Splice]:
    return _trimmed(0, before, after)


def _trimmed(offset: int, was: str, becomes: str) -> Iterator[_Splice]:
    """Leave out what both texts begin and end with, never cutting between CR and LF of either."""
    if was == becomes:
        return
    shorter = min(len(was), len(becomes))
    head = _common(was[:shorter], becomes[:shorter])
    if _splits_pair(was, head) or _splits_pair(becomes, head):
        head -= 1
    rest = shorter - head
    tail = _common(was[len(was) - rest :][::-1], becomes[len(becomes) - rest :][::-1])
    if _splits_pair(was, len(was) - tail) or _splits_pair(becomes, len(becomes) - tail):
        tail -= 1
    yield _Splice(offset + head, offset + len(was) - tail, becomes[head : len(becomes) - tail])


def _common(one: str, other: str) -> int:
    """Count the characters that two texts of one length share at their start."""
    low, high = 0, len(one)
    # Halving compares slices in C; a loop over characters is too slow for whole files.
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _splits_pair(text: str, offset: int) -> bool:
    return text[offset - 1 : offset + 1] == "\r\n" if offset else False


def _joined(splices: Iterable[_Splice]) -> Iterator[_Splice]:
    """Join neighbours that touch: two edits at one position would depend on their order."""
    waiting: _Splice | None = None
    for splice in splices:
        if waiting is not None and waiting.end == splice.start:
            waiting = _Splice(waiting.start, splice.end, waiting.new + splice.new)
            continue
        if waiting is not None:
            yield waiting
        waiting = splice
    if waiting is not None:
        yield waiting


def blocks(old: Sequence[str], new: Sequence[str]) -> Iterator[Block]:
    """Find the blocks of lines that differ, in order."""
    head = _common_lines(old, new)
    rest = min(len(old), len(new)) - head
    tail = _common_lines(old[len(old) - rest :][::-1], new[len(new) - rest :][::-1])
    middle_old = old[head : len(old) - tail]
    middle_new = new[head : len(new) - tail]
    if not middle_old and not middle_new:
        return
    matches = _matches(middle_old, middle_new)
    ends = [(-1, -1), *(matches or ()), (len(middle_old), len(middle_new))]
    for (a, b), (next_a, next_b) in pairwise(ends):
        if next_a - a > 1 or next_b - b > 1:
            yield Block(head + a + 1, head + next_a, head + b + 1, head + next_b)


def _common_lines(old: Sequence[str], new: Sequence[str]) -> int:
    count = 0
    for was, becomes in zip(old, new, strict=False):
        if was != becomes:
            break
        count += 1
    return count


def _matches(old: Sequence[str], new: Sequence[str]) -> list[tuple[int, int]] | None:
    """Pair the lines that stay, by Myers' greedy search; None where too much differs."""
    furthest = {1: 0}
    history: list[dict[int, int]] = []
    for step in range(min(len(old) + len(new), _MOST_STEPS) + 1):
        history.append(furthest.copy())
        for diagonal in range(-step, step + 1, 2):
            x = _next_x(furthest, diagonal, step)
            while x < len(old) and x - diagonal < len(new) and old[x] == new[x - diagonal]:
                x += 1
            furthest[diagonal] = x
            if x >= len(old) and x - diagonal >= len(new):
                return _walk_back(history, len(old), len(new))
    return None


def _next_x(furthest: dict[int, int], diagonal: int, step: int) -> int:
    """Step down (an insertion) or right (a deletion), whichever is further along."""
    left, right = furthest.get(diagonal - 1, -1), furthest.get(diagonal + 1, -1)
    if diagonal == -step or (diagonal != step and left < right):
        return right
    return left + 1


def _walk_back(history: Sequence[dict[int, int]], x: int, y: int) -> list[tuple[int, int]]:
    matches: list[tuple[int, int]] = []
    for step in range(len(history) - 1, -1, -1):
        furthest, diagonal = history[step], x - y
        left, right = furthest.get(diagonal - 1, -1), furthest.get(diagonal + 1, -1)
        down = diagonal == -step or (diagonal != step and left < right)
        before = diagonal + 1 if down else diagonal - 1
        to_x = furthest[before]
        to_y = to_x - before
        while x > max(to_x, 0) and y > max(to_y, 0):
            x, y = x - 1, y - 1
            matches.append((x, y))
        x, y = to_x, to_y
    return matches[::-1]
