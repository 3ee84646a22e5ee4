"""Lines of bytes as git counts them, and lines and positions of text as LSP counts them.

git ends a line at LF alone; everything else, CR too, is content of the line. LSP ends a line at
LF, CR LF or a lone CR. Joining what either function here returns gives back exactly what went in.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from enum import StrEnum
from itertools import accumulate

from attrs import frozen

_LSP_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")


def git_lines(data: bytes) -> list[bytes]:
    """Cut into lines that keep their LF; the last has none where the file ends without one."""
    lines = data.split(b"\n")
    last = lines.pop()
    kept = [line + b"\n" for line in lines]
    return [*kept, last] if last else kept


def lsp_lines(text: str) -> list[str]:
    """Cut into lines that keep their end (LF, CR LF or CR), as LSP 3.17 defines them."""
    return _LSP_LINE.findall(text)


class LineEnding(StrEnum):
    """How the lines of a file end."""

    LF = "lf"
    CRLF = "crlf"
    MIXED = "mixed"
    NONE = "none"


def line_ending(data: bytes) -> LineEnding:
    """Tell the line ending that all lines share, ``MIXED``, or ``NONE`` where no line ends."""
    feeds = data.count(b"\n")
    pairs = data.count(b"\r\n")
    if feeds == 0:
        return LineEnding.NONE
    if pairs == 0:
        return LineEnding.LF
    return LineEnding.CRLF if pairs == feeds else LineEnding.MIXED


def with_line_ending(data: bytes, ending: LineEnding) -> bytes:
    """Give every line that ends in LF or CR LF the wanted end; other endings change nothing."""
    unix = data.replace(b"\r\n", b"\n")
    match ending:
        case LineEnding.LF:
            return unix
        case LineEnding.CRLF:
            return unix.replace(b"\n", b"\r\n")
        case LineEnding.MIXED | LineEnding.NONE:
            return data


class PositionEncoding(StrEnum):
    """What a character offset counts (LSP's ``PositionEncodingKind``)."""

    UTF8 = "utf-8"
    UTF16 = "utf-16"
    UTF32 = "utf-32"


@frozen(order=True)
class Position:
    """A place between two characters: line and character, both from 0."""

    line: int
    character: int


class TextIndex:
    """One immutable text with its line starts: offsets to positions and back, in every encoding.

    Offsets and the characters of plain positions are code points.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self._lines = lsp_lines(text)
        if not self._lines or self._lines[-1].endswith(("\n", "\r")):
            self._lines.append("")
        self._starts = list(accumulate(map(len, self._lines), initial=0))[:-1]

    def position(self, offset: int) -> Position:
        """Tell where the offset is; an offset between CR and LF has no position of its own."""
        line = bisect_right(self._starts, offset) - 1
        return Position(line, offset - self._starts[line])

    def offset(self, position: Position) -> int:
        """Tell the offset of a position; beyond a line's end means its end, as in LSP."""
        if position.line >= len(self._lines):
            return len(self.text)
        content = self._lines[position.line].rstrip("\r\n")
        return self._starts[position.line] + min(position.character, len(content))

    def encoded(self, position: Position, encoding: PositionEncoding) -> Position:
        """Give the same place with its character counted in units of the encoding."""
        before = self._lines[position.line][: position.character]
        return Position(position.line, _units(before, encoding))

    def decoded(self, position: Position, encoding: PositionEncoding) -> Position:
        """Give the place that a client named; inside a character means before that character."""
        if encoding is PositionEncoding.UTF32 or position.line >= len(self._lines):
            return position
        characters = units = 0
        for character in self._lines[position.line]:
            units += _units(character, encoding)
            if units > position.character:
                break
            characters += 1
        return Position(position.line, characters)


def _units(text: str, encoding: PositionEncoding) -> int:
    match encoding:
        case PositionEncoding.UTF8:
            return len(text.encode("utf-8", "surrogatepass"))
        case PositionEncoding.UTF16:
            return len(text) + sum(character > "\uffff" for character in text)
        case PositionEncoding.UTF32:
            return len(text)
