"""The editor's open buffers as the git side wants them: by path, with the text as it is now."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping

from attrs import evolve, frozen

from sennit.core.objects import OpenDocument
from sennit.core.uris import file_path
from sennit.server.jsonrpc.connection import Connection
from sennit_protocol.review import DocumentInfoParams


@frozen
class Buffer:
    """An open document by its URI as the client spells it.

    ``named`` is the path in the URI; it differs from the document's where the file is a link.
    ``also`` are other URIs under which the same file is open.
    """

    uri: str
    document: OpenDocument
    named: bytes
    also: tuple[str, ...] = ()


def open_buffers(
    connection: Connection, told: Mapping[str, DocumentInfoParams]
) -> dict[bytes, Buffer]:
    """All open documents that are files, by the absolute path that saving them would write to.

    ``told`` is what the client has said of documents by ``sennit/documentInfo``. Of a file that
    is open under two URIs with two texts nobody knows which one counts: its text is unknown.
    """
    found: dict[bytes, Buffer] = {}
    for uri, document in connection.documents.all().items():
        path = path_of(uri)
        if path is None:
            continue
        info = told.get(uri)
        buffer = Buffer(
            uri,
            OpenDocument(
                path=os.path.realpath(path),
                version=document.version,
                text=document.text,
                encoding=None if info is None else info.encoding,
            ),
            named=real_path(path),
        )
        found[buffer.document.path] = _joined(found.get(buffer.document.path), buffer)
    return found


def _joined(known: Buffer | None, buffer: Buffer) -> Buffer:
    if known is None:
        return buffer
    joined = evolve(buffer, also=(*known.also, known.uri))
    if known.document.text == buffer.document.text:
        return joined
    return evolve(joined, document=evolve(buffer.document, text=None))


def path_of(uri: str) -> bytes | None:
    """The absolute path that a ``file:`` URI names; None for every other one, and for bad ones."""
    try:
        path = file_path(uri)
    except ValueError:
        # Half of a surrogate pair, or a host that is none.
        return None
    if path is None or not path.startswith(b"/") or b"\0" in path:
        return None
    return path


def saved_path(uri: str) -> bytes | None:
    """The path that saving a document of this URI would write to; None where it is no file."""
    path = path_of(uri)
    return None if path is None else os.path.realpath(path)


def is_open(buffers: Mapping[bytes, Buffer], path: bytes) -> bool:
    """Whether an editor has the file, or the link of that name, open."""
    return path in buffers or any(buffer.named == path for buffer in buffers.values())


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
