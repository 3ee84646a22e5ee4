"""`sennit run`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
from attrs import evolve

from sennit.cli.call_of_arguments import RunArguments, call_of
from sennit.cli.exits import Exit
from sennit.cli.options import json_option
from sennit.cli.place import Place
from sennit.cli.run_flow import AfterRun, Flow, Outcome, exit_of, outcome_json

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


def _a_file(_ctx: click.Context, _param: click.Parameter, value: Path | None) -> Path | None:
    """Refuse what other programs take for standard output, where the review is shown."""
    if value == Path("-"):
        raise click.BadParameter(
            "name a file; `sennit show PROPOSAL --patch` writes a patch to standard output"
        )
    return value


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
@click.option("--accept-all", "after", flag_value=AfterRun.ACCEPT, help="Accept what fits.")
@click.option("--reject-all", "after", flag_value=AfterRun.REJECT, help="Reject everything.")
@click.option("--no-apply", is_flag=True, help="Decide, but change no file.")
@click.option(
    "--patch",
    type=click.Path(dir_okay=False, path_type=Path),
    callback=_a_file,
    help="Write what is accepted as a patch to this file instead of applying it.",
)
@click.option("--confirm-moved", is_flag=True, help="Apply though HEAD has moved since the base.")
@click.option("--trust", is_flag=True, help="Trust this folder for this call only.")
@json_option
@click.pass_context
def command(  # noqa: D103  its help is above
    ctx: click.Context,
    /,
    *,
    after: AfterRun | None,
    no_apply: bool,
    patch: Path | None,
    confirm_moved: bool,
    trust: bool,
    as_json: bool,
    **given: Any,  # noqa: ANN401  click hands the options over by the names of `RunArguments`
) -> None:
    place: Place = ctx.obj
    if no_apply and patch is not None:
        raise click.UsageError("--no-apply and --patch exclude each other.")
    call = place.guarded(lambda: call_of(RunArguments(**given), place.folder), as_json=as_json)
    if trust:
        place = evolve(place, client=evolve(place.client, trusted=True))
    interactive = place.terminal.interactive and not as_json
    flow = Flow(
        place=place,
        after=after or (AfterRun.ASK if interactive else AfterRun.LEAVE),
        apply=not no_apply,
        patch=patch,
        confirm_moved=confirm_moved,
        as_json=as_json,
    )
    outcome: Outcome = place.converse(
        lambda client: flow.run(client, call), as_json=as_json, handlers=flow.handlers()
    )
    code = exit_of(outcome)
    if as_json:
        place.terminal.show_json(outcome_json(outcome, code))
    ctx.exit(Exit(code))
