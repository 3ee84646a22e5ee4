"""`sennit demo`."""

from __future__ import annotations

from pathlib import Path

import click

from sennit.cli.options import json_option
from sennit.cli.place import Place


@click.command("demo")
@click.option(
    "--svg",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Draw what the terminal shows into this file.",
)
@click.option("--keep", is_flag=True, help="Keep the temporary folder to look around in.")
@json_option
@click.pass_context
def command(ctx: click.Context, *, svg: Path | None, keep: bool, as_json: bool) -> None:
    """Show the whole on a copy of a repository: five tasks at once, review, apply, undo, proof.

    Works without account and network, in a temporary folder; your files are only read.
    """
    # Imported here, so that the help does not wait for what only the demo needs.
    from sennit.cli.demo.play import play  # noqa: PLC0415  see above

    place: Place = ctx.obj
    ctx.exit(play(place, svg=svg, keep=keep, as_json=as_json))
