from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sennit.core.output_formats.lines import Lines, plain


def split(*pieces: bytes, longest: int = 1_000) -> list[str]:
    lines = Lines(longest)
    found = [line for piece in pieces for line in lines.feed(piece)]
    return [*found, *lines.end()]


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", []),
        (b"\n", [""]),
        (b"a\nb\n", ["a", "b"]),
        (b"a\r\nb\r\n", ["a", "b"]),
        (b"a\nb", ["a", "b"]),
        (b"a\rb\n", ["a\rb"]),
        (b"\xff\xfea\n", ["\ufffd\ufffda"]),
        (b"\xe2\x82", ["\ufffd"]),
        ("a\u2028b\x0cc\n".encode(), ["a\u2028b\x0cc"]),
        (b"\x1b[1;31mred\x1b[0m\n", ["red"]),
        (b"\x1b]0;title\x07{}\n", ["{}"]),
        (b"\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\\n", ["link"]),
        (b"\x1b[?25l\x1b(B\x1b=x\x1b\n", ["x"]),
        ("\x9b1mx".encode(), ["x"]),
    ],
)
def test_lines_are_cut_at_line_feeds_and_cleaned(data: bytes, expected: list[str]) -> None:
    assert split(data) == expected


def test_the_end_of_a_line_may_come_in_a_later_piece() -> None:
    lines = Lines()
    assert lines.feed(b'{"a":') == []
    assert lines.feed(b"1}\r") == []
    assert lines.feed(b"\n\xe2\x82") == ['{"a":1}']
    assert lines.feed(b"\xac\n") == ["€"]
    assert lines.end() == []


def test_of_a_line_that_is_too_long_the_beginning_is_kept_and_its_length_told() -> None:
    (line, after) = split(b"x" * 700, b"y" * 700, b"\nz", longest=1_000)
    assert line.startswith("x" * 700 + "y" * 300 + " ")
    assert "a line of 1400 characters" in line
    assert after == "z"


def test_an_escape_sequence_that_never_ends_hides_nothing_of_the_next_line() -> None:
    assert split(b"\x1b]0;title\n{}\n") == ["0;title", "{}"]


@given(st.binary(max_size=200), st.lists(st.integers(0, 200), max_size=8))
def test_where_the_pieces_are_cut_changes_nothing(data: bytes, cuts: list[int]) -> None:
    places = sorted({0, len(data), *(min(cut, len(data)) for cut in cuts)})
    pieces = [data[one:other] for one, other in pairwise(places)]
    assert split(*pieces, longest=50) == split(data, longest=50)


@given(st.text())
def test_plain_text_has_no_escapes(text: str) -> None:
    assert "\x1b" not in plain(text)


def test_hostile_escapes_do_not_take_long() -> None:
    assert plain("\x1b]" * 100_000 + "x" * 100_000).endswith("x")
