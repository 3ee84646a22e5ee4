"""The options of commands that give work to agents: what becomes of the results."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from functools import wraps
from pathlib import Path
from typing import Any

import click
from attrs import evolve, fields, frozen

from sennit.cli.client import Client
from sennit.cli.exits import Exit
from sennit.cli.failures import RefusedError
from sennit.cli.options import json_option
from sennit.cli.place import Place
from sennit.cli.run_flow import AfterRun, Call, Flow, Outcome, exit_of, outcome_json

Command = Callable[..., None]


@frozen
class Afterwards:
    """What becomes of the proposals once the agents have ended, as it was given."""

    accept_all: bool
    reject_all: bool
    no_apply: bool
    patch: Path | None
    confirm_moved: bool
    trust: bool
    unattended: bool
    as_json: bool

    @property
    def after(self) -> AfterRun | None:
        """What was said of the proposals, if anything."""
        if self.accept_all:
            return AfterRun.ACCEPT
        return AfterRun.REJECT if self.reject_all else None


_NAMES = tuple(each.name for each in fields(Afterwards))


def _a_file(_ctx: click.Context, _param: click.Parameter, value: Path | None) -> Path | None:
    """Refuse what other programs take for standard output, and what cannot be written."""
    if value == Path("-"):
        raise click.BadParameter(
            "name a file; `sennit show PROPOSAL --patch` writes a patch to standard output"
        )
    if value is not None and not value.parent.is_dir():
        # Told before agents work for it.
        raise click.BadParameter(f"there is no folder {value.parent}")
    return value


_OPTIONS = (
    click.option("--accept-all", is_flag=True, help="Accept what fits."),
    click.option("--reject-all", is_flag=True, help="Reject everything."),
    click.option("--no-apply", is_flag=True, help="Decide, but change no file."),
    click.option(
        "--patch",
        type=click.Path(dir_okay=False, path_type=Path),
        callback=_a_file,
        help="Write what is accepted as a patch to this file instead of applying it.",
    ),
    click.option(
        "--confirm-moved", is_flag=True, help="Apply though HEAD has moved since the base."
    ),
    click.option(
        "--trust",
        is_flag=True,
        help="Trust this folder from now on, without being asked; what has changed since a grant is"
        " not part of that.",
    ),
    click.option(
        "--unattended",
        is_flag=True,
        help="Nobody is there: agents that ask get the safe answer at once.",
    ),
    json_option,
)


def after_options(command: Command) -> Callable[..., None]:
    """Give a command these options, in this order, and hand them to it as one checked value."""

    @wraps(command)
    def with_options(**given: Any) -> None:  # noqa: ANN401  click hands options over by name
        then = _checked({name: given.pop(name) for name in _NAMES})
        command(then=then, **given)

    with_them: Callable[..., None] = with_options
    for option in reversed(_OPTIONS):
        with_them = option(with_them)
    return with_them


def as_it_is(error: RefusedError) -> RefusedError:
    """Explain nothing: the server's words are those of the user."""
    return error


def carry_out(
    ctx: click.Context,
    call_of: Callable[[Client], Awaitable[Call]],
    then: Afterwards,
    explain: Callable[[RefusedError], RefusedError] = as_it_is,
) -> None:
    """Give the work to agents, follow it to its end, and do what is wanted with the results.

    ``explain`` says in the user's words what the server refuses.
    """
    place: Place = ctx.obj
    client = evolve(
        place.client, trusted=then.trust or place.client.trusted, unattended=then.unattended
    )
    place = evolve(place, client=client)
    interactive = place.terminal.interactive and not then.as_json
    if then.patch is not None and then.after is None and not interactive:
        raise click.UsageError("Nobody can be asked what --patch is to hold; add --accept-all.")
    flow = Flow(
        place=place,
        after=then.after or (AfterRun.ASK if interactive else AfterRun.LEAVE),
        apply=not then.no_apply,
        patch=then.patch,
        confirm_moved=then.confirm_moved,
        as_json=then.as_json,
        explain=explain,
    )

    async def work(client: Client) -> Outcome:
        return await flow.run(client, await call_of(client))

    outcome = place.converse(
        work,
        as_json=then.as_json,
        handlers=flow.handlers(),
        left_behind=flow.left_behind,
        waits=lambda: flow.watches,
    )
    code = exit_of(outcome)
    if then.as_json:
        place.terminal.show_json(outcome_json(outcome, code))
    ctx.exit(Exit(code))


def _checked(given: Mapping[str, Any]) -> Afterwards:
    """Take the options; raises click's error for those that exclude each other."""
    then = Afterwards(**given)
    if then.accept_all and then.reject_all:
        raise click.UsageError("--accept-all and --reject-all exclude each other.")
    if then.no_apply and then.patch is not None:
        raise click.UsageError("--no-apply and --patch exclude each other.")
    if then.reject_all and then.patch is not None:
        raise click.UsageError("--reject-all and --patch exclude each other.")
    return then
