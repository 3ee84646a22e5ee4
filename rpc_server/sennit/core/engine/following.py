"""Follow-ups: what may be followed and gone on with, and how revisions follow each other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from attrs import evolve

from sennit.core.engine.admission import Refused, RefusedBecause
from sennit.core.engine.again import is_again, merged_before
from sennit.core.engine.draft import Draft
from sennit.core.engine.events import DispatchRequested, NewTask
from sennit.core.engine.indexes import OPEN_TASKS, OPEN_TICKETS
from sennit.core.engine.moves import is_final
from sennit.core.engine.rows import (
    TURN_OF_TICKETS,
    Followed,
    ProposalRow,
    RevisionRow,
    TaskRow,
    TaskSpec,
    TicketRow,
    task_key,
)
from sennit.core.engine.state import Tables
from sennit_protocol.ids import RevisionId, TicketId
from sennit_protocol.states import Integration


def in_the_way(tables: Tables, tasks: Sequence[NewTask]) -> Refused | None:
    """Why tasks cannot go on with the work or the session that they were to go on with.

    Asked in the step that makes their ticket, so that of two at once one comes first.
    """
    for task in tasks:
        hindrance = _followed_in_the_way(tables, task.spec.following) or _in_use(tables, task.spec)
        if hindrance is not None:
            return hindrance
    return None


def _followed_in_the_way(tables: Tables, followed: Followed | None) -> Refused | None:
    if followed is None:
        return None
    task = tables.get(TaskRow, task_key(followed.ticket, followed.task))
    name = f"{followed.ticket}/{followed.task}"
    if task is None:
        message = f"{name} was dropped, so that there is nothing to follow any more."
        return Refused(RefusedBecause.GONE, message, followed.ticket, followed.task)
    if not is_final(task):
        message = (
            f"{name} has not ended: it is {task.state.value}. Speak with its agent"
            " (`sennit/steer`), wait for it, or cancel it."
        )
        return Refused(RefusedBecause.NOT_ENDED, message, followed.ticket, followed.task)
    newest = None if followed.proposal is None else tables.get(ProposalRow, followed.proposal)
    if newest is not None and newest.revision != followed.revision:
        message = (
            f"{name} was followed already: the newest revision of {newest.id} comes from"
            f" {newest.ticket}/{newest.task}. Follow that one."
        )
        return Refused(RefusedBecause.FOLLOWED, message, newest.ticket, newest.task)
    return None


def _in_use(tables: Tables, spec: TaskSpec) -> Refused | None:
    if spec.session is None and spec.place is None:
        return None
    for task in _open_tasks(tables):
        if _has(tables, task, spec):
            message = (
                f"The workspace and the agent's session are those of {task.ticket}/{task.id}, which"
                f" is {task.state.value}: one task at a time can go on with them. Wait for it, or"
                " cancel it, and follow that one then."
            )
            return Refused(RefusedBecause.IN_USE, message, task.ticket, task.id)
    return None


def _open_tasks(tables: Tables) -> Iterator[TaskRow]:
    tickets = sorted(tables.find(OPEN_TICKETS, value=True), key=TURN_OF_TICKETS)
    for ticket in tickets:
        yield from sorted(tables.find(OPEN_TASKS, ticket.id), key=lambda row: row.order)


def _has(tables: Tables, task: TaskRow, spec: TaskSpec) -> bool:
    """Whether an open task works in the workspace, or with the session, that another one wants."""
    run = tables.last_run(task)
    sessions = {task.spec.session, None if run is None else run.session} - {None}
    same_agent = task.spec.agent.name == spec.agent.name
    return spec.place in _places(tables, task) or (same_agent and spec.session in sessions)


def is_worked_in(tables: Tables, workspace: str) -> bool:
    """Whether an open task works in a workspace, or is to."""
    return any(workspace in _places(tables, task) for task in _open_tasks(tables))


def _places(tables: Tables, task: TaskRow) -> set[str]:
    run = tables.last_run(task)
    return {name for name in (task.spec.place, run and run.workspace) if name}


def mark_followed(draft: Draft, event: DispatchRequested) -> None:
    """Let what is followed know it; its own revision stays its own from now on."""
    for task in event.tasks:
        followed = task.spec.following
        if followed is None:
            continue
        row = draft.task(followed.ticket, followed.task)
        own = row.revision or followed.revision
        draft.put(evolve(row, followed_by=event.ticket, revision=own))
        draft.note(followed.ticket, followed.task, f"is followed by {event.ticket}/{task.id}")
        draft.note(event.ticket, task.id, f"follows {followed.ticket}/{followed.task}")


def followed_revision(tables: Tables, task: TaskRow) -> RevisionRow | None:
    """The revision whose lineage a task goes on with; None for the first of a lineage.

    One that was dropped, or followed by somebody else meanwhile, is gone on with by nobody.
    """
    following = task.spec.following
    if following is None or following.revision is None or following.proposal is None:
        return None
    newest = tables.get(ProposalRow, following.proposal)
    revision = tables.get(RevisionRow, following.revision)
    if newest is None or revision is None or newest.revision != revision.id:
        return None
    return None if revision.integration is Integration.DISCARDED else revision


def is_newest(tables: Tables, revision: RevisionRow) -> bool:
    """Whether a revision is the newest of its proposal, and so the one that is reviewed."""
    proposal = tables.get(ProposalRow, revision.proposal)
    return proposal is not None and proposal.revision == revision.id


def lineage(tables: Tables, revision: RevisionRow) -> tuple[RevisionRow, ...]:
    """A revision and those before it, newest first; those that were dropped are missing."""
    found = [revision]
    while (name := found[-1].follows) is not None:
        before = tables.get(RevisionRow, name)
        if before is None:
            break
        found.append(before)
    return tuple(found)


def begun_on(tables: Tables, task: TaskRow) -> frozenset[RevisionId]:
    """The revisions that a task began with: what it follows, depends on, or is done again upon."""
    run = tables.last_run(task)
    followed = None if task.spec.following is None else task.spec.following.revision
    if run is not None and run.built_on:
        return frozenset(one for one in (followed, *run.built_on) if one is not None)
    found: dict[str, RevisionId | None] = {}
    open_names = list(task.spec.depends_on)
    while open_names:
        name = open_names.pop()
        if name not in found:
            before = tables.task(task.ticket, name)
            revision = tables.revision_of(before)
            found[name] = None if revision is None else revision.id
            open_names.extend(before.spec.depends_on)
    ticket = tables.ticket(task.ticket)
    again = () if ticket is None or not is_again(task) else merged_before(tables, ticket, task)
    met = (row.id for row in again)
    return frozenset(one for one in (followed, *found.values(), *met) if one is not None)


def hand_back(draft: Draft, ticket: TicketId) -> None:
    """Before a ticket is dropped: give its proposals back to the tasks that it had followed."""
    for task in draft.tasks(draft.the(TicketRow, ticket)):
        revision = draft.revision_of(task)
        if revision is not None:
            _take_out(draft, revision)
        _forget_follow_up(draft, task)


def _take_out(draft: Draft, revision: RevisionRow) -> None:
    """Let the revisions before and after one follow each other without it."""
    if is_newest(draft, revision):
        for one in lineage(draft, revision)[1:2]:
            order = draft.task(one.ticket, one.task).order
            draft.put(ProposalRow(revision.proposal, one.ticket, one.task, order, one.id))
        return
    proposal = draft.get(ProposalRow, revision.proposal)
    newest = None if proposal is None else draft.get(RevisionRow, proposal.revision)
    for one in () if newest is None else lineage(draft, newest):
        if one.follows == revision.id:
            draft.put(evolve(one, follows=revision.follows))


def _forget_follow_up(draft: Draft, task: TaskRow) -> None:
    following = task.spec.following
    if following is None:
        return
    row = draft.get(TaskRow, task_key(following.ticket, following.task))
    if row is not None and row.followed_by == task.ticket:
        draft.put(evolve(row, followed_by=None))
