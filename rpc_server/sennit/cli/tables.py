"""Tables and times as people read them, never wider than the terminal."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from sennit.cli.safe_text import safe_line
from sennit.core.counted import spelled_size
from sennit_protocol.states import ApplicationState, Integration, Review, TaskState, TrustState

_SECONDS = 60
_MS = 1000

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
    """Make an empty table; columns named with a leading `>` stand to the right."""
    made = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for heading in headings:
        name, right = heading.removeprefix(">"), heading.startswith(">")
        made.add_column(name, justify="right" if right else "left", overflow="fold")
    return made


def cells(*values: str | Text) -> Sequence[Text]:
    """Make the cells of a row from text of others."""
    return [each if isinstance(each, Text) else Text(safe_line(each)) for each in values]


def filled(empty: Table, rows: Iterable[Sequence[Text]]) -> Table:
    """Add ``rows`` to a table."""
    for row in rows:
        empty.add_row(*row)
    return empty


def state(name: str) -> Text:
    """Show the name of a state in the colour of its weight."""
    return Text(name, style=STATE_STYLES.get(name, ""))


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
