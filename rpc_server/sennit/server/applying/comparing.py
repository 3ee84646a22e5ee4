"""Tells by the texts themselves what became of an edit; answers of editors are not believed."""

from __future__ import annotations

import os
from enum import Enum, auto
from pathlib import Path

import anyio.to_thread

from sennit.core.engine.rows import Image, RepositoryRef
from sennit.server.applying.texts import content_digest, text_digest
from sennit.server.open_documents import open_buffers, path_of
from sennit.server.services import Services
from sennit_protocol.ids import ApplicationId


class Look(Enum):
    """Which of its two states a file is in, as far as anyone can tell."""

    BEFORE = auto()
    AFTER = auto()
    OTHER = auto()


async def look_at(
    services: Services, ref: RepositoryRef, application: ApplicationId, image: Image
) -> Look:
    """Compare what the editor holds, else the disk, with the two states of a file."""
    full = ref.top + b"/" + image.path
    if image.after_sha256 is None and not await anyio.to_thread.run_sync(os.path.lexists, full):
        # Some editors keep a buffer whose file they have deleted.
        return Look.AFTER
    found = await held_digest(services, application, full)
    if found == image.after_sha256:
        return Look.AFTER
    return Look.BEFORE if found == image.before_sha256 else Look.OTHER


async def held_digest(
    services: Services, application: ApplicationId | None, path: bytes
) -> str | None:
    """The digest of what a file holds now; None where there is none, empty where nobody knows.

    An open document counts, else what the client has reported by ``sennit/didApply``, else the
    disk.
    """
    buffer = open_buffers(services.connection, services.told).get(path)
    if buffer is not None and buffer.document.text is not None:
        return text_digest(buffer.document.text)
    reported = _reported(services, application, path)
    if buffer is not None or reported is not None:
        return reported or ""
    return await anyio.to_thread.run_sync(_digest_on_disk, path)


def _reported(services: Services, application: ApplicationId | None, path: bytes) -> str | None:
    report = None if application is None else services.reports.get(application)
    documents = () if report is None else report.documents
    for document in documents:
        named = path_of(document.uri)
        if named is not None and path in {named, os.path.realpath(named)}:
            return document.sha256
    return None


def _digest_on_disk(path: bytes) -> str | None:
    file = Path(os.fsdecode(path))
    try:
        content = os.fsencode(file.readlink()) if file.is_symlink() else file.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError:
        # It is there and cannot be read, so nobody knows what it holds.
        return ""
    return content_digest(content)
