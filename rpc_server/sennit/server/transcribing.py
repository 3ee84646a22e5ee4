"""Writes what an agent tells into a file for people, with the user's own paths."""

from __future__ import annotations

import logging
import os
from pathlib import Path

import anyio
import anyio.to_thread
from attrs import define, field

from sennit.core.agent_events import AgentEvent
from sennit.core.transcript import Transcript
from sennit.server.shown_paths import ShownPaths

logger = logging.getLogger(__name__)

# An agent without a sandbox may have put a link or a pipe there.
_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


@define(eq=False)
class Transcriber:
    """The transcript of one run; what is over ``limit`` bytes is dropped and said once.

    ``paths`` tells how those of the workspace are spelled: people know their own folders.
    """

    file: Path
    limit: int
    paths: ShownPaths
    _transcript: Transcript = field(factory=Transcript)
    _pending: list[str] = field(factory=list)
    _written: int = 0
    _writing: anyio.Lock = field(factory=anyio.Lock)

    def add(self, event: AgentEvent) -> None:
        """Take one event; it is written at the next ``flush``."""
        text = self._transcript.add(event)
        if text:
            self._pending.append(text)

    async def flush(self, *, whole: bool = False) -> None:
        """Write the lines that are complete, or everything when nothing more comes."""
        async with self._writing:
            text = "".join(self._pending)
            end = len(text) if whole else text.rfind("\n") + 1
            self._pending[:] = [text[end:]] if text[end:] else []
            if end:
                await anyio.to_thread.run_sync(self._write, self.paths.shown(text[:end]))

    def _write(self, text: str) -> None:
        data = text.encode("utf-8", "replace")
        room = self.limit - self._written
        if room <= 0:
            return
        try:
            self._append(data, room)
        except OSError as error:
            # The raw output is kept by the shim, which tells of a full disk.
            self.limit = 0
            logger.warning("Nothing more is written to %s: %s", self.file, error)

    def _append(self, data: bytes, room: int) -> None:
        if len(data) > room:
            data = data[:room] + b"\n(cut here: the rest is in the raw output, as far as kept)\n"
        self._written += len(data)
        descriptor = os.open(self.file, _FLAGS, 0o600)
        with os.fdopen(descriptor, "ab") as opened:
            opened.write(data)
