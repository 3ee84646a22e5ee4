"""Tasks that are used again: to make one for each request takes longer than most requests."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from anyio.abc import TaskGroup

Work = Callable[[], Awaitable[None]]

MOST_IDLE = 8
"""How many tasks wait for work; those beyond it end, for bursts are rare."""


class Workers:
    """Runs work side by side, each piece in a task that it has to itself until it is done.

    A piece that wants to be cancelled brings a cancel scope of its own, and catches its errors:
    the task that ran it is given to another.
    """

    def __init__(self, root: TaskGroup) -> None:
        self._root = root
        self._idle: list[asyncio.Future[Work]] = []

    def start(self, work: Work) -> None:
        """Begin a piece of work in the next turn of the loop."""
        while self._idle:
            waiting = self._idle.pop()
            # One that was cancelled has ended with the task group.
            if not waiting.done():
                waiting.set_result(work)
                return
        self._root.start_soon(self._run, work)

    async def _run(self, work: Work) -> None:
        loop = asyncio.get_running_loop()
        await work()
        while len(self._idle) < MOST_IDLE:
            waiting: asyncio.Future[Work] = loop.create_future()
            self._idle.append(waiting)
            work = await waiting
            await work()
