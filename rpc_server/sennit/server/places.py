"""One thing at a time is done to a workspace by its name: it is made, or removed."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio
from attrs import define, field


@define(eq=False)
class Places:
    """Who deals with the place of a workspace; others wait, in order."""

    _locks: dict[str, anyio.Lock] = field(factory=dict, init=False)

    @asynccontextmanager
    async def alone_at(self, name: str) -> AsyncIterator[None]:
        """Be the only one of this server who makes or removes the workspace of that name."""
        lock = self._locks.setdefault(name, anyio.Lock())
        try:
            async with lock:
                yield
        finally:
            # Who waits has it already by now.
            if not lock.locked():
                self._locks.pop(name, None)
