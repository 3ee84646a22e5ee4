from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lsprotocol import types

from sennit.core.text import PositionEncoding
from sennit.server.jsonrpc.documents import Documents
from sennit.server.jsonrpc.text_positions import OutOfText, line_starts, offset_of

URI = "file:///a"
CODECS = {
    PositionEncoding.UTF8: "utf-8",
    PositionEncoding.UTF16: "utf-16-le",
    PositionEncoding.UTF32: "utf-32-le",
}
UNIT = {PositionEncoding.UTF8: 1, PositionEncoding.UTF16: 2, PositionEncoding.UTF32: 4}
texts = st.text(st.sampled_from("ab\n\ré😀\u2028\x0b\x0c\x85"), max_size=12)
encodings = st.sampled_from(PositionEncoding)


def opened(text: str, encoding: PositionEncoding = PositionEncoding.UTF16) -> Documents:
    documents = Documents()
    documents.encoding = encoding
    item = types.TextDocumentItem(URI, "plain", 1, text)
    documents.opened(types.DidOpenTextDocumentParams(item))
    return documents


def change(
    documents: Documents, version: int, *changes: types.TextDocumentContentChangeEvent
) -> str | None:
    identifier = types.VersionedTextDocumentIdentifier(version, URI)
    documents.changed(types.DidChangeTextDocumentParams(identifier, list(changes)))
    document = documents.get(URI)
    assert document is not None
    return document.text


def part(
    start: types.Position, end: types.Position, text: str
) -> types.TextDocumentContentChangePartial:
    return types.TextDocumentContentChangePartial(types.Range(start, end), text)


def position(text: str, offset: int, encoding: PositionEncoding) -> types.Position:
    starts = [start for start in line_starts(text) if start <= offset]
    units = len(text[starts[-1] : offset].encode(CODECS[encoding])) // UNIT[encoding]
    return types.Position(len(starts) - 1, units)


def can_be_named(text: str, offset: int) -> bool:
    """LSP has no position between CR and LF."""
    return text[offset - 1 : offset + 1] != "\r\n"


@given(texts, texts, st.integers(0, 12), st.integers(0, 12), encodings)
def test_an_incremental_change_gives_the_text_of_the_editor(
    text: str, new: str, one: int, other: int, encoding: PositionEncoding
) -> None:
    start, end = sorted((min(one, len(text)), min(other, len(text))))
    if not (can_be_named(text, start) and can_be_named(text, end)):
        return
    documents = opened(text, encoding)
    first, last = position(text, start, encoding), position(text, end, encoding)
    assert change(documents, 2, part(first, last, new)) == text[:start] + new + text[end:]


def test_only_lf_crlf_and_cr_end_a_line() -> None:
    assert line_starts("a\r\nb\rc\nd\u2028e\x0bf\x0cg\x85") == [0, 3, 5, 7]


@pytest.mark.parametrize(
    ("encoding", "character", "index"),
    [
        (PositionEncoding.UTF8, 5, 2),
        (PositionEncoding.UTF16, 3, 2),
        (PositionEncoding.UTF32, 2, 2),
        (PositionEncoding.UTF16, 2, 1),
        (PositionEncoding.UTF8, 99, 3),
        (PositionEncoding.UTF16, 99, 3),
        (PositionEncoding.UTF32, 99, 3),
    ],
)
def test_characters_count_in_units_of_the_encoding(
    encoding: PositionEncoding, character: int, index: int
) -> None:
    assert offset_of("a😀b\nc", 0, character, encoding) == index


def test_a_line_beyond_the_text_is_outside() -> None:
    assert offset_of("a\n", 1, 0, PositionEncoding.UTF16) == 2
    assert offset_of("a\n", 2, 0, PositionEncoding.UTF16) == OutOfText(2, 2)


def test_several_changes_build_upon_each_other() -> None:
    origin = types.Position(0, 0)
    changes = [part(origin, origin, "b"), part(origin, origin, "a")]
    assert change(opened("c"), 2, *changes) == "abc"


def test_a_change_before_its_predecessor_makes_the_text_unknown() -> None:
    documents = opened("c")
    whole = types.TextDocumentContentChangeWholeDocument
    origin = types.Position(0, 0)
    assert change(documents, 5, whole("x")) == "x"
    assert change(documents, 4, part(origin, origin, "a")) is None
    assert documents.is_unknown(URI)
    assert change(documents, 6, whole("y")) == "y"
    assert not documents.is_unknown(URI)


def test_a_range_that_ends_before_it_starts_makes_the_text_unknown() -> None:
    backwards = part(types.Position(0, 1), types.Position(0, 0), "x")
    assert change(opened("abc"), 2, backwards) is None


def test_a_text_that_no_encoding_can_write_is_unknown_until_it_is_mended() -> None:
    documents = opened("a\ud83d")
    assert documents.is_unknown(URI)
    second = types.Position(0, 1)
    assert change(documents, 2, part(second, types.Position(0, 2), "b")) == "ab"


def test_a_lost_change_of_an_unknown_document_makes_all_unknown() -> None:
    documents = opened("a")
    documents.lost(None)
    assert documents.is_unknown(URI)


def test_a_closed_document_is_neither_known_nor_unknown() -> None:
    documents = opened("a")
    before = documents.all()
    documents.closed(types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(URI)))
    assert documents.get(URI) is None
    assert not documents.is_unknown(URI)
    assert before[URI].text == "a"
