"""`sennit review`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import click
from attrs import evolve
from rich.table import Table
from rich.text import Text

from sennit.cli.client import Client
from sennit.cli.decided import accepts_anything, units_in, waits_to_be_applied
from sennit.cli.diffs import headline, proposal_lines
from sennit.cli.options import json_option
from sennit.cli.place import Place
from sennit.cli.proposals_read import Found, bases_of, is_ticket, proposals_of
from sennit.cli.review_choices import Named, check_names, choices_of, contradiction
from sennit.cli.review_loop import decide, review
from sennit.cli.safe_text import safe_line
from sennit.cli.tables import cells, filled, state, table
from sennit_protocol.proposals import ProposalView
from sennit_protocol.states import Decision

_HELP = """\
Decide about the proposals of a ticket, or about one: accept, reject, hunk by hunk.

\b
  sennit review t_…                                  asks, on a terminal; elsewhere lists units
  sennit review p_… --accept all --reject README.md
  sennit review p_… --reset --accept r_…:0:hello.py

Work of a run that did not complete is adopted by accepting it. Nothing is applied: that is
`sennit apply`. `all` accepts what has no conflict; a file or a unit that is named is accepted
with its conflict. What is rejected by name stays out, whatever is accepted. Files are named
from the top of their repository, or from the folder here.
"""


@click.command("review", help=_HELP)
@click.argument("name", metavar="TICKET|PROPOSAL|TICKET/TASK")
@click.option("--accept", multiple=True, metavar="UNIT|FILE|all", help="Accept these.")
@click.option("--reject", multiple=True, metavar="UNIT|FILE|all", help="Reject these.")
@click.option("--reset", is_flag=True, help="Take all earlier decisions back first.")
@json_option
@click.pass_obj
def command(  # noqa: D103  its help is above
    place: Place,
    *,
    name: str,
    accept: tuple[str, ...],
    reject: tuple[str, ...],
    reset: bool,
    as_json: bool,
) -> None:
    place.guarded(lambda: is_ticket(name), as_json=as_json)
    named = Named(accept, reject, reset, place.folder)
    problem = contradiction(named)
    if problem is not None:
        raise click.UsageError(problem)

    async def work(client: Client) -> Found:
        found = await proposals_of(place.names(client), name)
        if not named.decides_nothing:
            check_names(named, found.views)
            decided = [await decide(client, e, *choices_of(named, e)) for e in found.views]
            return evolve(found, views=decided)
        if as_json:
            return found
        if place.terminal.interactive:
            return evolve(found, views=(await review(client, place.terminal, found.views)).views)
        await _list(place, client, found.views)
        return found

    found = place.converse(
        work,
        as_json=as_json,
        left_behind=lambda: (
            f"What was decided before stays. To go on: sennit review {safe_line(name)}"
        ),
    )
    if as_json:
        place.terminal.show_json({"proposals": found.views})
        return
    for line in standing(found.views):
        place.terminal.show(line)
    place.terminal.note(next_step(found))


async def _list(place: Place, client: Client, views: Sequence[ProposalView]) -> None:
    bases = await bases_of(client, views)
    for view in views:
        place.terminal.show(*proposal_lines(view, bases))
        if view.files:
            place.terminal.show(units_table(view), "")


def units_table(view: ProposalView) -> Table:
    """Name every unit, so that it can be named in turn."""
    rows = [
        cells(unit.id, unit.kind, ", ".join(unit.flags), state(unit.decision))
        for file in view.files
        for unit in file.units
    ]
    return filled(table("unit", "kind", "look", "decision"), rows)


def standing(views: Sequence[ProposalView]) -> Iterator[Text]:
    """Say what is decided about each proposal, in numbers of units."""
    for view in views:
        counts = Counter(unit.decision for unit in units_in(view))
        said = ", ".join(f"{counts[each]} {each}" for each in Decision if counts[each])
        yield headline(view.summary).append(f"  {said or 'no units'}", style="not bold")


def next_step(found: Found) -> str:
    """Say what can be done now: apply, take back, or accept."""
    if any(map(waits_to_be_applied, found.views)):
        return f"To apply what is accepted: sennit apply {found.id}"
    accepted = [view for view in found.views if accepts_anything(view)]
    if accepted:
        ticket = accepted[0].summary.ticket
        return f"All that is accepted is applied. To take it back: sennit undo {ticket}"
    return f"Nothing is accepted. To accept what fits: sennit review {found.id} --accept all"
