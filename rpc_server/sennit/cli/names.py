"""What names of the command line mean: ids, their beginnings, `@`, and `TICKET/TASK`.

Every command finds what it is about here. An id may be cut off wherever nothing else begins like
that; `@` is the newest ticket of the repository here; `TICKET/TASK` names a task, and its proposal.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Iterable, Sequence
from pathlib import Path

from attrs import frozen

from sennit.cli.client import Client
from sennit.cli.failures import NotNowError, UsageError
from sennit.cli.safe_text import safe_line
from sennit.cli.tables import ago
from sennit_protocol.ids import ApplicationId, IdKind, ProposalId, QuestionId, RunId, TicketId
from sennit_protocol.requests import TicketParams, TicketsParams, TicketsResult
from sennit_protocol.states import UNDOABLE_STATES, Target
from sennit_protocol.views import (
    ApplicationSummary,
    Question,
    RunView,
    TaskView,
    TicketSummary,
    TicketView,
)

NEWEST = "@"

_FORM = re.compile(r"([a-z])_[a-z2-7]{1,10}")
_WHOLE = len("t_") + 10
_PAGE = 1000
_MOST_TOLD = 8

_KINDS = {
    IdKind.TICKET: "ticket (t_…)",
    IdKind.PROPOSAL: "proposal (p_…)",
    IdKind.APPLICATION: "application (a_…)",
}
_ADVICE = {
    IdKind.TICKET: "`sennit tickets` lists tickets; `@` is the newest one here.",
    IdKind.PROPOSAL: "`sennit show TICKET` lists proposals; TICKET/TASK names one, too.",
    IdKind.APPLICATION: "`sennit show TICKET` lists applications.",
}


def kind_of(name: str, *kinds: IdKind) -> IdKind:
    """Tell by its form what a name is about; raises `UsageError` for what is none of ``kinds``.

    Nothing is looked up, so that a slip is told before a server is started.
    """
    kind = _kind(name)
    if kind in kinds:
        return kind
    if any(name == f"{each}_" for each in kinds):
        raise UsageError(f"Every {_KINDS[IdKind(name[0])]} begins with {name!r}; type more of it.")
    raise UsageError(
        f"{name!r} is no {' and no '.join(_KINDS[each] for each in kinds)}."
        f" {' '.join(_ADVICE[each] for each in kinds)}"
    )


def _kind(name: str) -> IdKind | None:
    ticket, slash, task = name.partition("/")
    if slash:
        return IdKind.PROPOSAL if task and _kind(ticket) is IdKind.TICKET else None
    if name == NEWEST:
        return IdKind.TICKET
    found = _FORM.fullmatch(name)
    return next((kind for kind in _KINDS if found and kind == found[1]), None)


@frozen
class Names:
    """Finds what names mean, by asking the server of ``client``; ``folder`` is where `@` looks."""

    client: Client
    folder: Path

    async def ticket(self, name: str) -> TicketId:
        """Find a ticket; raises `UsageError`."""
        kind_of(name, IdKind.TICKET)
        if name == NEWEST:
            return await self._newest()
        if len(name) == _WHOLE:
            return TicketId(name)
        found = {each.id: _described(each) async for each in self._tickets()}
        return TicketId(_the_one(name, found.items(), _ADVICE[IdKind.TICKET]))

    async def proposal(self, name: str) -> ProposalId:
        """Find a proposal, by its id, its task or a ticket's only task; raises `UsageError`."""
        kind = kind_of(name, IdKind.PROPOSAL, IdKind.TICKET)
        if kind is IdKind.TICKET or "/" in name:
            return await self._proposal_of_task(name)
        if len(name) == _WHOLE:
            return ProposalId(name)
        found = [(each, "") async for each in self._proposals()]
        return ProposalId(_the_one(name, found, _ADVICE[IdKind.PROPOSAL]))

    async def task(self, name: str, task: str | None = None) -> tuple[TicketId, str]:
        """Find a task: `TICKET/TASK`, or a ticket and ``task``, which its only one needs not."""
        before, slash, after = name.partition("/")
        if slash and task is not None:
            raise UsageError(f"{name!r} names a task already; leave out {task!r}.")
        ticket = await self.ticket(before)
        if slash or task is not None:
            return ticket, task or after
        view = await self._view(ticket)
        if len(view.tasks) == 1:
            return ticket, view.tasks[0].id
        told = ", ".join(f"{ticket}/{safe_line(each.id)}" for each in view.tasks)
        raise UsageError(f"The ticket {ticket} has several tasks. Name one of them: {told}.")

    async def application(self, name: str) -> ApplicationId:
        """Find an application, or the last one of a ticket that counts and is no undo."""
        if kind_of(name, IdKind.APPLICATION, IdKind.TICKET) is IdKind.TICKET:
            return await self._last_application(await self.ticket(name))
        if len(name) == _WHOLE:
            return ApplicationId(name)
        applied = [each.id async for each in self._tickets() if each.last_application is not None]
        views = [await self._view(ticket) for ticket in applied]
        found = [(row.id, f"of {view.id}") for view in views for row in view.applications]
        return ApplicationId(_the_one(name, found, _ADVICE[IdKind.APPLICATION]))

    async def run(self, ticket: TicketId, task: str, name: str) -> RunId:
        """Find a run of a task by its id or the beginning of it."""
        runs = (await self.task_view(ticket, task)).runs
        return RunId(_the_one(name, [(one.id, "") for one in runs], _among(runs)))

    async def question(self, ticket: TicketId, task: str, name: str) -> QuestionId:
        """Find an open question of a task by its id or the beginning of it."""
        if len(name) == _WHOLE:
            # One that was answered is not listed any more, and may be answered the same again.
            return QuestionId(name)
        asked = (await self.task_view(ticket, task)).questions
        return QuestionId(_the_one(name, [(one.id, "") for one in asked], _among(asked)))

    async def task_view(self, ticket: TicketId, task: str) -> TaskView:
        """Read a task of a ticket; raises `UsageError` where there is none of that id."""
        view = await self._view(ticket)
        found = next((each for each in view.tasks if each.id == task), None)
        if found is None:
            names = ", ".join(safe_line(each.id) for each in view.tasks)
            raise UsageError(f"The ticket {ticket} has no task {task!r}. It has: {names}.")
        return found

    async def _newest(self) -> TicketId:
        params = TicketsParams(1, None, self.folder.as_uri())
        page = await self.client.ask("sennit/tickets", params, TicketsResult)
        if page.tickets:
            return page.tickets[0].id
        shown = safe_line(str(self.folder))
        raise UsageError(
            f"`@` is the newest ticket of a repository at, above or below {shown}, and there"
            " is none. `sennit tickets --all` lists all."
        )

    async def _proposal_of_task(self, name: str) -> ProposalId:
        ticket, task = await self.task(name)
        found = await self.task_view(ticket, task)
        if found.proposal is None:
            raise NotNowError(
                f"The task {ticket}/{safe_line(task)} has no proposal: it is {found.state.value}."
            )
        return found.proposal

    async def _last_application(self, ticket: TicketId) -> ApplicationId:
        view = await self._view(ticket)
        there = [one for one in view.applications if _can_be_taken_back(one)]
        applied = [one.id for one in there if one.undoes is None]
        if applied:
            return applied[-1]
        undone = f" To take the last undo back: sennit undo {there[-1].id}" if there else ""
        raise NotNowError(f"Nothing of {ticket} is applied now.{undone}")

    async def _view(self, ticket: TicketId) -> TicketView:
        return await self.client.ask("sennit/ticket", TicketParams(ticket), TicketView)

    async def _tickets(self) -> AsyncIterator[TicketSummary]:
        before: TicketId | None = None
        while True:
            params = TicketsParams(_PAGE, before)
            page = await self.client.ask("sennit/tickets", params, TicketsResult)
            for each in page.tickets:
                yield each
            if not page.more:
                return
            before = page.tickets[-1].id

    async def _proposals(self) -> AsyncIterator[ProposalId]:
        # Few commands look for proposals; the others need not load what those are made of.
        from sennit_protocol.review import (  # noqa: PLC0415  see above
            ProposalsParams,
            ProposalsResult,
        )

        offset = 0
        while True:
            params = ProposalsParams(limit=_PAGE, offset=offset)
            page = await self.client.ask("sennit/proposals", params, ProposalsResult)
            for each in page.proposals:
                yield each.id
            offset += len(page.proposals)
            if not page.proposals or offset >= page.total:
                return


def _can_be_taken_back(one: ApplicationSummary) -> bool:
    return one.state in UNDOABLE_STATES and one.target is not Target.PATCH and one.files > 0


def _described(ticket: TicketSummary) -> str:
    return ", ".join(filter(None, (ago(ticket.created_at), safe_line(ticket.label or ""))))


def _among(listed: Sequence[RunView | Question]) -> str:
    return f"There are: {', '.join(one.id for one in listed) or 'none'}."


def _the_one(beginning: str, known: Iterable[tuple[str, str]], advice: str) -> str:
    """The only id with this beginning; ``known`` are ids, each with what tells it from others."""
    found = {name: what for name, what in known if name.startswith(beginning)}
    if len(found) == 1:
        return next(iter(found))
    if not found:
        raise UsageError(f"No id begins with {beginning!r}. {advice}".rstrip())
    lines = [f"  {name}  {what}".rstrip() for name, what in found.items()]
    more = len(lines) - _MOST_TOLD
    rest = [f"  and {more} more"] if more > 0 else []
    told = "\n".join(lines[:_MOST_TOLD] + rest)
    raise UsageError(f"{beginning!r} is the beginning of several ids; type more of it:\n{told}")
