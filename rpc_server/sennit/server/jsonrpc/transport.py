"""Reading from and writing to two file descriptors without ever blocking the loop."""

from __future__ import annotations

import asyncio
import os
from collections import deque

import anyio
from anyio import wait_writable

READ_SIZE = 256 * 1024
CONGESTED = 16 * 1024 * 1024
"""Bytes waiting to be read by the client above which chatter should be held back."""


class Source:
    """The bytes that come from the client."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._arrived = anyio.Event()
        self._data = b""
        self._is_watched = False
        self._can_be_watched = True

    async def receive(self) -> bytes:
        """Wait for the next bytes; none is the end of the stream, also when it broke."""
        if not self._is_watched and self._can_be_watched:
            self._watch()
        if not self._can_be_watched:
            await anyio.lowlevel.checkpoint()
            return self._read()
        await self._arrived.wait()
        self._arrived = anyio.Event()
        return self._data

    def close(self) -> None:
        """Stop watching the descriptor."""
        if self._is_watched:
            asyncio.get_running_loop().remove_reader(self._descriptor)
            self._is_watched = False

    def _watch(self) -> None:
        # The loop is told once, while `anyio.wait_readable` would tell it twice for each message:
        # two system calls of the few that a request takes.
        try:
            asyncio.get_running_loop().add_reader(self._descriptor, self._on_readable)
            self._is_watched = True
        except PermissionError:
            # Regular files and /dev/null cannot be watched; they can always be read.
            self._can_be_watched = False

    def _on_readable(self) -> None:
        if self._arrived.is_set():
            # What came before is not taken yet: leave the rest to the kernel until it is.
            self.close()
            return
        self._data = self._read()
        self._arrived.set()
        if not self._data:
            self.close()

    def _read(self) -> bytes:
        try:
            return os.read(self._descriptor, READ_SIZE)
        except ConnectionError:
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
