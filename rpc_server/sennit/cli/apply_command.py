"""`sennit apply`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click
from attrs import evolve

from sennit.cli.applying import (
    GOOD_STATES,
    TO_STDOUT,
    accepted,
    application_lines,
    apply,
    patch_bytes,
    write_patch,
)
from sennit.cli.client import Client
from sennit.cli.decided import NOTHING_TO_DECIDE
from sennit.cli.exits import Exit
from sennit.cli.failures import NotNowError
from sennit.cli.options import json_option
from sennit.cli.place import Place
from sennit.cli.proposals_read import Found, is_ticket, proposals_of
from sennit.cli.review_loop import accept_whole, fits_whole
from sennit_protocol.applications import ApplicationView
from sennit_protocol.proposals import ProposalView
from sennit_protocol.states import Target


@click.command("apply")
@click.argument("name", metavar="TICKET|PROPOSAL|TICKET/TASK")
@click.option("--accept-all", is_flag=True, help="Accept all that has no conflict first.")
@click.option(
    "--patch",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write a patch to this file, `-` for standard output, and change nothing else.",
)
@click.option("--confirm-moved", is_flag=True, help="Apply though HEAD has moved since the base.")
@json_option
@click.pass_context
def command(
    ctx: click.Context,
    *,
    name: str,
    accept_all: bool,
    patch: Path | None,
    confirm_moved: bool,
    as_json: bool,
) -> None:
    """Apply what is accepted of a ticket or a proposal to the files on disk."""
    place: Place = ctx.obj
    if patch == TO_STDOUT and as_json:
        raise click.UsageError("With --json the patch is in `patch` of the value: name a file.")
    place.guarded(lambda: is_ticket(name), as_json=as_json)

    async def work(client: Client) -> tuple[ApplicationView, Sequence[ProposalView]]:
        found = await proposals_of(place.names(client), name)
        views = found.views
        if accept_all:
            views = [await accept_whole(client, place.terminal, view) for view in views]
        selected = accepted(views)
        if not selected:
            raise NotNowError(_why_nothing(evolve(found, views=views), accept_all=accept_all))
        target = Target.DISK if patch is None else Target.PATCH
        return await apply(client, target, selected, confirm_moved=confirm_moved), views

    result, views = place.converse(work, as_json=as_json)
    if patch is not None:
        place.guarded(lambda: write_patch(patch, patch_bytes(result)), as_json=as_json)
    if as_json:
        place.terminal.show_json(result)
    else:
        # Standard output is for the patch alone where it goes there.
        tell = place.terminal.note if patch == TO_STDOUT else place.terminal.show
        for line in application_lines(result, patch, views):
            tell(line)
    ctx.exit(Exit.FINE if result.state in GOOD_STATES else Exit.PARTLY)


def _why_nothing(found: Found, *, accept_all: bool) -> str:
    """Say why there is nothing to apply, and what can be done about it."""
    if all(view.summary.integration in NOTHING_TO_DECIDE for view in found.views):
        return f"Nothing to apply: {found.id} changes nothing that is not there already."
    decide = f"Decide with `sennit review {found.id}`"
    if accept_all:
        return (
            f"Nothing of {found.id} is accepted: --accept-all leaves to you what has a conflict or "
            f"is unfinished, and what was rejected stays so. {decide}."
        )
    if not any(map(fits_whole, found.views)):
        return f"Nothing of {found.id} is accepted. {decide}."
    return (
        f"Nothing of {found.id} is accepted. {decide}, or accept all that has no conflict with "
        "--accept-all."
    )
