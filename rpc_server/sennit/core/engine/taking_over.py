"""Taking over what dead servers have left: tickets are interrupted, applications looked at."""

from __future__ import annotations

from attrs import evolve

from sennit.core.engine.capturing import capture
from sennit.core.engine.commands import RecoverRun, SettleApplication
from sennit.core.engine.draft import Draft
from sennit.core.engine.indexes import OPEN_TICKETS, UNSETTLED_APPLICATIONS
from sennit.core.engine.moves import (
    close_questions,
    end_task,
    flag,
    is_active,
    is_final,
    move_run,
    plan_ending,
)
from sennit.core.engine.rows import TURN_OF_TICKETS, Ending, RunRow, TaskRow, TicketRow, TimerRow
from sennit.core.engine.settling import go_on, reconcile
from sennit.core.engine.transitions import RunSignal
from sennit_protocol.ids import ServerId
from sennit_protocol.states import Flag, Integration, RunState, TaskState
from sennit_protocol.tasks import OnConflict


def take_over_orphans(draft: Draft, server: ServerId) -> None:
    """Make a server carry all that belongs to servers that are no more."""
    tickets = sorted(draft.find(OPEN_TICKETS, value=True), key=TURN_OF_TICKETS)
    for ticket in tickets:
        if draft.server(ticket.owner) is None:
            take_over(draft, ticket, server)
    applications = sorted(draft.find(UNSETTLED_APPLICATIONS, value=True), key=lambda row: row.id)
    for application in applications:
        if draft.server(application.owner) is None:
            draft.put(evolve(application, owner=server))
            draft.issue(SettleApplication(application.id))


def take_over(draft: Draft, ticket: TicketRow, owner: ServerId) -> None:
    """Interrupt the tasks of a ticket whose server died; what they left is recovered."""
    # What was to be started by the server that died is started by nobody.
    ticket = evolve(ticket, owner=owner, on_conflict=OnConflict.SET_ASIDE)
    draft.put(ticket)
    draft.note(ticket.id, None, "its server died; another one takes it over")
    for task in draft.tasks(ticket):
        if not is_final(task):
            _interrupt(draft, flag(draft, task, Flag.RECOVERED))
    pending = [row for row in draft.revisions(ticket) if row.integration is Integration.PENDING]
    for repository in dict.fromkeys(row.repository for row in pending):
        reconcile(draft, ticket, repository)
    go_on(draft, ticket.id)


def _interrupt(draft: Draft, task: TaskRow) -> None:
    run = draft.last_run(task)
    if run is None or task.state is TaskState.QUEUED:
        end_task(draft, task, TaskState.INTERRUPTED)
    elif run.state is RunState.ENDED:
        # How it ended is known; only what it left was not taken yet.
        capture(draft, run)
    elif run.folder is None:
        draft.put(evolve(move_run(draft, run, RunSignal.END), ended_at=draft.at))
        ending = task.ending or Ending(TaskState.INTERRUPTED)
        end_task(draft, task, ending.state, ending.failure)
    elif is_active(run):
        _recover(draft, task, run)


def _recover(draft: Draft, task: TaskRow, run: RunRow) -> None:
    plan_ending(draft, task, Ending(TaskState.INTERRUPTED))
    close_questions(draft, draft.task(task.ticket, task.id), "its server died")
    draft.delete(TimerRow, f"deadline:{run.id}")
    draft.put(evolve(run, stop=None))
    draft.issue(RecoverRun(run.id))
