"""`sennit drop`."""

from __future__ import annotations

import click
from rich.console import RenderableType

from sennit.cli.kept_table import collection
from sennit.cli.options import json_option
from sennit.cli.place import Place
from sennit.core.counted import counted
from sennit_protocol.upkeep import DropParams, DropResult


@click.command("drop")
@click.argument("ids", nargs=-1, required=True, metavar="TICKET|PROPOSAL...")
@click.option("--confirm", is_flag=True, help="Really drop; without it only tell.")
@click.option("--dry-run", is_flag=True, help="Only tell; wins over --confirm.")
@json_option
@click.pass_obj
def command(
    place: Place, *, ids: tuple[str, ...], confirm: bool, dry_run: bool, as_json: bool
) -> None:
    """Drop kept work for good; without --confirm tell what that would be."""
    params = DropParams(ids, confirm=confirm, dry_run=dry_run)
    place.request("sennit/drop", params, DropResult, as_json=as_json, render=drop_report)


def drop_report(result: DropResult) -> RenderableType:
    """Show what was dropped, or would be."""
    things = counted(len(result.items), "thing")
    head = f"Dropped {things}." if result.done else f"To drop: {things}. Add --confirm."
    return collection(head, result.items, result.kept)
