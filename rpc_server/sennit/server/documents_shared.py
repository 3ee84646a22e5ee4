"""Keeps in the database which documents are unsaved here: other servers leave them alone."""

from __future__ import annotations

import os
from hashlib import sha256
from pathlib import Path

import anyio
import anyio.to_thread
from attrs import define, field

from sennit.core.engine.events import DocumentUnsaved
from sennit.core.engine.rows import OpenDocumentRow
from sennit.server.open_documents import open_buffers
from sennit.server.services import Services

QUIET_S = 0.05


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
            for path in touched:
                await self._share(path)
            await anyio.sleep(QUIET_S)

    async def _share(self, path: bytes) -> None:
        services = self._services
        buffer = open_buffers(services.connection, services.told).get(path)
        text = None if buffer is None else buffer.document.text
        digest = None
        if text is not None and not await anyio.to_thread.run_sync(_equals_disk, path, text):
            digest = sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
        known = services.state.get(OpenDocumentRow, f"{services.server}:{path.hex()}")
        if (known is None) != (digest is None):
            await services.tell(DocumentUnsaved, server=services.server, path=path, sha256=digest)


def _equals_disk(path: bytes, text: str) -> bool:
    try:
        content = Path(os.fsdecode(path)).read_bytes()
    except OSError:
        return False
    try:
        return content.decode("utf-8-sig") == text.removeprefix("\ufeff")
    except UnicodeDecodeError:
        # Another encoding: editors tell by their own means whether it is saved, we cannot.
        return True
