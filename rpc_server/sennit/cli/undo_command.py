"""`sennit undo`."""

from __future__ import annotations

import click

from sennit.cli.applying import APPLY_LIMIT_S, GOOD_STATES, application_lines
from sennit.cli.client import Client
from sennit.cli.exits import Exit
from sennit.cli.failures import UsageError
from sennit.cli.options import json_option
from sennit.cli.place import Place
from sennit_protocol.ids import ApplicationId
from sennit_protocol.proposals import ApplicationView
from sennit_protocol.requests import Nothing
from sennit_protocol.review import UndoParams
from sennit_protocol.upkeep import RetainedResult

APPLICATION_KIND = "application"
"""The kind under which `sennit/retained` lists applications."""


@click.command("undo")
@click.argument("application", required=False)
@click.option("--last", is_flag=True, help="The newest application that is kept.")
@json_option
@click.pass_context
def command(ctx: click.Context, *, application: str | None, last: bool, as_json: bool) -> None:
    """Take an application back by merging with the files as they are now."""
    place: Place = ctx.obj
    if (application is None) is not last:
        raise click.UsageError("Name an application (a_…), or say --last.")

    async def work(client: Client) -> ApplicationView:
        named = application or await _newest(client)
        params = UndoParams(ApplicationId(named))
        return await client.ask("sennit/undo", params, ApplicationView, limit_s=APPLY_LIMIT_S)

    result = place.converse(work, as_json=as_json)
    if as_json:
        place.terminal.show_json(result)
    else:
        place.terminal.show(*application_lines(result))
    ctx.exit(Exit.FINE if result.state in GOOD_STATES else Exit.PARTLY)


async def _newest(client: Client) -> str:
    kept = await client.ask("sennit/retained", Nothing(), RetainedResult)
    found = [each for each in kept.items if each.kind == APPLICATION_KIND]
    if not found:
        raise UsageError("No application is kept, so there is nothing to take back.")
    return max(found, key=lambda each: each.at).id
