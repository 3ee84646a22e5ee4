"""`sennit story`."""

from __future__ import annotations

import click
from rich.console import RenderableType

from sennit.cli.names import Names
from sennit.cli.options import json_option
from sennit.cli.place import Place
from sennit.cli.tables import cells, filled, table
from sennit_protocol.texts import StoryParams, StoryResult


@click.command("story")
@click.argument("ticket", metavar="TICKET[/TASK]")
@click.argument("task", required=False)
@click.option("--limit", type=click.IntRange(1), default=1000, show_default=True)
@json_option
@click.pass_obj
def command(place: Place, *, ticket: str, task: str | None, limit: int, as_json: bool) -> None:
    """Tell everything that happened to a ticket, or to one task of it, oldest first."""

    async def params(names: Names) -> StoryParams:
        if task is None and "/" not in ticket:
            return StoryParams(await names.ticket(ticket), None, limit)
        return StoryParams(*await names.task(ticket, task), limit)

    place.request_named("sennit/story", params, StoryResult, as_json=as_json, render=story_table)


def story_table(result: StoryResult) -> RenderableType:
    """Show events."""
    rows = [
        cells(str(each.sequence), each.at, each.task or "", each.type, each.message)
        for each in result.events
    ]
    made = filled(table(">nr", "at", "task", "event", "what happened"), rows)
    if result.more:
        made.caption = "There is more: use a higher --limit"
    return made
