"""`sennit ask`; for programs that Sennit runs, `python -m sennit.ask_client` starts faster."""

from __future__ import annotations

import click

from sennit.ask_client import main


@click.command("ask", context_settings={"ignore_unknown_options": True, "help_option_names": []})
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
@click.pass_context
def command(ctx: click.Context, *, arguments: tuple[str, ...]) -> None:
    """Ask the user and wait: QUESTION [--option ANSWER]... [--deadline SECONDS]."""
    ctx.exit(main(arguments))
