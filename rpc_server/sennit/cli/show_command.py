"""`sennit show`."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence

import click
from attrs import frozen
from rich.text import Text

from sennit.cli.applying import outcome, patch_bytes
from sennit.cli.diffs import Bases, changes_of, proposal_lines, standing_of
from sennit.cli.failures import NotNowError
from sennit.cli.flags import flag_lines
from sennit.cli.last_words import has_last_words, to_see_errors
from sennit.cli.manifest import manifest_lines
from sennit.cli.names import Names
from sennit.cli.notices import notice_lines
from sennit.cli.options import json_option
from sennit.cli.phases import phase_of
from sennit.cli.place import Place
from sennit.cli.proposals_read import bases_of, is_ticket, patch_of, proposal_of, summaries_of
from sennit.cli.prose import Prose
from sennit.cli.safe_text import safe_line
from sennit.cli.tables import ago, aligned, clock, state
from sennit.core.counted import counted
from sennit_protocol.proposals import ProposalSummary, ProposalView
from sennit_protocol.requests import TicketParams
from sennit_protocol.review import ProposalText
from sennit_protocol.views import ApplicationSummary, TaskView, TicketView


@frozen
class ShownTicket:
    """A ticket with its proposals in short."""

    ticket: TicketView
    proposals: tuple[ProposalSummary, ...]


@click.command("show")
@click.argument("name", metavar="TICKET|PROPOSAL|TICKET/TASK")
@click.option("--patch", is_flag=True, help="The changes as a patch that `git apply` takes.")
@click.option("--agent", is_flag=True, help="As its agent left it, whatever was settled since.")
@json_option
@click.pass_obj
def command(place: Place, *, name: str, patch: bool, agent: bool, as_json: bool) -> None:
    """Show a ticket with its tasks, or the changes of a proposal."""
    text = ProposalText.AGENT if agent else ProposalText.SETTLED
    of_ticket = place.guarded(lambda: is_ticket(name), as_json=as_json)
    if patch:
        views = place.converse(
            lambda client: _patches(place.names(client), name, text), as_json=as_json
        )
        if as_json:
            place.terminal.show_json(views)
        else:
            sys.stdout.buffer.write(b"".join(map(patch_bytes, views)))
            sys.stdout.buffer.flush()
    elif of_ticket:
        if agent:
            raise click.UsageError("--agent is about a proposal, or about patches (--patch).")
        shown = place.converse(lambda client: _ticket(place.names(client), name), as_json=as_json)
        _show(place, shown, ticket_lines(shown), as_json=as_json)
    else:
        view, bases = place.converse(
            lambda client: _proposal(place.names(client), name, text), as_json=as_json
        )
        _show(place, view, proposal_lines(view, bases), as_json=as_json)


def ticket_lines(shown: ShownTicket) -> Iterator[Text]:
    """Show a ticket: tasks, base, proposals, notices."""
    view = shown.ticket
    head = Text(view.id, style="bold").append("  ").append_text(state(view.state))
    head.append(f"  {ago(view.created_at)}", style="dim")
    if view.label:
        head.append(f"  {safe_line(view.label)}")
    yield head
    for manifest in view.bases:
        yield from manifest_lines(manifest)
    yield from _task_table(shown)
    yield from _application_table(view)
    yield from notice_lines(view.notices)


def _task_table(shown: ShownTicket) -> Iterator[Text]:
    """Give each task a line, with the proposal that it has here, and what is to be told of it."""
    proposals = {summary.task: summary for summary in shown.proposals}
    tasks = shown.ticket.tasks
    rows = [_task_row(task, proposals.get(task.id)) for task in tasks]
    heading, *lines = aligned(("task", "state", "agent", "proposal"), rows)
    yield heading
    for task, line in zip(tasks, lines, strict=True):
        yield line
        yield from flag_lines(task, shown.ticket, "    ")
        yield from _task_details(shown.ticket, task)


def _task_row(task: TaskView, proposal: ProposalSummary | None) -> Sequence[Text]:
    name = Text(safe_line(task.id), style="bold")
    agent = Text(safe_line(task.agent), style="dim")
    row = (name, state(phase_of(task)), agent)
    if proposal is None:
        return row
    return (*row, Text(proposal.id, style="dim"), changes_of(proposal), standing_of(proposal))


def _application_table(view: TicketView) -> Iterator[Text]:
    # One that found nothing to do tells nobody anything.
    rows = [_application_row(each) for each in view.applications if each.files]
    if rows:
        yield from aligned(("application",), rows)


def _application_row(one: ApplicationSummary) -> Sequence[Text]:
    what = f"undo of {one.undoes}: " if one.undoes is not None else ""
    became = Text(what).append_text(outcome(one.state, one.undoes))
    if one.undone_by is not None:
        became.append(f", taken back by {one.undone_by}")
    files = Text(counted(one.files, "file"))
    return Text(one.id), files, Text(ago(one.at), style="dim"), became


def _task_details(view: TicketView, task: TaskView) -> Iterator[Text]:
    if task.following is not None:
        before = task.following
        yield Text(f"    follows {before.ticket}/{safe_line(before.task)}", style="dim")
    if task.followed_by is not None:
        yield Text(f"    followed by {_followed_by(view, task)}", style="dim")
    if task.failure is not None:
        yield Prose(f"    {safe_line(task.failure.message)}", style="red")
    if has_last_words(task):
        yield Text(f"    To see it: {to_see_errors(view.id, task)}")
    for question in task.questions:
        yield Prose(f"    asks: {safe_line(question.text)}", style="yellow")
        if question.options:
            yield Prose(f"    options: {', '.join(map(safe_line, question.options))}")
        until = f", until {clock(question.deadline)}" if question.deadline else ""
        yield Text(f"    question {question.id}{until}", style="dim")
    yield from notice_lines(task.notices, "    ")


def _followed_by(view: TicketView, task: TaskView) -> str:
    """The ticket of a follow-up; of one in the same ticket, its task."""
    pairs = ((one.id, one.following) for one in view.tasks)
    found = [
        name
        for name, before in pairs
        if before is not None and (before.ticket, before.task) == (view.id, task.id)
    ]
    return "/".join([task.followed_by or "", *map(safe_line, found)])


async def _ticket(names: Names, name: str) -> ShownTicket:
    client, ticket = names.client, await names.ticket(name)
    view = await client.ask("sennit/ticket", TicketParams(ticket), TicketView)
    return ShownTicket(view, tuple(await summaries_of(client, ticket)))


async def _proposal(names: Names, name: str, text: ProposalText) -> tuple[ProposalView, Bases]:
    view = await proposal_of(names.client, await names.proposal(name), text)
    return view, await bases_of(names.client, [view])


async def _patches(names: Names, name: str, text: ProposalText) -> Sequence[ProposalView]:
    client = names.client
    if not is_ticket(name):
        return [await patch_of(client, await names.proposal(name), text)]
    ticket = await names.ticket(name)
    found = [await patch_of(client, each.id, text) for each in await summaries_of(client, ticket)]
    if not found:
        raise NotNowError(f"The ticket {ticket} has no proposals.")
    return found


def _show(place: Place, value: object, lines: Iterator[Text], *, as_json: bool) -> None:
    if as_json:
        place.terminal.show_json(value)
    else:
        place.terminal.show(*lines)
