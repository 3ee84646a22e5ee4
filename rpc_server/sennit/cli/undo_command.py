"""`sennit undo`."""

from __future__ import annotations

from pathlib import Path

import click
from attrs import frozen

from sennit.cli.applying import APPLY_LIMIT_S, GOOD_STATES, application_lines
from sennit.cli.client import Client
from sennit.cli.exits import Exit
from sennit.cli.failures import NotNowError
from sennit.cli.names import kind_of
from sennit.cli.options import json_option
from sennit.cli.place import Place
from sennit.cli.safe_text import safe_line
from sennit.core.counted import listed
from sennit.core.uris import display, file_path
from sennit_protocol.applications import ApplicationView
from sennit_protocol.ids import IdKind, TicketId
from sennit_protocol.requests import TicketsParams, TicketsResult
from sennit_protocol.review import UndoParams
from sennit_protocol.views import ApplicationSummary

PAGE = 1000
"""Tickets that are read at once."""


@click.command("undo")
@click.argument("name", required=False, metavar="APPLICATION|TICKET")
@click.option("--last", is_flag=True, help="The newest application to the repository here.")
@json_option
@click.pass_context
def command(ctx: click.Context, *, name: str | None, last: bool, as_json: bool) -> None:
    """Take an application back by merging with the files as they are now.

    Of a ticket that is its last one. An undo is an application too: its id takes it back.
    """
    place: Place = ctx.obj
    if name is not None and last:
        raise click.UsageError("Name what is to be taken back, or say --last: not both.")
    if name is None and not last:
        raise click.UsageError("Name an application (a_…) or a ticket (t_…), or say --last.")
    if name is not None:
        place.guarded(lambda: kind_of(name, IdKind.APPLICATION, IdKind.TICKET), as_json=as_json)

    async def work(client: Client) -> ApplicationView:
        if name is None:
            newest = await _newest(client, place.folder)
            named = newest.application.id
            if not as_json:
                place.terminal.note(_told(newest))
        else:
            named = await place.names(client).application(name)
        params = UndoParams(named)
        return await client.ask("sennit/undo", params, ApplicationView, limit_s=APPLY_LIMIT_S)

    result = place.converse(work, as_json=as_json)
    if as_json:
        place.terminal.show_json(result)
    else:
        place.terminal.show(*application_lines(result))
    ctx.exit(Exit.FINE if result.state in GOOD_STATES else Exit.PARTLY)


def _told(newest: _Newest) -> str:
    row = newest.application
    paths = listed([safe_line(path) for path in row.paths], row.files - len(row.paths))
    where = ", ".join(_shown(uri) for uri in newest.repositories)
    return f"Taking {row.id} back in {where}: {paths}"


def _shown(uri: str) -> str:
    path = file_path(uri)
    return safe_line(uri if path is None else display(path))


@frozen
class _Newest:
    """The newest application of some repositories, and which they are."""

    application: ApplicationSummary
    repositories: tuple[str, ...]


async def _newest(client: Client, folder: Path) -> _Newest:
    """The newest one in the repository of a folder, or in those below it."""
    found: _Newest | None = None
    before: TicketId | None = None
    while True:
        params = TicketsParams(PAGE, before, folder.as_uri())
        page = await client.ask("sennit/tickets", params, TicketsResult)
        for ticket in page.tickets:
            last = ticket.last_application
            if last is not None and (found is None or last.at > found.application.at):
                found = _Newest(last, ticket.repositories)
        if not page.more:
            break
        before = page.tickets[-1].id
    if found is None:
        raise NotNowError(
            f"Nothing was applied to a repository at, above or below {folder} that could be taken"
            " back."
        )
    return found
