"""Reading from and writing to two file descriptors without ever blocking the loop."""

from __future__ import annotations

import asyncio
import os
from collections import deque
from collections.abc import Callable

import anyio
from anyio import wait_writable

READ_SIZE = 256 * 1024
CONGESTED = 16 * 1024 * 1024
"""Bytes waiting to be read by the client above which chatter should be held back."""


Take = Callable[[bytes], bool]
"""Takes bytes in; true: it holds more to do, and wants the next turn of the loop for it."""


class Source:
    """The bytes that come from the client.

    They are handed over by a call of the loop and not to a task that waits for them: to wake one
    takes a turn of the loop and two objects for each message, a good part of a small request.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._loop = asyncio.get_running_loop()
        self._ended: asyncio.Future[None] = self._loop.create_future()
        self._is_watched = False
        self._is_busy = False

    async def pour(self, take: Take, first: bytes) -> None:
        """Give ``take`` these bytes and then all that arrive, until the stream ends or breaks.

        While ``take`` is busy it is called once a turn, without bytes, so that a burst of messages
        does not starve their handlers, and what comes is left to the kernel. What it raises is
        raised here.
        """
        self._give(take, first)
        try:
            await self._ended
        finally:
            self.close()

    def close(self) -> None:
        """Stop watching the descriptor."""
        if self._is_watched:
            self._loop.remove_reader(self._descriptor)
            self._is_watched = False

    def _give(self, take: Take, data: bytes) -> None:
        if self._ended.done():
            return
        try:
            self._is_busy = take(data)
        except BaseException as error:  # noqa: BLE001  raised again where the end is awaited
            self._ended.set_exception(error)
            return
        if self._is_busy:
            self._loop.call_soon(self._give, take, b"")
        elif not self._is_watched:
            self._watch(take)

    def _watch(self, take: Take) -> None:
        # The loop is told once, while `anyio.wait_readable` would tell it twice for each message:
        # two system calls of the few that a request takes.
        try:
            self._loop.add_reader(self._descriptor, self._on_readable, take)
            self._is_watched = True
        except PermissionError:
            # Regular files and /dev/null cannot be watched; they can always be read.
            self._loop.call_soon(self._on_readable, take)

    def _on_readable(self, take: Take) -> None:
        if self._is_busy or self._ended.done():
            self.close()
            return
        data = self._read()
        if data:
            self._give(take, data)
        elif data is not None:
            self._ended.set_result(None)

    def _read(self) -> bytes | None:
        """What has come; nothing at the end of the stream, None if it was a false alarm."""
        try:
            return os.read(self._descriptor, READ_SIZE)
        except BlockingIOError:
            # The client made the pipe non-blocking, as some runtimes do.
            return None
        except OSError:
            # A broken pipe or a terminal that hung up (EIO): nobody is at the other end any more.
            return b""


class Sink:
    """The bytes that go to the client: sent at once if they fit, else by ``run``, in order."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._waiting: deque[memoryview] = deque()
        self._backlog = 0
        self._wake = anyio.Event()
        self.broken = anyio.Event()
        """Set once nobody reads any more."""
        self._blocking = os.get_blocking(descriptor)
        os.set_blocking(descriptor, False)

    def send(self, data: bytes) -> None:
        """Send a whole message; it is dropped if nobody reads any more."""
        if self.broken.is_set():
            return
        rest = memoryview(data)
        if not self._waiting:
            rest = rest[self._write(rest) :]
        if rest and not self.broken.is_set():
            self._waiting.append(rest)
            self._backlog += len(rest)
            self._wake.set()

    @property
    def congested(self) -> bool:
        """Whether the client is far behind in reading."""
        return self._backlog > CONGESTED

    async def run(self) -> None:
        """Write what did not fit at once, for ever."""
        while True:
            await self._wake.wait()
            await self._drain()
            self._wake = anyio.Event()

    async def flush(self) -> None:
        """Write all that waits; the caller sets a time limit and has ended ``run``."""
        await self._drain()

    def close(self) -> None:
        """Give the descriptor back as it was, for it may be shared, with a terminal above all."""
        os.set_blocking(self._descriptor, self._blocking)

    async def _drain(self) -> None:
        while self._waiting and not self.broken.is_set():
            await wait_writable(self._descriptor)
            if not self._waiting:
                return
            part = self._waiting[0]
            written = self._write(part)
            self._backlog -= written
            if written == len(part):
                self._waiting.popleft()
            else:
                self._waiting[0] = part[written:]

    def _write(self, data: memoryview) -> int:
        try:
            return os.write(self._descriptor, data)
        except BlockingIOError:
            return 0
        except OSError:
            # A broken pipe or connection: the reader is gone, which the pump takes as the end.
            self.broken.set()
            self._waiting.clear()
            self._backlog = 0
            return 0
