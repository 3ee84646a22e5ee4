"""`sennit overlaps`."""

from __future__ import annotations

import click
from rich.console import RenderableType

from sennit.cli.options import json_option
from sennit.cli.place import Place
from sennit.cli.tables import cells, filled, table
from sennit_protocol.ids import TicketId
from sennit_protocol.overlap import FileOverlap, OverlapsParams, OverlapsResult, Worker


@click.command("overlaps")
@click.argument("ticket", required=False)
@click.option("--no-running", is_flag=True, help="Leave running agents alone.")
@json_option
@click.pass_obj
def command(place: Place, *, ticket: str | None, no_running: bool, as_json: bool) -> None:
    """Show which open work changes the same files: proposals, and agents at work."""
    params = OverlapsParams(
        TicketId(ticket) if ticket else None, str(place.folder), running=not no_running
    )
    place.request("sennit/overlaps", params, OverlapsResult, as_json=as_json, render=overlaps_table)


def overlaps_table(result: OverlapsResult) -> RenderableType:
    """Show the pairs, a line a file."""
    said = "; ".join(notice.message for notice in result.notices)
    if not result.overlaps:
        return f"No open work changes the same files. {said}".strip()
    made = table("one", "other", "file", "meet in")
    rows = [
        cells(_name(pair.one), _name(pair.other), file.path, _how(file))
        for pair in result.overlaps
        for file in pair.files
    ]
    if said:
        made.caption = said
    return filled(made, rows)


def _name(worker: Worker) -> str:
    return f"{worker.task} ({worker.proposal or f'running, {worker.ticket}'})"


def _how(file: FileOverlap) -> str:
    # People count lines from 1.
    lines = ", ".join(f"{one.start + 1}" for one in file.lines)
    return f"{file.kind} {lines}".strip()
