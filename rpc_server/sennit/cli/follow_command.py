"""`sennit follow`."""

from __future__ import annotations

import click

from sennit.cli.after_options import Afterwards, after_options, carry_out
from sennit.cli.client import Client
from sennit.cli.place import Place
from sennit_protocol.following import Begin, FollowParams, SessionWish

_HELP = """\
Follow up on a task that has ended: a comment, a repair, more of the same, or the task again.

\b
  sennit follow t_… "Name the parameter `limit`, as elsewhere"
  sennit follow t_…/docs "Now also the page about settings"
  sennit follow t_…                                      the same prompt once more
  sennit follow t_… --live                               again, on your text alone

The agent goes on in the folder and, where it can, in the session that it had before. It begins with
your files as they are now and the earlier proposal merged into them. What it leaves is the next
revision of that proposal; your decisions stay wherever a part of it is still the same.
"""


@click.command("follow", help=_HELP)
@click.argument("name", metavar="TICKET[/TASK]")
@click.argument("prompt", required=False)
@click.option("--agent", metavar="NAME", help="Another agent; it begins a session of its own.")
@click.option("--fresh", is_flag=True, help="Begin a new session, told what was done before.")
@click.option("--live", is_flag=True, help="Begin with your files alone, without the proposal.")
@click.option("--label", help="A name of the ticket, for people.")
@after_options
def command(  # noqa: D103  its help is above
    *,
    then: Afterwards,
    name: str,
    prompt: str | None,
    agent: str | None,
    fresh: bool,
    live: bool,
    label: str | None,
) -> None:
    ctx = click.get_current_context()
    place: Place = ctx.obj

    async def call_of(client: Client) -> FollowParams:
        ticket, task = await place.names(client).task(name)
        return FollowParams(
            ticket=ticket,
            task=task,
            prompt=prompt,
            agent=agent,
            session=SessionWish.FRESH if fresh else SessionWish.RESUME,
            begin=Begin.LIVE if live else Begin.WORK,
            label=label,
        )

    carry_out(ctx, call_of, then)
