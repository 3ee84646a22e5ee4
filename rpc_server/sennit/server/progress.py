"""Work done progress of LSP: one for each ticket, one for each task that runs."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import anyio
from anyio.abc import TaskGroup
from attrs import define, field

from sennit.core.counted import counted
from sennit.core.engine.events import CancelRequested
from sennit.core.engine.rows import TaskRow, TicketRow, task_key
from sennit.core.engine.state import State
from sennit.server.jsonrpc import Progress
from sennit.server.services import Services
from sennit_protocol.ids import TicketId
from sennit_protocol.states import FINAL_TASK_STATES, FINAL_TICKET_STATES, TaskState

REPORT_EVERY_S = 0.2


@define(eq=False)
class TicketProgress:
    """Shows the tickets that this server carries; a cancel of the progress cancels the work."""

    _services: Services
    _group: TaskGroup
    _shown: dict[str, Progress] = field(factory=dict, init=False)

    def watch(self, ticket: TicketId, token: str | int | None) -> None:
        """Show a ticket from now on; with a token of the client's, else with one of our own."""
        self._group.start_soon(self._ticket, ticket, token)

    def progressed(self, ticket: TicketId, task: str) -> None:
        """Report what a task is doing."""
        key = task_key(ticket, task)
        shown = self._shown.get(key)
        row = self._services.state.get(TaskRow, key)
        if shown is None or row is None or not row.runs:
            return
        known = self._services.live.progress.get(row.runs[-1])
        if known is not None:
            last = f": {known.last_line}" if known.last_line else ""
            shown.report(f"{known.phase}, {known.elapsed_ms / 1000:.0f} s{last}")

    async def _ticket(self, ticket: TicketId, token: str | int | None) -> None:
        services = self._services
        row = services.state.ticket(ticket)
        if row is None:
            return
        title = row.label or f"Sennit: {counted(len(row.tasks), 'task')}"
        cancel = self._canceller(ticket, row.tasks)
        async with (
            services.connection.progress(title, token=token, on_cancel=cancel) as progress,
            anyio.create_task_group() as tasks,
        ):
            for name in row.tasks:
                tasks.start_soon(self._task, ticket, name)
            await self._report_until_final(ticket, progress)

    async def _report_until_final(self, ticket: TicketId, progress: Progress) -> None:
        """Report each change of the words, at most five times a second."""
        state = self._services.state
        last: tuple[str, int] | None = None
        with self._services.loop.changes() as batches:
            while True:
                row = state.ticket(ticket)
                if row is None or row.state in FINAL_TICKET_STATES:
                    return
                told = _ticket_message(state, row)
                if told != last:
                    progress.report(*told)
                    last = told
                    with anyio.move_on_after(REPORT_EVERY_S):
                        await self._services.loop.wait_until(lambda now: _is_through(now, ticket))
                await anext(batches)

    async def _task(self, ticket: TicketId, name: str) -> None:
        services, key = self._services, task_key(ticket, name)
        await services.loop.wait_until(lambda state: _has_begun(state, key))
        row = services.state.get(TaskRow, key)
        if row is None or row.state in FINAL_TASK_STATES:
            return
        title = f"Sennit {name}: {row.spec.description or row.spec.agent.name}"
        cancel = self._canceller(ticket, (name,))
        async with services.connection.progress(title, on_cancel=cancel) as progress:
            self._shown[key] = progress
            try:
                await services.loop.wait_until(lambda state: _is_over(state, key))
            finally:
                del self._shown[key]

    def _canceller(self, ticket: TicketId, tasks: tuple[str, ...]) -> Callable[[], Awaitable[None]]:
        async def cancel() -> None:
            await self._services.tell(
                CancelRequested, ticket=ticket, tasks=tasks, by=self._services.server
            )

        return cancel


def _is_through(state: State, ticket: TicketId) -> bool:
    row = state.ticket(ticket)
    return row is None or row.state in FINAL_TICKET_STATES


def _has_begun(state: State, key: str) -> bool:
    row = state.get(TaskRow, key)
    return row is None or row.state is not TaskState.QUEUED


def _is_over(state: State, key: str) -> bool:
    row = state.get(TaskRow, key)
    return row is None or row.state in FINAL_TASK_STATES


def _ticket_message(state: State, row: TicketRow) -> tuple[str, int]:
    """How far a ticket is, in words and in percent."""
    tasks = state.tasks(row)
    done = sum(task.state in FINAL_TASK_STATES for task in tasks)
    running = [task.id for task in tasks if task.state is TaskState.RUNNING]
    waiting = [task.id for task in tasks if task.state is TaskState.WAITING]
    message = f"{done} of {counted(len(tasks), 'task')} done"
    if running:
        message += f"; running: {', '.join(running)}"
    if waiting:
        message += f"; waiting for you: {', '.join(waiting)}"
    return message, 100 * done // max(len(tasks), 1)
