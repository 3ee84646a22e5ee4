"""Tables and times as people read them, never wider than the terminal."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from itertools import zip_longest

from rich.box import SIMPLE_HEAD
from rich.console import JustifyMethod
from rich.table import Table
from rich.text import Text

from sennit.cli.safe_text import safe_line
from sennit.core.counted import spelled_size
from sennit_protocol.states import ApplicationState, Integration, Review, TaskState, TrustState

_SECONDS = 60
_MS = 1000
_AGES = (("d", timedelta(days=1)), ("h", timedelta(hours=1)), ("min", timedelta(minutes=1)))
_OLD = timedelta(days=30)
_GAP = "  "
_INNER_CAPITAL = re.compile(r"(?<=[a-z])[A-Z]")

STATE_STYLES: Mapping[str, str] = {
    TaskState.COMPLETED: "green",
    Integration.CLEAN: "green",
    Review.ACCEPTED: "green",
    ApplicationState.APPLIED: "green",
    "good": "green",
    TrustState.TRUSTED: "green",
    TaskState.RUNNING: "cyan",
    TaskState.PREPARING: "cyan",
    TaskState.WAITING: "yellow",
    TaskState.PARTIAL: "yellow",
    ApplicationState.PARTLY_APPLIED: "yellow",
    Review.PARTLY_ACCEPTED: "yellow",
    "warning": "yellow",
    TrustState.CHANGED: "yellow",
    TaskState.FAILED: "red",
    Integration.CONFLICT: "red",
    TaskState.BLOCKED: "red",
    "bad": "red",
    ApplicationState.UNKNOWN: "red",
}
"""The name of a state, of whatever kind → its colour."""


def table(*headings: str) -> Table:
    """Make an empty table.

    Columns named with a leading `>` stand to the right, and those with a leading `!`, ids and times
    say, are never broken in two; `>!` is both.
    """
    made = Table(
        box=SIMPLE_HEAD,
        padding=(0, 1, 0, 0),
        pad_edge=False,
        show_edge=False,
        caption_justify="left",
    )
    for heading in headings:
        name = heading.lstrip(">!")
        marks = heading.removesuffix(name)
        justify: JustifyMethod = "right" if ">" in marks else "left"
        made.add_column(name, justify=justify, overflow="fold", no_wrap="!" in marks)
    return made


def cells(*values: str | Text) -> Sequence[Text]:
    """Make the cells of a row from text of others."""
    return [each if isinstance(each, Text) else Text(safe_line(each)) for each in values]


def filled(empty: Table, rows: Iterable[Sequence[Text]]) -> Table:
    """Add ``rows`` to a table."""
    for row in rows:
        empty.add_row(*row)
    return empty


def aligned(headings: Sequence[str], rows: Sequence[Sequence[Text]]) -> Iterator[Text]:
    """Give a line of headings and one of each row, with their columns one below the other.

    The lines are as long as they have to be, for a terminal to fold and a person to copy.
    """
    lines = [[Text(heading, style="dim") for heading in headings], *rows]
    columns = zip_longest(*lines, fillvalue=Text())
    widths = [max(cell.cell_len for cell in column) for column in columns]
    for line in lines:
        made = Text()
        for cell, width in zip(line, widths, strict=False):
            made.append(_GAP).append_text(cell).append(" " * (width - cell.cell_len))
        made.rstrip()
        yield made


def state(name: str) -> Text:
    """Show the name of a state in words, in the colour of its weight."""
    words = _INNER_CAPITAL.sub(lambda found: f" {found[0].lower()}", name)
    return Text(words, style=STATE_STYLES.get(name, ""))


def size(count: int) -> str:
    """Spell a number of bytes."""
    return spelled_size(count)


def duration(milliseconds: int) -> str:
    """Spell a length of time."""
    seconds = milliseconds / _MS
    if seconds < _SECONDS:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(int(seconds), _SECONDS)
    return f"{minutes}:{rest:02} min"


def ago(at: str, now: datetime | None = None) -> str:
    """Spell how long ago a time of the protocol was; the day where it was long ago."""
    then = datetime.fromisoformat(at)
    age = (now or datetime.now(UTC)) - then
    if age > _OLD:
        return f"{then.astimezone():%Y-%m-%d}"
    for unit, length in _AGES:
        if age >= length:
            return f"{age // length} {unit} ago"
    return "just now"


def clock(at: str) -> str:
    """Spell a time of the protocol as the clocks here show it, to the minute."""
    return f"{datetime.fromisoformat(at).astimezone():%Y-%m-%d %H:%M}"


def day_and_time(at: str) -> tuple[str, str]:
    """Spell a time of the protocol as the clocks here show it, the day and the second of it."""
    then = datetime.fromisoformat(at).astimezone()
    return f"{then:%Y-%m-%d}", f"{then:%H:%M:%S}"
