"""What is kept, as `gc` and `drop` show it."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from sennit.cli.safe_text import safe_line
from sennit.cli.tables import ago, cells, filled, size, table
from sennit_protocol.upkeep import RetainedItem
from sennit_protocol.views import Notice


def kept_table(items: Sequence[RetainedItem]) -> Table:
    """Show items with their size and why they are there."""
    rows = [cells(each.id, size(each.bytes), ago(each.at), _what(each)) for each in items]
    return filled(table("!id", ">!size", "!since", "what and why"), rows)


def _what(item: RetainedItem) -> str:
    whose = "/".join(filter(None, (item.ticket, item.task)))
    of = f" of {whose}" if whose not in {"", item.id} else ""
    return f"{item.kind}{of}: {item.reason}"


def collection(head: str, items: Sequence[RetainedItem], kept: Sequence[Notice]) -> RenderableType:
    """Show what was removed, or would be, and what was not."""
    parts: list[RenderableType] = [Text(head)]
    if items:
        parts.append(kept_table(items))
    parts += [Text(f"kept: {safe_line(each.message)}", style="yellow") for each in kept]
    return Group(*parts)
