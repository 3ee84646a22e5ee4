"""The places where two changes collide, with what each side holds there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from attrs import frozen
from rich.text import Text

from sennit.cli.client import Client
from sennit.cli.diffs import Lines
from sennit.cli.proposals_read import lines_of
from sennit.cli.safe_text import safe_code, safe_line
from sennit.core.counted import counted
from sennit_protocol.conflicts import ConflictView, LineRange, RegionView, SideView
from sennit_protocol.proposals import ProposalView

MOST_PLACES = 8
MOST_LINES = 12
"""Lines of a side that are shown at one place."""
MOST_COLUMNS = 200
CONTEXT_LINES = 2

_MODES = {"100644": "a file", "100755": "an executable file", "120000": "a link",
          "160000": "a submodule"}  # fmt: skip


async def collision_lines(
    client: Client, view: ProposalView, conflict: ConflictView
) -> Sequence[Text]:
    """Show where a proposal collides; the letters are those that take a side."""
    sides = _sides(view, conflict)
    if not conflict.regions:
        return [_whole(side) for side in sides]
    texts = [await _text(client, side.held) for side in sides]
    shown = [Text(f"  {side.letter}  {side.what}", style=side.style) for side in sides]
    for region in conflict.regions[:MOST_PLACES]:
        shown += _place(region, sides, texts)
    more = len(conflict.regions) - MOST_PLACES
    if more > 0:
        shown.append(Text(f"  … and {counted(more, 'more place')}", style="yellow"))
    return shown


@frozen
class _Side:
    letter: str
    what: str
    style: str
    held: SideView


def _sides(view: ProposalView, conflict: ConflictView) -> tuple[_Side, _Side, _Side]:
    others = ", ".join(map(safe_line, conflict.with_tasks)) or "merged before it"
    task = safe_line(view.summary.task)
    return (
        _Side("o", f"what is there ({others})", "cyan", conflict.ours),
        _Side("b", "what both began with", "", conflict.base),
        _Side("t", f"what is proposed ({task})", "green", conflict.theirs),
    )


def _whole(side: _Side) -> Text:
    mode = side.held.mode
    holds = "nothing" if mode is None else _MODES.get(mode, f"mode {mode}")
    if side.held.id is not None:
        holds += f", {side.held.id[:10]}"
    return Text(f"  {side.letter}  {side.what}: {holds}", style=side.style)


async def _text(client: Client, side: SideView) -> Lines:
    return () if side.uri is None else await lines_of(client, side.uri)


def _place(region: RegionView, sides: Sequence[_Side], texts: Sequence[Lines]) -> Iterator[Text]:
    """One place: a few lines before, what each side holds, a few lines after."""
    start, end = region.ours.start, region.ours.start + region.ours.count
    # People count lines from 1.
    yield Text(f"  at line {start + 1}:", style="magenta")
    there = texts[0]
    for line in there[max(0, start - CONTEXT_LINES) : start]:
        yield Text(f"     │{_cut(line)}", style="dim")
    ranges = (region.ours, region.base, region.theirs)
    for side, lines, where in zip(sides, texts, ranges, strict=True):
        yield from _held(side, lines, where)
    for line in there[end : end + CONTEXT_LINES]:
        yield Text(f"     │{_cut(line)}", style="dim")


def _held(side: _Side, lines: Lines, where: LineRange) -> Iterator[Text]:
    held = lines[where.start : where.start + where.count]
    if not held:
        yield Text(f"  {side.letter}   (no line)", style=side.style)
    for line in held[:MOST_LINES]:
        yield Text(f"  {side.letter}  │{_cut(line)}", style=side.style)
    if len(held) > MOST_LINES:
        more = counted(len(held) - MOST_LINES, "more line")
        yield Text(f"  {side.letter}   … and {more}", style=side.style)


def _cut(line: str) -> str:
    return safe_code(line[:MOST_COLUMNS]) + ("…" if len(line) > MOST_COLUMNS else "")
