"""Steps of a server's life: its start, the death of others, its orderly end, letters."""

from __future__ import annotations

from attrs import evolve

from sennit.core.engine.commands import RemoveWorkspaces
from sennit.core.engine.draft import Draft
from sennit.core.engine.events import (
    DocumentUnsaved,
    ServersGone,
    ServerStarted,
    ServerStopped,
    ServerStopping,
    ServerUnattended,
    Tick,
)
from sennit.core.engine.indexes import OPEN_TICKETS
from sennit.core.engine.moves import is_final
from sennit.core.engine.rows import TURN_OF_TICKETS, MailRow, OpenDocumentRow, ServerRow
from sennit.core.engine.running import cancel_tasks, interrupt
from sennit.core.engine.settling import go_on, start_tasks
from sennit.core.engine.step_values import Issued
from sennit.core.engine.taking_over import take_over_orphans
from sennit_protocol.ids import ServerId


def server_started(draft: Draft, event: ServerStarted) -> None:
    """Enter the server and take over what dead ones have left open."""
    draft.put(event.server)
    _bury(draft, event.server.id, event.dead, event.outbox)


def servers_gone(draft: Draft, event: ServersGone) -> None:
    """Take over what servers have left open that died while this one runs."""
    _bury(draft, event.server, event.dead, event.outbox)
    start_tasks(draft, event.server)


def _bury(
    draft: Draft, server: ServerId, dead: tuple[ServerId, ...], outbox: tuple[Issued, ...]
) -> None:
    for one in dead:
        _forget_server(draft, one)
    take_over_orphans(draft, server)
    for issued in outbox:
        draft.ended.append(issued.id)
        # What else was open is asked for anew from the rows: runs are recovered or captured,
        # merges done again, applications compared. What is done once is never asked for again.
        if isinstance(issued.command, RemoveWorkspaces):
            draft.issue(issued.command)


def _forget_server(draft: Draft, server: ServerId) -> None:
    draft.delete(ServerRow, server)
    for document in tuple(draft.rows(OpenDocumentRow)):
        if document.server == server:
            draft.delete(OpenDocumentRow, document.key)
    for letter in tuple(draft.rows(MailRow)):
        if letter.to == server:
            draft.delete(MailRow, letter.key)


def server_unattended(draft: Draft, event: ServerUnattended) -> None:
    """Remember that nobody behind a server answers questions."""
    server = draft.server(event.server)
    if server is not None:
        draft.put(evolve(server, unattended=True))


def server_stopping(draft: Draft, event: ServerStopping) -> None:
    """Interrupt what the server carries; runs are ended and captured, nothing is started."""
    server = draft.server(event.server)
    if server is not None:
        draft.put(evolve(server, stopping=True))
    mine = [row for row in draft.find(OPEN_TICKETS, value=True) if row.owner == event.server]
    for ticket in sorted(mine, key=TURN_OF_TICKETS):
        draft.note(ticket.id, None, "its server ends; what runs is interrupted and kept")
        for task in draft.tasks(ticket):
            if not is_final(task):
                interrupt(draft, task)
        go_on(draft, ticket.id)


def server_stopped(draft: Draft, event: ServerStopped) -> None:
    """Forget a server that has ended in order; what it left open another one takes over."""
    _forget_server(draft, event.server)


def document_unsaved(draft: Draft, event: DocumentUnsaved) -> None:
    """Let other servers know which documents are unsaved here."""
    row = OpenDocumentRow(event.server, event.path, event.sha256 or "")
    if event.sha256 is None:
        draft.delete(OpenDocumentRow, row.key)
    else:
        draft.put(row)


def tick(draft: Draft, event: Tick) -> None:
    """Do what other servers ask by letter, take over what is left, use slots that are free."""
    for letter in tuple(draft.rows(MailRow)):
        if letter.to == event.server:
            draft.delete(MailRow, letter.key)
            if draft.ticket(letter.ticket) is not None:
                cancel_tasks(draft, letter.ticket, letter.tasks)
    server = draft.server(event.server)
    if server is not None and not server.stopping:
        take_over_orphans(draft, event.server)
        start_tasks(draft, event.server)
