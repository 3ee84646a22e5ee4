"""Lines of git and lines of LSP; positions in three encodings."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sennit.core.text import (
    LineEnding,
    Position,
    PositionEncoding,
    TextIndex,
    git_lines,
    line_ending,
    lsp_lines,
    with_line_ending,
)

TEXTS = st.text(st.sampled_from("ab\r\n\u2028\x0b\x85é😀"), max_size=40)


@given(st.binary(max_size=60) | st.text("a\r\n", max_size=30).map(str.encode))
def test_joining_the_lines_of_git_gives_the_bytes_back(data: bytes) -> None:
    lines = git_lines(data)
    assert b"".join(lines) == data
    assert all(line.endswith(b"\n") for line in lines[:-1])
    assert all(line.count(b"\n") <= 1 for line in lines)


@given(TEXTS)
def test_joining_the_lines_of_lsp_gives_the_text_back(text: str) -> None:
    assert "".join(lsp_lines(text)) == text


def test_only_lf_crlf_and_cr_end_a_line_of_lsp() -> None:
    assert lsp_lines("a\nb\r\nc\rd\u2028e\x0bf") == ["a\n", "b\r\n", "c\r", "d\u2028e\x0bf"]


@pytest.mark.parametrize(
    ("data", "ending"),
    [
        (b"", LineEnding.NONE),
        (b"a\rb", LineEnding.NONE),
        (b"a\nb", LineEnding.LF),
        (b"a\r\nb\r\n", LineEnding.CRLF),
        (b"a\r\nb\n", LineEnding.MIXED),
    ],
)
def test_the_line_ending_of_a_file_is_what_all_its_lines_share(
    data: bytes, ending: LineEnding
) -> None:
    assert line_ending(data) is ending


@given(st.text("a\r\n", max_size=30).map(str.encode))
def test_an_ending_given_twice_is_given_once(data: bytes) -> None:
    crlf = with_line_ending(data, LineEnding.CRLF)
    assert with_line_ending(crlf, LineEnding.CRLF) == crlf
    assert line_ending(crlf) in {LineEnding.CRLF, LineEnding.NONE}


@given(TEXTS, st.sampled_from(PositionEncoding), st.data())
def test_a_position_survives_every_encoding(
    text: str, encoding: PositionEncoding, data: st.DataObject
) -> None:
    index = TextIndex(text)
    offset = data.draw(st.integers(0, len(text)))
    between = text[max(offset - 1, 0) : offset + 1] == "\r\n"
    position = index.position(offset)
    if not between:
        assert index.offset(position) == offset
    assert index.decoded(index.encoded(position, encoding), encoding) == position


def test_characters_are_counted_in_units_of_the_encoding() -> None:
    index = TextIndex("x\né😀z")
    at_z = Position(1, 2)
    counts = {encoding: index.encoded(at_z, encoding).character for encoding in PositionEncoding}
    assert counts == {
        PositionEncoding.UTF8: 6,
        PositionEncoding.UTF16: 3,
        PositionEncoding.UTF32: 2,
    }


def test_a_position_inside_a_character_means_before_it() -> None:
    assert TextIndex("😀z").decoded(Position(0, 1), PositionEncoding.UTF16) == Position(0, 0)


def test_a_position_past_the_end_of_a_line_means_its_end() -> None:
    index = TextIndex("ab\r\nc")
    assert index.offset(Position(0, 99)) == 2
    assert index.offset(Position(9, 0)) == 5
