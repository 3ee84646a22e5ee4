"""`sennit cancel`."""

from __future__ import annotations

import click
from rich.console import Group, RenderableType
from rich.text import Text

from sennit.cli.names import Names
from sennit.cli.options import json_option
from sennit.cli.place import Place
from sennit.cli.tables import cells, filled, state, table
from sennit_protocol.requests import CancelParams, CancelResult
from sennit_protocol.states import Stopped


@click.command("cancel")
@click.argument("ticket", metavar="TICKET[/TASK]")
@click.option("--task", "tasks", multiple=True, metavar="ID", help="Only this task; repeatable.")
@click.option("--force", is_flag=True, help="Really cancel; work done so far is captured.")
@json_option
@click.pass_obj
def command(
    place: Place, *, ticket: str, tasks: tuple[str, ...], force: bool, as_json: bool
) -> None:
    """Cancel a ticket; without --force tell what would be lost."""

    async def params(names: Names) -> CancelParams:
        if "/" in ticket:
            named, task = await names.task(ticket)
            return CancelParams(named, (task, *tasks), force)
        return CancelParams(await names.ticket(ticket), tasks or None, force)

    place.request_named(
        "sennit/cancel", params, CancelResult, as_json=as_json, render=cancel_report
    )


def cancel_report(result: CancelResult) -> RenderableType:
    """Show what was cancelled, or what would be."""
    if all(each.stopped is Stopped.ALREADY_ENDED for each in result.tasks):
        head = f"Nothing to cancel: all of it has ended. The ticket is {result.state}."
    elif result.done:
        head = f"Cancelled. The ticket is {result.state}."
    elif result.asked:
        head = (
            f"The server that carries the ticket was asked to cancel it; it is {result.state}."
            " `sennit show` tells when it is done."
        )
    else:
        head = f"Nothing is cancelled yet; the ticket is {result.state}. To do it, add --force."
    if not result.tasks:
        return Text(head)
    rows = [cells(each.id, state(each.stopped), each.keeps) for each in result.tasks]
    return Group(Text(head), filled(table("task", "stopped", "kept"), rows))
