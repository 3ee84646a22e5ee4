"""Steps of a server's life: its start after others died, its orderly end, letters."""

from __future__ import annotations

from typing import assert_never

from attrs import evolve
from sennit_protocol.ids import ServerId
from sennit_protocol.states import (
    FINAL_TICKET_STATES,
    ApplicationState,
    Flag,
    Integration,
    TaskState,
)

from sennit.core.engine.commands import (
    CaptureRun,
    Command,
    DeliverAnswer,
    OfferRevision,
    PrepareWorkspace,
    Reconcile,
    RecoverRun,
    RemoveWorkspaces,
    RunApplication,
    SettleApplication,
    StartRun,
    StopRun,
    TakeBase,
)
from sennit.core.engine.draft import Draft
from sennit.core.engine.events import (
    DocumentUnsaved,
    ServerStarted,
    ServerStopped,
    ServerStopping,
    Tick,
)
from sennit.core.engine.moves import end_task, is_active, is_final, move_run, plan_ending
from sennit.core.engine.rows import (
    ApplicationRow,
    Ending,
    MailRow,
    OpenDocumentRow,
    RunRow,
    ServerRow,
    TaskRow,
    TicketRow,
    TimerRow,
)
from sennit.core.engine.running import cancel_tasks, interrupt_or_cancel
from sennit.core.engine.settling import go_on, reconcile, start_tasks
from sennit.core.engine.transitions import RunSignal


def server_started(draft: Draft, event: ServerStarted) -> None:
    """Enter the server and take over what dead ones have left open."""
    draft.put(event.server)
    for issued in event.outbox:
        draft.ended.append(issued.id)
    for dead in event.dead:
        _forget_server(draft, dead)
    gone = set(event.dead)
    for ticket in tuple(draft.rows(TicketRow)):
        orphan = ticket.owner in gone or draft.server(ticket.owner) is None
        if orphan and ticket.state not in FINAL_TICKET_STATES:
            _interrupt(draft, ticket, event.server.id)
    for issued in event.outbox:
        _reissue(draft, issued.command)
    for row in tuple(draft.rows(ApplicationRow)):
        if row.state is ApplicationState.APPLYING and draft.server(row.owner) is None:
            draft.put(evolve(row, owner=event.server.id))
            draft.issue(SettleApplication(row.id))


def _forget_server(draft: Draft, server: ServerId) -> None:
    draft.delete(ServerRow, server)
    for document in tuple(draft.rows(OpenDocumentRow)):
        if document.server == server:
            draft.delete(OpenDocumentRow, document.key)
    for letter in tuple(draft.rows(MailRow)):
        if letter.to == server:
            draft.delete(MailRow, letter.key)


def _interrupt(draft: Draft, ticket: TicketRow, owner: ServerId) -> None:
    draft.put(evolve(ticket, owner=owner))
    draft.note(ticket.id, None, "its server died; this one takes it over")
    for task in draft.tasks(ticket):
        if not is_final(task):
            _interrupt_task(draft, task)
    for revision in draft.revisions(ticket):
        if revision.integration is Integration.PENDING:
            reconcile(draft, ticket, revision)
            break
    go_on(draft, ticket.id)


def _interrupt_task(draft: Draft, task: TaskRow) -> None:
    draft.put(evolve(task, flags=tuple(dict.fromkeys((*task.flags, Flag.RECOVERED)))))
    task = plan_ending(draft, draft.task(task.ticket, task.id), Ending(TaskState.INTERRUPTED))
    run = draft.last_run(task)
    if run is None or run.folder is None:
        _end_unstarted(draft, task, run)
    elif is_active(run):
        draft.delete(TimerRow, f"deadline:{run.id}")
        draft.issue(RecoverRun(run.id))


def _end_unstarted(draft: Draft, task: TaskRow, run: RunRow | None) -> None:
    if run is not None:
        draft.put(evolve(move_run(draft, run, RunSignal.END), ended_at=draft.at))
    ending = task.ending or Ending(TaskState.INTERRUPTED)
    end_task(draft, task, ending.state, ending.failure)


def _reissue(draft: Draft, command: Command) -> None:
    """Ask again for what a dead server had asked, where that is safe.

    What was started once is examined and never repeated; workspaces and bases that were being made
    belong to tasks that are interrupted by now.
    """
    match command:
        case CaptureRun(run=run):
            if draft.get(RunRow, run) is not None:
                draft.issue(command)
        case RemoveWorkspaces():
            draft.issue(command)
        case (
            TakeBase()
            | PrepareWorkspace()
            | StartRun()
            | StopRun()
            | RecoverRun()
            | Reconcile()
            | OfferRevision()
            | RunApplication()
            | SettleApplication()
            | DeliverAnswer()
        ):
            return
        case _:
            assert_never(command)


def server_stopping(draft: Draft, event: ServerStopping) -> None:
    """Interrupt what the server carries; runs are ended and captured."""
    for ticket in tuple(draft.rows(TicketRow)):
        if ticket.owner != event.server or ticket.state in FINAL_TICKET_STATES:
            continue
        draft.note(ticket.id, None, "its server ends; what runs is interrupted and kept")
        for task in draft.tasks(ticket):
            if not is_final(draft.task(ticket.id, task.id)):
                interrupt_or_cancel(draft, task, TaskState.INTERRUPTED)
        go_on(draft, ticket.id)


def server_stopped(draft: Draft, event: ServerStopped) -> None:
    """Forget a server that has ended in order."""
    _forget_server(draft, event.server)


def document_unsaved(draft: Draft, event: DocumentUnsaved) -> None:
    """Let other servers know which documents are unsaved here."""
    row = OpenDocumentRow(event.server, event.path, event.sha256 or "")
    if event.sha256 is None:
        draft.delete(OpenDocumentRow, row.key)
    else:
        draft.put(row)


def tick(draft: Draft, event: Tick) -> None:
    """Do what other servers ask by letter, and use slots that they have freed."""
    for letter in tuple(draft.rows(MailRow)):
        if letter.to == event.server:
            draft.delete(MailRow, letter.key)
            if draft.ticket(letter.ticket) is not None:
                cancel_tasks(draft, letter.ticket, letter.tasks)
    start_tasks(draft, event.server)
