"""The editor's open buffers as the git side wants them: by path, with the text as it is now."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping

from attrs import evolve, frozen
from sennit_protocol.review import DocumentInfoParams

from sennit.core.objects import OpenDocument
from sennit.core.uris import file_path
from sennit.server.jsonrpc.connection import Connection


@frozen
class Buffer:
    """An open document by its URI as the client spells it."""

    uri: str
    document: OpenDocument


def open_buffers(
    connection: Connection, told: Mapping[str, DocumentInfoParams]
) -> dict[bytes, Buffer]:
    """All open documents that are files, by absolute real path; the folder's links are followed.

    ``told`` is what the client has said of documents by ``sennit/documentInfo``.
    """
    found: dict[bytes, Buffer] = {}
    for uri, document in connection.documents.all().items():
        path = file_path(uri)
        if path is None:
            continue
        info = told.get(uri)
        buffer = OpenDocument(
            path=real_path(path),
            version=document.version,
            text=document.text,
            encoding=None if info is None else info.encoding,
        )
        found[buffer.path] = Buffer(uri, buffer)
    return found


def real_path(path: bytes) -> bytes:
    """The path with links in its folder followed; the file itself may be a link of the tree."""
    folder, name = os.path.split(path)
    return os.path.join(os.path.realpath(folder), name)  # noqa: PTH118  paths are bytes


def below(top: bytes, documents: Iterable[OpenDocument]) -> tuple[OpenDocument, ...]:
    """Those documents that lie below a folder, with paths relative to it."""
    found = []
    for document in documents:
        relative = relative_to(top, document.path)
        if relative is not None:
            found.append(evolve(document, path=relative))
    return tuple(found)


def relative_to(top: bytes, path: bytes) -> bytes | None:
    """The path below ``top``, by components; None when it lies elsewhere."""
    prefix = top.rstrip(b"/") + b"/"
    return path[len(prefix) :] if path.startswith(prefix) else None
