"""Keeps in the database which documents are unsaved here: other servers leave them alone."""

from __future__ import annotations

import os
from pathlib import Path

import anyio
import anyio.to_thread
from attrs import define, field

from sennit.adapters.git.file_texts import text_of
from sennit.core.engine.events import DocumentUnsaved
from sennit.core.engine.rows import OpenDocumentRow
from sennit.core.stored import StoreProblem
from sennit.server.applying.texts import text_digest
from sennit.server.open_documents import Buffer, open_buffers
from sennit.server.services import Services

QUIET_S = 0.05
UNKNOWN = ""


@define(eq=False)
class DocumentSharer:
    """Compares documents that were touched with the disk, a moment later, one after the other."""

    _services: Services
    _touched: dict[bytes, None] = field(factory=dict, init=False)
    _woken: anyio.Event = field(factory=anyio.Event, init=False)

    def touch(self, path: bytes) -> None:
        """Look at a document again soon."""
        self._touched[path] = None
        self._woken.set()

    async def run(self) -> None:
        """Share until cancelled."""
        while True:
            await self._woken.wait()
            self._woken = anyio.Event()
            touched, self._touched = self._touched, {}
            buffers = open_buffers(self._services.connection, self._services.told)
            for path in touched:
                await self._share(path, buffers.get(path))
            await anyio.sleep(QUIET_S)

    async def _share(self, path: bytes, buffer: Buffer | None) -> None:
        services = self._services
        digest = None if buffer is None else await self._unsaved_digest(path, buffer)
        known = services.state.get(OpenDocumentRow, f"{services.server}:{path.hex()}")
        if (known is None) == (digest is None):
            # Which text it is makes no difference to others, and each keystroke would be stored.
            return
        outcome = await services.tell(
            DocumentUnsaved, server=services.server, path=path, sha256=digest
        )
        if isinstance(outcome, StoreProblem):
            self.touch(path)

    async def _unsaved_digest(self, path: bytes, buffer: Buffer) -> str | None:
        """The digest of an unsaved text; None for a saved one.

        A text that cannot be compared counts as unsaved unless the editor has said that it is not:
        nobody's work may be written over.
        """
        info = self._services.told.get(buffer.uri)
        text, told = buffer.document.text, buffer.document.encoding
        if text is not None:
            saved = await anyio.to_thread.run_sync(_on_disk, path, told)
            if saved is not None:
                same = text_digest(saved) == text_digest(text)
                return None if same else text_digest(text)
        dirty = info is None or info.dirty is not False
        return (UNKNOWN if text is None else text_digest(text)) if dirty else None


def _on_disk(path: bytes, told: str | None) -> str | None:
    """The text on the disk; None where there is none that could be compared."""
    try:
        content = Path(os.fsdecode(path)).read_bytes()
    except OSError:
        return None
    text = text_of(content, None, told)
    return None if text is None else text.text
