"""Cuts what a program writes into lines of text, as it comes, in pieces of any size."""

from __future__ import annotations

import re
from codecs import getincrementaldecoder

LONGEST_LINE = 64 * 1024 * 1024
"""Characters of one line that are read: agents put whole files into one."""
_KEPT_OF_LONGER = 2_000

_ESCAPES = re.compile(
    r"""(?x)
      (?: \x1b\[ | \x9b ) [0-?]* [ -/]* [@-~]                          # CSI: colours, the cursor
    | (?: \x1b [\]PX^_] | [\x9d\x90\x98\x9e\x9f] ) [^\x07\x1b\x9c]* (?: \x07 | \x1b\\ | \x9c )
                                                                       # OSC: titles, links; DCS …
    | \x1b [ -/]* [0-~] ?                                              # the others; a lone ESC
    """
)


class Lines:
    """An incremental splitter: bytes in, whole lines out, without their ends.

    Lines end at LF or CR LF. Bytes that are no UTF-8 are replaced, escape sequences taken out. Of a
    line over ``longest`` characters only the beginning is kept, and it is said how long it was.
    """

    def __init__(self, longest: int = LONGEST_LINE) -> None:
        self._longest = longest
        self._decoder = getincrementaldecoder("utf-8")("replace")
        self._pieces: list[str] = []
        self._length = 0

    @property
    def held(self) -> int:
        """How many characters of a line are held whose end has not come."""
        return self._length

    def feed(self, data: bytes) -> list[str]:
        """Give the lines that these bytes end."""
        return self._split(self._decoder.decode(data))

    def end(self) -> list[str]:
        """Give the last line where the output does not end with a line end; nothing follows."""
        lines = self._split(self._decoder.decode(b"", final=True))
        return [*lines, self._line()] if self._length else lines

    def _split(self, text: str) -> list[str]:
        *ended, rest = text.split("\n")
        lines = []
        for piece in ended:
            self._keep(piece)
            lines.append(self._line())
        self._keep(rest)
        return lines

    def _keep(self, piece: str) -> None:
        room = self._longest - self._length
        if room > 0 and piece:
            self._pieces.append(piece[:room])
        self._length += len(piece)

    def _line(self) -> str:
        length, text = self._length, "".join(self._pieces)
        self._pieces, self._length = [], 0
        if length > self._longest:
            kept = plain(text[:_KEPT_OF_LONGER])
            return f"{kept} … (a line of {length} characters; the rest is not shown)"
        return plain(text.removesuffix("\r"))


def plain(text: str) -> str:
    """Take the escape sequences of terminals out."""
    return _ESCAPES.sub("", text)
