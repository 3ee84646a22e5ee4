"""`sennit drop`."""

from __future__ import annotations

import click
from rich.console import RenderableType

from sennit.cli.exits import Exit
from sennit.cli.kept_table import collection
from sennit.cli.names import Names
from sennit.cli.options import json_option
from sennit.cli.place import Place
from sennit.cli.proposals_read import is_ticket
from sennit.core.counted import counted
from sennit_protocol.upkeep import DropParams, DropResult


@click.command("drop")
@click.argument("ids", nargs=-1, required=True, metavar="TICKET|PROPOSAL...")
@click.option("--confirm", is_flag=True, help="Really drop; without it only tell.")
@click.option("--dry-run", is_flag=True, help="Only tell; wins over --confirm.")
@json_option
@click.pass_context
def command(
    ctx: click.Context, *, ids: tuple[str, ...], confirm: bool, dry_run: bool, as_json: bool
) -> None:
    """Drop kept work for good; without --confirm tell what that would be."""
    place: Place = ctx.obj
    of_tickets = place.guarded(lambda: [is_ticket(name) for name in ids], as_json=as_json)

    async def params(names: Names) -> DropParams:
        found = [
            await (names.ticket(name) if of_ticket else names.proposal(name))
            for name, of_ticket in zip(ids, of_tickets, strict=True)
        ]
        return DropParams(tuple(found), confirm=confirm, dry_run=dry_run)

    result = place.request_named(
        "sennit/drop", params, DropResult, as_json=as_json, render=drop_report
    )
    ctx.exit(Exit.PARTLY if result.kept else Exit.FINE)


def drop_report(result: DropResult) -> RenderableType:
    """Show what was dropped, or would be."""
    return collection(_head(result), result.items, result.kept)


def _head(result: DropResult) -> str:
    things = counted(len(result.items), "thing")
    if result.done:
        return f"Dropped {things}."
    return f"To drop: {things}. Add --confirm." if result.items else "Nothing can be dropped now."
