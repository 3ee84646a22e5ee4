"""Positions of LSP in a text: lines end at LF, CRLF or CR only, characters count in code units."""

from __future__ import annotations

import re

from attrs import frozen

from sennit.core.text import PositionEncoding

_LINE_END = re.compile(r"\r\n|\n|\r")
_BEYOND_UTF16_UNIT = 0xFFFF


@frozen
class OutOfText:
    """A position that lies in no line of the text: both sides do not see the same text."""

    line: int
    lines: int


def offset_of(text: str, line: int, character: int, encoding: PositionEncoding) -> int | OutOfText:
    """Give the index into ``text`` of a position, both from 0.

    A character beyond the end of the line is the end of the line, as LSP says; one in the middle
    of a code point is its start.
    """
    starts = line_starts(text)
    if line < 0 or line >= len(starts) or character < 0:
        return OutOfText(line, len(starts))
    start = starts[line]
    found = _LINE_END.search(text, start)
    content = text[start : found.start() if found else len(text)]
    return start + _index(content, character, encoding)


def line_starts(text: str) -> list[int]:
    """List the index at which each line begins; a text has at least one line."""
    return [0, *(found.end() for found in _LINE_END.finditer(text))]


def _index(content: str, units: int, encoding: PositionEncoding) -> int:
    if encoding is PositionEncoding.UTF32 or content.isascii():
        return min(units, len(content))
    count = 0
    for index, character in enumerate(content):
        count += _units(character, encoding)
        if count > units:
            return index
    return len(content)


def _units(character: str, encoding: PositionEncoding) -> int:
    if encoding is PositionEncoding.UTF16:
        return 2 if ord(character) > _BEYOND_UTF16_UNIT else 1
    return len(character.encode("utf-8", "surrogatepass"))
