"""`sennit serve`; `sennit.__main__` takes a shorter way to the same server."""

from __future__ import annotations

import click

from sennit.server.handshake import serve_stdio


@click.command("serve")
@click.option("--stdio", is_flag=True, help="Accepted because editors pass it; it is the only way.")
@click.pass_context
def command(ctx: click.Context, *, stdio: bool) -> None:  # noqa: ARG001  see the help
    """Serve an editor over standard input and output until it leaves."""
    ctx.exit(serve_stdio())
