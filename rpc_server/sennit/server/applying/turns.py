"""One application at a time is worked out and carried out in a repository; others wait a little."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio
from attrs import define, field


@define(eq=False)
class Turns:
    """A queue a repository, by its key.

    What is worked out while another application is carried out would be about a text that is gone
    by then, and fail.
    """

    _locks: dict[str, anyio.Lock] = field(factory=dict, init=False)

    @asynccontextmanager
    async def take(self, key: str, limit_s: float) -> AsyncIterator[bool]:
        """Wait for the turn, at most so many seconds; False says that it has not come."""
        lock = self._locks.setdefault(key, anyio.Lock())
        with anyio.move_on_after(limit_s):
            await lock.acquire()
        mine = lock.statistics().owner == anyio.get_current_task()
        try:
            yield mine
        finally:
            if mine:
                lock.release()
