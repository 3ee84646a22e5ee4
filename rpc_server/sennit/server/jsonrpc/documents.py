"""The open documents of one connection, as LSP's document synchronisation tells them.

A text is either exactly the editor's or unknown, never a guess: a change that was lost, cannot be
read or does not fit makes it unknown until the document is opened again or sent whole.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from attrs import evolve, frozen

from sennit.core.text import PositionEncoding
from sennit.server import lsp_words as types
from sennit.server.jsonrpc.text_positions import OutOfText, offset_of

logger = logging.getLogger(__name__)
_HALF_OF_A_PAIR = re.compile("[\ud800-\udfff]")


@frozen
class Document:
    """An open document.

    ``characters`` are the editor's, which may hold half of a surrogate pair; ``None``: unknown.
    """

    uri: str
    language_id: str
    version: int
    characters: str | None

    @property
    def text(self) -> str | None:
        """The text as it can be written to a file; ``None`` while it is unknown."""
        if self.characters is None or self.characters.isascii():
            return self.characters
        return None if _HALF_OF_A_PAIR.search(self.characters) else self.characters


class Documents:
    """All open documents by URI, exactly as the client spelled it."""

    def __init__(self) -> None:
        self._open: dict[str, Document] = {}
        self.encoding = PositionEncoding.UTF16

    def get(self, uri: str) -> Document | None:
        """Give an open document."""
        return self._open.get(uri)

    def all(self) -> Mapping[str, Document]:
        """Give what is open now, as a value of its own."""
        return MappingProxyType(dict(self._open))

    def is_unknown(self, uri: str) -> bool:
        """Tell whether the document is open, but its text is not known."""
        document = self._open.get(uri)
        return document is not None and document.text is None

    def opened(self, params: types.DidOpenTextDocumentParams) -> None:
        """Take ``textDocument/didOpen``."""
        item = params.text_document
        self._open[item.uri] = Document(item.uri, item.language_id, item.version, item.text)

    def closed(self, params: types.DidCloseTextDocumentParams) -> None:
        """Take ``textDocument/didClose``."""
        self._open.pop(params.text_document.uri, None)

    def changed(self, params: types.DidChangeTextDocumentParams) -> None:
        """Take ``textDocument/didChange``, incremental or whole."""
        uri, version = params.text_document.uri, params.text_document.version
        before = self._open.get(uri)
        if before is None:
            logger.warning("change of a document that is not open: %s", uri)
            return
        known = before.characters
        if version < before.version:
            logger.warning("change %d of %s came after %d", version, uri, before.version)
            known = None
        text = _changed(known, params.content_changes, self.encoding)
        if text is None and before.characters is not None:
            logger.warning("the text of %s is unknown until it is sent whole", uri)
        self._open[uri] = evolve(before, version=version, characters=text)

    def lost(self, uri: str | None) -> None:
        """Take note that a change of ``uri`` could not be read; ``None``: of any document."""
        for lost in [uri] if uri is not None else list(self._open):
            if (document := self._open.get(lost)) is not None:
                logger.warning("a change of %s was lost; its text is unknown", lost)
                self._open[lost] = evolve(document, characters=None)


def _changed(
    text: str | None,
    changes: Sequence[types.TextDocumentContentChangeEvent],
    encoding: PositionEncoding,
) -> str | None:
    for change in changes:
        if isinstance(change, types.TextDocumentContentChangeWholeDocument):
            text = change.text
        elif text is not None:
            text = _replaced(text, change, encoding)
    return text


def _replaced(
    text: str, change: types.TextDocumentContentChangePartial, encoding: PositionEncoding
) -> str | None:
    first, last = change.range.start, change.range.end
    start = offset_of(text, first.line, first.character, encoding)
    end = offset_of(text, last.line, last.character, encoding)
    if isinstance(start, OutOfText) or isinstance(end, OutOfText) or start > end:
        return None
    return text[:start] + change.text + text[end:]
