"""`sennit materialise`."""

from __future__ import annotations

import click
from rich.console import RenderableType
from rich.text import Text

from sennit.cli.names import Names
from sennit.cli.options import json_option
from sennit.cli.place import Place
from sennit.cli.safe_text import safe_line
from sennit_protocol.texts import MaterialiseParams, MaterialiseResult


@click.command("materialise")
@click.argument("ticket", metavar="TICKET[/TASK]")
@click.argument("task", required=False)
@json_option
@click.pass_obj
def command(place: Place, *, ticket: str, task: str | None, as_json: bool) -> None:
    """Make a plain checkout of what a task has done, and print its folder.

    Of a task at work it is what is there so far. The folder is yours: look around, build, test, and
    delete it when you are done. `sennit gc --list` names those that are there.
    """

    async def params(names: Names) -> MaterialiseParams:
        return MaterialiseParams(*await names.task(ticket, task))

    place.request_named(
        "sennit/materialise", params, MaterialiseResult, as_json=as_json, render=_folder
    )


def _folder(result: MaterialiseResult) -> RenderableType:
    # On one line however long it is, so that it can be given to other programs.
    return Text(safe_line(result.folder), overflow="ignore", no_wrap=True)
