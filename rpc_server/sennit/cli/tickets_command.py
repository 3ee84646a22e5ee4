"""`sennit tickets`."""

from __future__ import annotations

import click
from rich.console import RenderableType

from sennit.cli.names import Names
from sennit.cli.options import json_option
from sennit.cli.place import Place
from sennit.cli.tables import cells, filled, state, table
from sennit_protocol.requests import TicketsParams, TicketsResult


@click.command("tickets")
@click.option("--limit", type=click.IntRange(1, 1000), default=30, show_default=True)
@click.option("--before", metavar="TICKET", help="Only tickets older than this one.")
@json_option
@click.pass_obj
def command(place: Place, *, limit: int, before: str | None, as_json: bool) -> None:
    """List tickets, newest first."""

    async def params(names: Names) -> TicketsParams:
        return TicketsParams(limit, await names.ticket(before) if before else None)

    place.request_named(
        "sennit/tickets", params, TicketsResult, as_json=as_json, render=tickets_table
    )


def tickets_table(result: TicketsResult) -> RenderableType:
    """Show a page of tickets."""
    if not result.tickets:
        return "No tickets yet. Start one with `sennit run`."
    made = table("ticket", "state", ">done", ">to review", "created", "label")
    rows = [
        cells(
            each.id,
            state(each.state),
            f"{each.tasks_final}/{each.tasks}",
            str(each.proposals_pending or ""),
            each.created_at,
            each.label or "",
        )
        for each in result.tickets
    ]
    if result.more:
        made.caption = f"There are older ones: sennit tickets --before {result.tickets[-1].id}"
    return filled(made, rows)
