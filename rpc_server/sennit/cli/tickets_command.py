"""`sennit tickets`."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import click
from rich.console import Group, RenderableType
from rich.text import Text

from sennit.cli.names import Names
from sennit.cli.options import json_option
from sennit.cli.place import Place
from sennit.cli.safe_text import safe_line
from sennit.cli.tables import ago, cells, filled, state, table
from sennit.core.uris import display, file_path
from sennit_protocol.requests import TicketsParams, TicketsResult
from sennit_protocol.views import TicketSummary


@click.command("tickets")
@click.option("--limit", type=click.IntRange(1, 1000), default=30, show_default=True)
@click.option("--before", metavar="TICKET", help="Only tickets older than this one.")
@click.option(
    "--all/--here",
    "everywhere",
    default=None,
    help="Those of all repositories, or of a repository at, above or below the folder here; "
    "unless given here, and all with --json.",
)
@json_option
@click.pass_obj
def command(
    place: Place, *, limit: int, before: str | None, everywhere: bool | None, as_json: bool
) -> None:
    """List tickets, newest first.

    Open are proposals that wait for a decision or an application.
    """
    of_all = as_json if everywhere is None else everywhere

    async def params(names: Names) -> TicketsParams:
        older = await names.ticket(before) if before else None
        return TicketsParams(limit, older, None if of_all else place.folder.as_uri())

    place.request_named(
        "sennit/tickets",
        params,
        TicketsResult,
        as_json=as_json,
        render=all_tickets if of_all else partial(tickets_here, place.folder),
    )


def tickets_here(folder: Path, result: TicketsResult) -> RenderableType:
    """Show a page of the tickets of the repository of a folder."""
    if not result.tickets:
        return (
            f"No tickets of a repository at, above or below {safe_line(str(folder))} yet. "
            "Start one with `sennit run`; those of others: sennit tickets --all"
        )
    made = table("!ticket", "!state", ">done", ">open", "!created", "label")
    rows = [cells(*_beginning(each), each.label or "") for each in result.tickets]
    return Group(filled(made, rows), *_older(result, "sennit tickets"))


def all_tickets(result: TicketsResult) -> RenderableType:
    """Show a page of the tickets of all repositories."""
    if not result.tickets:
        return "No tickets yet. Start one with `sennit run`."
    made = table("!ticket", "!state", ">done", ">open", "!created", "repository", "label")
    rows = [
        cells(*_beginning(each), ", ".join(map(_shown, each.repositories)), each.label or "")
        for each in result.tickets
    ]
    return Group(filled(made, rows), *_older(result, "sennit tickets --all"))


def _beginning(ticket: TicketSummary) -> tuple[str | Text, ...]:
    done = f"{ticket.tasks_final}/{ticket.tasks}"
    waiting = str(ticket.proposals_pending or "")
    return ticket.id, state(ticket.state), done, waiting, ago(ticket.created_at)


def _older(result: TicketsResult, listed: str) -> Iterator[Text]:
    if result.more:
        yield Text(f"There are older ones: {listed} --before {result.tickets[-1].id}", style="dim")


def _shown(uri: str) -> str:
    path = file_path(uri)
    return uri if path is None else display(path)
