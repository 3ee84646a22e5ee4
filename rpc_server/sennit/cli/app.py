"""The group of commands. A command's module is imported only when that command is run."""

from __future__ import annotations

import gc
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import cast

import click

from sennit.cli.error_json import error_json, wants_json, write_json
from sennit.cli.exits import MEANINGS, Exit
from sennit.cli.streams import lenient_streams

COMMANDS = {
    "run": ("run_command", "Give tasks to agents, review what they propose, apply it."),
    "follow": ("follow_command", "Follow up on ended work: again, in other words, or with more."),
    "tickets": ("tickets_command", "List tickets, newest first."),
    "show": ("show_command", "Show a ticket, or a proposal's changes."),
    "review": ("review_command", "Decide about proposals, whole or hunk by hunk."),
    "resolve": ("resolve_command", "Settle the conflicts of a proposal."),
    "overlaps": ("overlaps_command", "Show which open work changes the same files."),
    "apply": ("apply_command", "Apply what is accepted of a ticket or a proposal."),
    "undo": ("undo_command", "Take an application back."),
    "cancel": ("cancel_command", "Cancel a ticket; without --force tell what would be lost."),
    "answer": ("answer_command", "Answer a question of an agent."),
    "story": ("story_command", "Tell everything that happened to a ticket."),
    "output": ("output_command", "Show what an agent wrote."),
    "materialise": ("materialise_command", "Make a plain checkout of what a task has done."),
    "agents": ("agents_command", "List agents: found, usable, and why not."),
    "trust": ("trust_command", "List, grant or revoke trust in folders."),
    "config": ("config_command", "Show the settings that count here."),
    "doctor": ("doctor_command", "Look at machine, repository, agents and store."),
    "drop": ("drop_command", "Drop kept work; without --confirm tell what that is."),
    "gc": ("gc_command", "Collect what nothing needs any more."),
    "demo": ("demo_command", "Show the whole on a copy of a repository; no account needed."),
    "nvim-path": ("nvim_path_command", "Print the folder of the Neovim plugin."),
    "ask": ("ask_command", "Ask the user; for programs that Sennit runs."),
    "serve": ("serve_command", "Serve an editor over standard input and output."),
}
"""Command → module in this package that holds it as `command`, and its line in the help."""

_NAMES = """\b
Names:
  t_… p_… a_…   a ticket, a proposal, an application; its beginning is enough
  @             the newest ticket of the repository here
  TICKET/TASK   a task, and its proposal: t_vf7w/german, @/german"""
_EXITS = "\b\nExit codes:\n" + "\n".join(f"  {int(code):3}  {MEANINGS[code]}" for code in Exit)
_EPILOG = f"{_NAMES}\n\n{_EXITS}"


class LazyGroup(click.Group):
    """A group whose help needs none of its commands."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  click's signature
        """Name the commands in the order of the table."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002  click's signature
        """Import the command of that name; ``None`` where there is none."""
        if cmd_name not in COMMANDS:
            return None
        module = import_module(f"sennit.cli.{COMMANDS[cmd_name][0]}")
        return cast("click.Command", module.command)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command that is named; tells those that are spelled nearly like it."""
        name = args[0]
        if name not in COMMANDS and not name.startswith("-"):
            # Imported here, since it is for slips alone.
            from difflib import get_close_matches  # noqa: PLC0415  see above

            near = " or ".join(get_close_matches(name, COMMANDS))
            meant = f" Did you mean {near}?" if near else ""
            raise click.UsageError(f"There is no command {name!r}.{meant}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002  click's signature
        """Write the table of commands."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in COMMANDS.items()])


def _here() -> Path:
    try:
        return Path.cwd()
    except FileNotFoundError as error:
        message = (
            "The current folder has been deleted. Go to another, or name one: sennit -C FOLDER"
        )
        raise click.UsageError(message) from error


@click.group(
    cls=LazyGroup,
    epilog=_EPILOG,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(package_name="sennit", message="sennit %(version)s")
@click.option(
    "-C",
    "--folder",
    type=click.Path(exists=True, file_okay=False, resolve_path=True, path_type=Path),
    default=_here,
    help="The folder that the command is about; the current one unless given.",
)
@click.option("-v", "--verbose", is_flag=True, help="Show what the server logs.")
@click.pass_context
def group(ctx: click.Context, folder: Path, *, verbose: bool) -> None:
    """Plait the work of several coding agents into one reviewable edit of your live text."""
    # Imported here, so that `sennit --help` and `--version` need neither rich nor anyio.
    from sennit.cli.client import ClientOptions  # noqa: PLC0415  see above
    from sennit.cli.place import Place  # noqa: PLC0415  see above
    from sennit.cli.terminal import standard_terminal  # noqa: PLC0415  see above

    # The command's module has been imported before this, so that from here on things come and go.
    gc.freeze()
    gc.enable()
    ctx.obj = Place(ClientOptions(folder.resolve()), standard_terminal(), verbose)


def run_command_line(arguments: Sequence[str] | None) -> int:
    """Run the command that ``arguments`` name; gives the exit code."""
    given = sys.argv[1:] if arguments is None else list(arguments)
    with lenient_streams() as written:
        code = _code_of(given)
    if not written.is_told:
        return code
    why = "" if written.problem is None else written.problem.strerror
    sys.stderr.write(f"sennit: Standard output cannot be written: {why}. What was done is done.\n")
    return code or Exit.PARTLY


def _code_of(given: list[str]) -> int:
    try:
        result = group.main(args=given, prog_name="sennit", standalone_mode=False)
    except click.ClickException as error:
        error.show()
        return _ended_early(given, error.format_message(), error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        return _ended_early(given, "Interrupted.", Exit.INTERRUPTED)
    return result if isinstance(result, int) else Exit.FINE


def _ended_early(given: Sequence[str], message: str, exit_code: int) -> int:
    if wants_json(given):
        write_json(error_json(message, exit_code))
    return exit_code
