"""`sennit run`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from sennit.cli.after_options import Afterwards, after_options, carry_out
from sennit.cli.call_of_arguments import RunArguments, call_of
from sennit.cli.client import Client
from sennit.cli.failures import RefusedError
from sennit.cli.place import Place
from sennit.cli.problems import problems_in
from sennit_protocol.errors import ErrorCode, Problem
from sennit_protocol.requests import PreflightResult
from sennit_protocol.tasks import DispatchParams, OnConflict

_HELP = """\
Give tasks to agents, each in a workspace of its own; then review and apply what they propose.

\b
  sennit run "Explain every error message" "Add a test for the parser" --agent fixer
  sennit run --command "ruff check --fix ." --command "python codemod.py src"
  sennit run --task api="Rename the field" --task docs="Update the page" --agent fixer
  sennit run --file tasks.toml --accept-all --patch changes.patch

On a terminal you decide about each proposal, whole or hunk by hunk. Elsewhere nothing is accepted
unless you say --accept-all. Ctrl-C cancels once; work done so far is captured and kept.
"""


@click.command("run", help=_HELP)
@click.argument("prompts", nargs=-1)
@click.option("--task", "named", multiple=True, metavar="ID=PROMPT", help="A task with a name.")
@click.option(
    "--command", "commands", multiple=True, metavar="LINE", help="A program and its arguments."
)
@click.option(
    "--file", type=click.Path(dir_okay=False, path_type=Path), help="A TOML file with tasks."
)
@click.option("--agent", metavar="NAME", help="The agent of tasks that name none.")
@click.option("--role", metavar="NAME", help="How its work is done; see `sennit agents`.")
@click.option("--model", metavar="NAME", help="The model, of agents that let it be chosen.")
@click.option("--label", help="A name of the ticket, for people.")
@click.option("--brief", help="A preamble for every prompt.")
@click.option("--max-concurrent", type=click.IntRange(1), help="Tasks that run at once.")
@click.option(
    "--on-conflict",
    type=click.Choice([one.value for one in OnConflict]),
    help="What follows a conflict: it is set aside for you, or its agent has one more turn.",
)
@after_options
def command(  # noqa: D103  its help is above
    *,
    then: Afterwards,
    **given: Any,  # noqa: ANN401  click hands the options over by the names of `RunArguments`
) -> None:
    ctx = click.get_current_context()
    place: Place = ctx.obj
    asked = place.guarded(
        lambda: call_of(RunArguments(**given), place.folder), as_json=then.as_json
    )

    async def checked(client: Client) -> DispatchParams:
        if asked.file is not None and asked.file.is_wrong:
            raise asked.wrong(await _also_wrong(client, asked.call))
        return asked.call

    carry_out(ctx, checked, then, explain=asked.explained)


async def _also_wrong(client: Client, call: DispatchParams) -> tuple[Problem, ...]:
    """Let the server look at what could be read of a call, so that all is told at once."""
    if not call.tasks:
        return ()
    try:
        await client.ask("sennit/preflight", call, PreflightResult)
    except RefusedError as error:
        return problems_in(error.data) if error.code == ErrorCode.INVALID_PARAMS else ()
    return ()
