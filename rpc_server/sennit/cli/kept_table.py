"""What is kept, as `gc` and `drop` show it."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from sennit.cli.safe_text import safe_line
from sennit.cli.tables import cells, filled, size, table
from sennit_protocol.upkeep import RetainedItem
from sennit_protocol.views import Notice


def kept_table(items: Sequence[RetainedItem]) -> Table:
    """Show items with their size and why they are there."""
    rows = [
        cells(
            each.id,
            each.kind,
            _of(each),
            size(each.bytes),
            each.at,
            each.reason,
        )
        for each in items
    ]
    made = table("id", "kind", "of", ">size", "since", "why")
    # A time that is broken in two cannot be read.
    made.columns[4].no_wrap = True
    return filled(made, rows)


def _of(item: RetainedItem) -> str:
    return item.task or item.ticket or ""


def collection(head: str, items: Sequence[RetainedItem], kept: Sequence[Notice]) -> RenderableType:
    """Show what was removed, or would be, and what was not."""
    parts: list[RenderableType] = [Text(head)]
    if items:
        parts.append(kept_table(items))
    parts += [Text(f"kept: {safe_line(each.message)}", style="yellow") for each in kept]
    return Group(*parts)
