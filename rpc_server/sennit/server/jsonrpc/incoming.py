"""The requests of the client that are being worked on, and the order of its notifications."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable

import anyio

from sennit.server.jsonrpc.envelopes import Id

logger = logging.getLogger(__name__)


class InFlight:
    """The open requests: each is settled exactly once."""

    def __init__(self) -> None:
        self._scopes: dict[Id, anyio.CancelScope] = {}
        self._settled = anyio.Event()

    def __contains__(self, id_: Id) -> bool:
        return id_ in self._scopes

    def __len__(self) -> int:
        return len(self._scopes)

    @property
    def ids(self) -> tuple[Id, ...]:
        """The open requests."""
        return tuple(self._scopes)

    def open(self, id_: Id) -> anyio.CancelScope:
        """Note a request before its handler starts, so that a cancel finds it from the start."""
        scope = self._scopes[id_] = anyio.CancelScope()
        return scope

    def settle(self, id_: Id) -> bool:
        """Take a request out; false if it was settled before."""
        settled = self._scopes.pop(id_, None) is not None
        self._settled.set()
        return settled

    def cancel(self, id_: Id) -> None:
        """Cancel the handler of a request; nothing happens if it is not open."""
        if (scope := self._scopes.get(id_)) is not None:
            scope.cancel()

    def cancel_all(self, but: Id | None) -> None:
        """Cancel every handler except that of one request."""
        for id_, scope in list(self._scopes.items()):
            if id_ != but:
                scope.cancel()

    async def settled_within(self, seconds: float, but: Id | None) -> tuple[Id, ...]:
        """Wait until none is left except that one; gives those that are open all the same."""
        with anyio.move_on_after(seconds):
            while self._left(but):
                self._settled = anyio.Event()
                await self._settled.wait()
        return self._left(but)

    def _left(self, but: Id | None) -> tuple[Id, ...]:
        return tuple(id_ for id_ in self._scopes if id_ != but)


class Sequence:
    """Runs the handlers of notifications one after the other."""

    def __init__(self) -> None:
        self._send, self._receive = anyio.create_memory_object_stream[
            Callable[[], Awaitable[object]]
        ](float("inf"))
        self._arrived = 0
        self._done = 0
        self._progress = anyio.Event()

    @property
    def arrived(self) -> int:
        """How many notifications have arrived so far."""
        return self._arrived

    def add(self, call: Callable[[], Awaitable[object]]) -> None:
        """Put a handler at the end."""
        self._arrived += 1
        self._send.send_nowait(call)

    async def wait_for(self, count: int) -> None:
        """Wait until the first ``count`` are done."""
        while self._done < count:
            await self._progress.wait()

    async def run(self) -> None:
        """Run them, for ever. An error of one is logged and stops none of the others."""
        with self._send, self._receive:
            async for call in self._receive:
                try:
                    await call()
                except Exception:  # a handler's bug must not end the connection
                    logger.exception("the handler of a notification failed")
                self._done += 1
                self._progress.set()
                self._progress = anyio.Event()
