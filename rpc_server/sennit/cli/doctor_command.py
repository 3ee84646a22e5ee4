"""`sennit doctor`."""

from __future__ import annotations

import click
from rich.console import RenderableType
from rich.text import Text

from sennit.cli.exits import Exit
from sennit.cli.options import json_option
from sennit.cli.place import Place
from sennit.cli.tables import cells, filled, state, table
from sennit_protocol.upkeep import DoctorLine, DoctorParams, DoctorResult, Health


@click.command("doctor")
@json_option
@click.pass_context
def command(ctx: click.Context, *, as_json: bool) -> None:
    """Look at machine, repository, agents and store; exit 1 when something is bad."""
    place: Place = ctx.obj
    params = DoctorParams(place.folder.as_uri())
    result = place.request(
        "sennit/doctor", params, DoctorResult, as_json=as_json, render=doctor_table
    )
    ctx.exit(Exit.PARTLY if any(e.health is Health.BAD for e in result.lines) else Exit.FINE)


def doctor_table(result: DoctorResult) -> RenderableType:
    """Show what was looked at."""
    rows = [cells(each.area, state(each.health), _said(each)) for each in result.lines]
    return filled(table("area", "health", "finding"), rows)


def _said(line: DoctorLine) -> Text:
    (said,) = cells(line.message)
    if line.advice:
        said.append_text(Text(" → ", style="bold")).append_text(*cells(line.advice))
    return said
