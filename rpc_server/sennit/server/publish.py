"""Tells clients what has changed: coalesced views with sequence numbers, the last always sent."""

from __future__ import annotations

import anyio
from attrs import define, field

from sennit.core.engine.rows import (
    ApplicationRow,
    BaseRow,
    ProposalRow,
    QuestionRow,
    RevisionRow,
    RunRow,
    TaskRow,
    TicketRow,
    task_key,
)
from sennit.core.engine.step_values import Change, Delete, Put
from sennit.core.proposal_views import proposal_summary
from sennit.core.views import Beside, task_sequence, task_view, ticket_summary
from sennit.server.lsp.conflicts_shown import ConflictsShown
from sennit.server.output_sent import OutputSender
from sennit.server.services import Services
from sennit_protocol.ids import ProposalId, RunId, TicketId
from sennit_protocol.review import ProposalChanged
from sennit_protocol.told import TaskChanged, TicketChanged, TicketDropped

QUIET_S = 0.05
"""Changes that come within this time of each other are told together."""
PROGRESS_S = 0.2
"""At most five reports a second and task."""


@define(eq=False)
class _Touched:
    tickets: dict[TicketId, None] = field(factory=dict)
    tasks: dict[tuple[TicketId, str], None] = field(factory=dict)
    proposals: dict[ProposalId, None] = field(factory=dict)
    dropped: dict[TicketId, None] = field(factory=dict)

    def note(self, change: Change) -> None:
        """Note whom a change concerns."""
        match change:
            case Put(row=row):
                self._note_row(row)
            case Delete(table=table, key=key) if table is TicketRow:
                self.dropped[TicketId(key)] = None
            case Delete():
                return

    def _note_row(self, row: object) -> None:
        match row:
            case TicketRow(id=ticket):
                self.tickets[ticket] = None
            case TaskRow(ticket=ticket, id=task):
                self._note_task(ticket, task)
            case RunRow(ticket=ticket, task=task) | QuestionRow(ticket=ticket, task=task):
                self._note_task(ticket, task)
            case RevisionRow(ticket=ticket, task=task, proposal=proposal):
                self._note_task(ticket, task)
                self.proposals[proposal] = None
            case ProposalRow(ticket=ticket, task=task, id=proposal):
                self._note_task(ticket, task)
                self.proposals[proposal] = None
            case BaseRow(ticket=ticket) | ApplicationRow(ticket=ticket):
                self.tickets[ticket] = None
            case _:
                return

    def _note_task(self, ticket: TicketId, task: str) -> None:
        self.tickets[ticket] = None
        self.tasks[ticket, task] = None


@define(eq=False)
class Publisher:
    """Follows the state and notifies the client."""

    _services: Services
    _output: OutputSender = field(init=False)
    _moved: set[RunId] = field(factory=set, init=False)
    _woken: anyio.Event = field(factory=anyio.Event, init=False)

    @_output.default
    def _sender(self) -> OutputSender:
        return OutputSender(self._services)

    async def run(self) -> None:
        """Follow the state until cancelled."""
        self._services.live.on_progress = self._progressed
        async with anyio.create_task_group() as group:
            group.start_soon(self._follow_state)
            group.start_soon(self._follow_progress)
            group.start_soon(ConflictsShown(self._services).run)

    def _progressed(self, run: RunId) -> None:
        self._moved.add(run)
        self._woken.set()

    async def _follow_state(self) -> None:
        with self._services.loop.changes() as batches:
            async for batch in batches:
                touched = _Touched()
                for change in batch.changes:
                    touched.note(change)
                    if isinstance(change, Put) and isinstance(change.row, RunRow):
                        # The last of its output comes with the end of a run.
                        self._progressed(change.row.id)
                self._tell(touched)
                await anyio.sleep(QUIET_S)

    async def _follow_progress(self) -> None:
        while True:
            await self._woken.wait()
            self._woken = anyio.Event()
            moved, self._moved = self._moved, set()
            for run in moved:
                await self._tell_run(run)
            await anyio.sleep(PROGRESS_S)

    async def _tell_run(self, run: RunId) -> None:
        row = self._services.state.get(RunRow, run)
        if row is None or self._services.connection.congested:
            return
        ticket = self._services.state.ticket(row.ticket)
        if ticket is not None and ticket.owner == self._services.server:
            await self._output.send(row)
        if run in self._services.live.progress:
            self._tell_task(row.ticket, row.task)
            self._services.progress.progressed(row.ticket, row.task)

    def _tell(self, touched: _Touched) -> None:
        if not self._services.speaks_sennit:
            return
        for ticket, task in touched.tasks:
            self._tell_task(ticket, task)
        state = self._services.state
        for proposal in touched.proposals:
            row = state.get(ProposalRow, proposal)
            if row is not None:
                view = ProposalChanged(proposal_summary(state, row))
                self._services.connection.notify("sennit/proposalChanged", view)
        for name in touched.dropped:
            self._services.connection.notify("sennit/ticketDropped", TicketDropped(name))
        for name in touched.tickets:
            changed = state.ticket(name)
            if changed is not None:
                summary = TicketChanged(ticket_summary(state, changed))
                self._services.connection.notify("sennit/ticketChanged", summary)

    def _tell_task(self, ticket: TicketId, task: str) -> None:
        state = self._services.state
        row = state.get(TaskRow, task_key(ticket, task))
        if row is None or not self._services.speaks_sennit:
            return
        view = task_view(state, row, Beside(self._services.live.progress))
        changed = TaskChanged(ticket, task_sequence(state, row), view)
        self._services.connection.notify("sennit/taskChanged", changed)
