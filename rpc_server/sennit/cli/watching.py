"""Follows a ticket until it has settled; Ctrl-C cancels it once."""

from __future__ import annotations

import signal
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager

import anyio
from anyio.abc import TaskGroup
from attrs import frozen

from sennit.cli.board import Board
from sennit.cli.client import Client
from sennit.cli.exits import Exit
from sennit.cli.failures import CommandError
from sennit.cli.terminal import Terminal
from sennit.cli.withdrawn import Withdrawn
from sennit_protocol.ids import TicketId
from sennit_protocol.requests import (
    CancelParams,
    CancelResult,
    TicketParams,
    WaitParams,
    WaitResult,
)
from sennit_protocol.states import WaitUntil
from sennit_protocol.told import TaskChanged
from sennit_protocol.views import TicketView
from sennit_protocol.wire import structure_open

_WAIT_MS = 5_000
"""A wait this long also brings the whole ticket, should a notification not have come."""
_WAIT_LIMIT_S = 60.0


@contextmanager
def _interrupts() -> Iterator[AsyncIterator[signal.Signals]]:
    """Take Ctrl-C for as long as this lasts; after it, it interrupts the command again.

    asyncio leaves Python's own handler behind, whose exception would end the tasks that speak with
    the server before the command has taken leave of it.
    """
    before = signal.getsignal(signal.SIGINT)
    try:
        with anyio.open_signal_receiver(signal.SIGINT) as interrupts:
            yield interrupts
    finally:
        signal.signal(signal.SIGINT, before)


@frozen
class Watched:
    """A ticket that has settled; ``interrupted``: because of Ctrl-C."""

    view: TicketView
    interrupted: bool


class Watch:
    """Shows progress and waits."""

    def __init__(self, terminal: Terminal, board: Board) -> None:
        """Show progress on ``board``, and what is to be said on ``terminal``."""
        self._terminal = terminal
        self.board = board
        self.withdrawn = Withdrawn(terminal)
        self._interrupts = 0

    async def until_settled(self, client: Client, ticket: TicketId) -> Watched:
        """Follow ``ticket``; a second Ctrl-C gives up waiting for what is being captured."""
        self._take(await client.ask("sennit/ticket", TicketParams(ticket), TicketView))
        # Both tasks are ended as soon as the ticket has settled.
        async with anyio.create_task_group() as tasks:
            with self.board.shown():
                tasks.start_soon(self._hear, client, ticket)
                tasks.start_soon(self._mind_interrupts, client, ticket, tasks)
                view = await self._settled(client, ticket)
            tasks.cancel_scope.cancel()
            return Watched(view, interrupted=self._interrupts > 0)
        raise CommandError(
            f"Left while {ticket} was being cancelled. `sennit show {ticket}` tells what was kept.",
            Exit.INTERRUPTED,
        )

    async def _settled(self, client: Client, ticket: TicketId) -> TicketView:
        while True:
            params = WaitParams(ticket, WaitUntil.SETTLED, timeout_ms=_WAIT_MS)
            result = await client.ask("sennit/wait", params, WaitResult, limit_s=_WAIT_LIMIT_S)
            self._take(result.view)
            if not result.timed_out:
                self.withdrawn.tell_rest()
                return result.view

    def _take(self, view: TicketView) -> None:
        self.board.take_ticket(view)
        for task in view.tasks:
            self.withdrawn.take_task(task)

    async def _hear(self, client: Client, ticket: TicketId) -> None:
        async for told in client.notifications:
            if told.method == "sennit/taskChanged":
                changed = structure_open(told.params, TaskChanged)
                if changed.ticket == ticket:
                    self.board.take_task(changed.task)
                    self.withdrawn.take_task(changed.task)

    async def _mind_interrupts(self, client: Client, ticket: TicketId, tasks: TaskGroup) -> None:
        with _interrupts() as interrupts:
            async for _ in interrupts:
                self._interrupts += 1
                if self._interrupts > 1:
                    tasks.cancel_scope.cancel()
                    return
                self._terminal.note("Cancelling; work done so far is captured.")
                self._terminal.note("Ctrl-C again leaves without waiting for it.")
                tasks.start_soon(self._cancel, client, ticket)

    async def _cancel(self, client: Client, ticket: TicketId) -> None:
        await client.ask("sennit/cancel", CancelParams(ticket, force=True), CancelResult)
