"""`sennit gc`."""

from __future__ import annotations

import click
from rich.console import Group, RenderableType
from rich.text import Text

from sennit.cli.kept_table import collection, kept_table
from sennit.cli.options import json_option
from sennit.cli.place import Place
from sennit.cli.tables import size
from sennit.core.counted import counted
from sennit_protocol.requests import Nothing
from sennit_protocol.upkeep import GcParams, GcResult, RetainedResult


@click.command("gc")
@click.option("--confirm", is_flag=True, help="Really collect; without it only tell.")
@click.option("--dry-run", is_flag=True, help="Only tell; wins over --confirm.")
@click.option("--list", "listing", is_flag=True, help="List all that is kept instead.")
@json_option
@click.pass_obj
def command(place: Place, *, confirm: bool, dry_run: bool, listing: bool, as_json: bool) -> None:
    """Collect what nothing needs any more; without --confirm tell what that would be."""
    if listing and (confirm or dry_run):
        raise click.UsageError("--list only lists; leave out --confirm and --dry-run.")
    if listing:
        place.request(
            "sennit/retained", Nothing(), RetainedResult, as_json=as_json, render=retained_report
        )
        return
    params = GcParams(confirm=confirm, dry_run=dry_run)
    place.request("sennit/gc", params, GcResult, as_json=as_json, render=gc_report)


def retained_report(result: RetainedResult) -> RenderableType:
    """Show all that is kept."""
    if not result.items:
        return "Nothing is kept."
    return Group(kept_table(result.items), Text(f"{size(result.total_bytes)} in all", style="dim"))


def gc_report(result: GcResult) -> RenderableType:
    """Show what was collected, or would be."""
    things = f"{counted(len(result.items), 'thing')}, {size(result.freed_bytes)}"
    head = f"Collected {things}." if result.done else f"To collect: {things}. Add --confirm."
    return collection(head, result.items, result.kept)
