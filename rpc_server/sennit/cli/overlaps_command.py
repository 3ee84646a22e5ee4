"""`sennit overlaps`."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import assert_never

import click
from rich.console import RenderableType

from sennit.cli.names import Names
from sennit.cli.options import json_option
from sennit.cli.place import Place
from sennit.cli.safe_text import safe_line
from sennit.cli.tables import cells, filled, table
from sennit.core.counted import named
from sennit_protocol.conflicts import LineRange
from sennit_protocol.ids import TicketId
from sennit_protocol.overlap import (
    FileOverlap,
    OverlapKind,
    OverlapsParams,
    OverlapsResult,
    Worker,
)


@click.command("overlaps")
@click.argument("ticket", required=False)
@click.option("--no-running", is_flag=True, help="Leave running agents alone.")
@json_option
@click.pass_obj
def command(place: Place, *, ticket: str | None, no_running: bool, as_json: bool) -> None:
    """Show which open work changes the same files: proposals, and agents at work."""

    async def params(names: Names) -> OverlapsParams:
        named = await names.ticket(ticket) if ticket else None
        return OverlapsParams(named, place.folder.as_uri(), running=not no_running)

    place.request_named(
        "sennit/overlaps", params, OverlapsResult, as_json=as_json, render=overlaps_table
    )


def overlaps_table(result: OverlapsResult) -> RenderableType:
    """Show the pairs, a line a file."""
    said = "; ".join(safe_line(notice.message) for notice in result.notices)
    if not result.overlaps:
        return f"No open work changes the same files. {said}".strip()
    tickets = {worker.ticket for pair in result.overlaps for worker in (pair.one, pair.other)}
    made = table("one", "other", "file", "meet in")
    rows = [
        cells(_name(pair.one, tickets), _name(pair.other, tickets), file.path, _how(file))
        for pair in result.overlaps
        for file in pair.files
    ]
    if said:
        made.caption = said
    return filled(made, rows)


def _name(worker: Worker, tickets: Collection[TicketId]) -> str:
    task = worker.task if len(tickets) == 1 else f"{worker.ticket}/{worker.task}"
    return f"{task} ({worker.proposal or 'running'})"


def _how(file: FileOverlap) -> str:
    match file.kind:
        case OverlapKind.LINES:
            return _lines(file.lines)
        case OverlapKind.WHOLE_FILE:
            return "the whole file"
        case OverlapKind.SAME_FILE:
            return "other lines of it"
        case _:
            assert_never(file.kind)


def _lines(met: Sequence[LineRange]) -> str:
    # People count lines from 1.
    numbers = ", ".join(str(one.start + 1) for one in met)
    return f"{named(len(met), 'line')} {numbers}".strip()
