"""``sennit/taskOutput``: what agents write, in pieces, for clients that asked for it."""

from __future__ import annotations

import codecs
from pathlib import Path

import anyio.to_thread
from attrs import define, field

from sennit.adapters.small_files import regular_file
from sennit.core.engine.rows import RunRow
from sennit.server.services import Services
from sennit.server.shown_paths import shown_paths
from sennit_protocol.ids import RunId
from sennit_protocol.texts import Stream
from sennit_protocol.told import TaskOutput

LARGEST_PIECE = 64 * 1024
SHOWN = (Stream.STDOUT, Stream.STDERR)


@define(eq=False)
class _Reader:
    """How far one output has been sent; a character that is not whole yet waits for its rest."""

    offset: int = 0
    decoder: codecs.IncrementalDecoder = field(
        factory=lambda: codecs.getincrementaldecoder("utf-8")("replace")
    )


@define(eq=False)
class OutputSender:
    """Sends the outputs of runs, each byte once and in order."""

    _services: Services
    _readers: dict[tuple[RunId, Stream], _Reader] = field(factory=dict, init=False)

    async def send(self, run: RunRow) -> None:
        """Send what a run has written since the last time."""
        connection = self._services.connection
        if not connection.client.sennit.output:
            return
        for stream in SHOWN:
            while not connection.congested and await self._piece(run, stream):
                pass
        if run.ended_at is not None and not connection.congested:
            for stream in SHOWN:
                self._readers.pop((run.id, stream), None)

    async def _piece(self, run: RunRow, stream: Stream) -> bool:
        """Send the next piece; tells whether there was one."""
        reader = self._readers.setdefault((run.id, stream), _Reader())
        file = self._services.output_file(run.id, stream)
        paths = shown_paths(self._services, run.id)
        data = await anyio.to_thread.run_sync(_read, file, reader.offset)
        if run.ended_at is None or len(data) == LARGEST_PIECE:
            data = paths.whole(data)
        if not data:
            return False
        text = reader.decoder.decode(paths.put_back(data))
        if text:
            piece = TaskOutput(run.ticket, run.task, run.id, stream, reader.offset, text)
            self._services.connection.notify("sennit/taskOutput", piece)
        reader.offset += len(data)
        return True


def _read(file: Path, offset: int) -> bytes:
    with regular_file(file) as opened:
        if opened is None:
            return b""
        opened.seek(offset)
        return opened.read(LARGEST_PIECE)
