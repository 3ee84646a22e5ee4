"""`sennit story`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import click
from rich.console import RenderableType
from rich.text import Text

from sennit.cli.names import Names
from sennit.cli.options import json_option
from sennit.cli.place import Place
from sennit.cli.tables import cells, day_and_time, filled, table
from sennit_protocol.texts import StoryEvent, StoryParams, StoryResult


@click.command("story")
@click.argument("ticket", metavar="TICKET[/TASK]")
@click.argument("task", required=False)
@click.option("--limit", type=click.IntRange(1), default=1000, show_default=True)
@json_option
@click.pass_obj
def command(place: Place, *, ticket: str, task: str | None, limit: int, as_json: bool) -> None:
    """Tell everything that happened to a ticket, or to one task of it, oldest first.

    Times are those of the clocks here; --json has them exactly, and the type of each event.
    """

    async def params(names: Names) -> StoryParams:
        if task is None and "/" not in ticket:
            return StoryParams(await names.ticket(ticket), None, limit)
        return StoryParams(*await names.task(ticket, task), limit)

    place.request_named("sennit/story", params, StoryResult, as_json=as_json, render=story_table)


def story_table(result: StoryResult) -> RenderableType:
    """Show events, with the day before the first one of it."""
    made = filled(table(">!nr", "!at", "task", "what happened"), _rows(result.events))
    if result.more:
        made.caption = "There is more: use a higher --limit"
    return made


def _rows(events: Sequence[StoryEvent]) -> Iterator[Sequence[Text]]:
    day = ""
    for each in events:
        before, (day, time) = day, day_and_time(each.at)
        if day != before:
            yield cells("", "", "", Text(day, style="bold"))
        yield cells(str(each.sequence), time, each.task or "", each.message)
