"""`sennit resolve`."""

from __future__ import annotations

from pathlib import Path

import click
from attrs import frozen

from sennit.cli.client import Client
from sennit.cli.failures import UsageError
from sennit.cli.names import kind_of
from sennit.cli.options import json_option
from sennit.cli.place import Place
from sennit.cli.proposals_read import proposal_of
from sennit.cli.resolving import (
    choices_for,
    listed_conflicts,
    next_steps,
    only_about,
    resolve,
    resolve_by_asking,
    standing,
)
from sennit_protocol.conflicts import SuggestionKind, Take
from sennit_protocol.ids import IdKind
from sennit_protocol.proposals import ProposalView
from sennit_protocol.review import ConflictChoice

_HELP = """\
Settle the conflicts of a proposal: all of them, or those in the files that you name.

\b
  sennit resolve p_…                              asks, on a terminal; elsewhere lists them
  sennit resolve p_… src/a.py --take ours         keep what is there where the two collide
  sennit resolve p_… --suggestion adjacentEdits
  sennit resolve p_… src/a.py --text merged.py    the whole file as it is to be
  sennit resolve p_… --take nothing               back in conflict

What does not collide stays merged. Once no conflict is left, accept the proposal and those that it
collided with (`sennit review`), and apply them together (`sennit apply TICKET`).
"""


@click.command("resolve", help=_HELP)
@click.argument("proposal", metavar="PROPOSAL|TICKET[/TASK]")
@click.argument("files", nargs=-1)
@click.option(
    "--take",
    type=click.Choice([one.value for one in Take if one not in {Take.TEXT, Take.SUGGESTION}]),
    help="Take that side where they collide: ours is what is there, theirs what is proposed.",
)
@click.option(
    "--suggestion", type=click.Choice([one.value for one in SuggestionKind]), help="Take that one."
)
@click.option(
    "--text", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="Take that text."
)
@json_option
@click.pass_obj
def command(  # noqa: D103  its help is above
    place: Place,
    *,
    proposal: str,
    files: tuple[str, ...],
    take: str | None,
    suggestion: str | None,
    text: Path | None,
    as_json: bool,
) -> None:
    asked = _Asked(files, None if take is None else Take(take), suggestion, text)
    if asked.count > 1:
        raise click.UsageError("--take, --suggestion and --text exclude each other.")
    place.guarded(lambda: kind_of(proposal, IdKind.PROPOSAL, IdKind.TICKET), as_json=as_json)

    async def work(client: Client) -> ProposalView:
        named = await place.names(client).proposal(proposal)
        before = after = await proposal_of(client, named)
        if asked.count:
            after = await resolve(client, before, _choices(asked, before))
        if as_json:
            return after
        shown = only_about(after, files)
        if place.terminal.interactive and not asked.count:
            settled = (await resolve_by_asking(client, place.terminal, shown)).view
            after = before if settled is shown else settled
        else:
            place.terminal.show(*await listed_conflicts(client, shown))
        _tell(place, before, after)
        return after

    stays = "What was settled before stays; nothing else was changed."
    view = place.converse(work, as_json=as_json, left_behind=lambda: stays)
    if as_json:
        place.terminal.show_json(view)


@frozen
class _Asked:
    """What is to settle which conflicts; one of the last three at most."""

    files: tuple[str, ...]
    take: Take | None
    suggestion: str | None
    text: Path | None

    @property
    def count(self) -> int:
        """How many ways are named."""
        return sum(one is not None for one in (self.take, self.suggestion, self.text))


def _choices(asked: _Asked, view: ProposalView) -> list[ConflictChoice]:
    if asked.text is not None:
        return choices_for(view, asked.files, Take.TEXT, text=_read(asked.text))
    if asked.suggestion is not None:
        return choices_for(view, asked.files, Take.SUGGESTION, suggestion=asked.suggestion)
    return choices_for(view, asked.files, asked.take or Take.NOTHING)


def _tell(place: Place, before: ProposalView, after: ProposalView) -> None:
    place.terminal.show(*standing(after))
    for line in next_steps(before, after):
        place.terminal.note(line)


def _read(path: Path) -> str:
    try:
        return path.read_bytes().decode()
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is not UTF-8; take a side instead.") from error
