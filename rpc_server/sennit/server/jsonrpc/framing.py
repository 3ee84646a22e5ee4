"""Bytes to message bodies: LSP's framing as a machine that is fed and touches nothing.

Headers may be spelled in any case. A message over the limit is not kept: it is drained, while a
scanner looks for what an answer needs to know of it. After a header block without a usable length
the stream is searched for the next one, and one complaint is made.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from attrs import frozen

from sennit.server.jsonrpc.scanner import Glimpse, Scanner

HEADER_LIMIT = 16 * 1024
MEBIBYTE = 1024 * 1024
DEFAULT_LIMIT = 64 * MEBIBYTE

_LENGTH = re.compile(rb"content-length[ \t]*:[ \t]*([0-9]{1,18})[ \t]*\Z", re.IGNORECASE)
_PLAIN_HEADER = re.compile(rb"Content-Length: ([0-9]{1,18})\r\n\r\n")
_NEXT_HEADER = re.compile(rb"content-length[ \t]*:[ \t]*[0-9]{1,18}[ \t]*\r\n", re.IGNORECASE)
_HEADER_END = b"\r\n\r\n"
_BARE_LINE_END = re.compile(rb"(?<!\r)\n")
_LONGEST_LENGTH_LINE = 64


@frozen
class Body:
    """A whole message."""

    content: bytes


@frozen
class OverLimit:
    """A message that was drained because it is longer than the limit, both in bytes."""

    length: int
    limit: int
    glimpse: Glimpse


@frozen
class BadHeader:
    """A header block that does not tell the length of its message."""

    message: str


Frame = Body | OverLimit | BadHeader


class Framer:
    """Feed it what was read; it gives the frames that are complete."""

    def __init__(self, limit: int = DEFAULT_LIMIT) -> None:
        self.limit = limit
        self._buffer = bytearray()
        self._expected: int | None = None
        self._drain: _Drain | None = None
        self._lost = False

    def feed(self, data: bytes) -> Iterator[Frame]:
        """Take ``data`` in and give the frames that it completes, one at a time."""
        self._buffer += data
        while self._buffer and (frame := self._next()) is not None:
            yield frame

    @property
    def holds_more(self) -> bool:
        """Whether bytes wait behind the frame that was given last."""
        return bool(self._buffer)

    @property
    def holds_a_part(self) -> bool:
        """Whether the stream stands in the middle of a message."""
        return bool(self._buffer) or self._expected is not None or self._drain is not None

    def _next(self) -> Frame | None:
        if self._drain is not None:
            return self._go_on_draining(self._drain)
        if self._expected is None:
            complaint = self._read_header()
            if complaint is not None:
                return complaint
            if self._expected is None:
                return None
        if self._expected > self.limit:
            self._drain = _Drain(self._expected)
            return self._go_on_draining(self._drain)
        if len(self._buffer) < self._expected:
            return None
        body = bytes(self._buffer[: self._expected])
        del self._buffer[: self._expected]
        self._expected = None
        return Body(body)

    def _go_on_draining(self, drain: _Drain) -> OverLimit | None:
        part = bytes(self._buffer[: drain.left])
        del self._buffer[: drain.left]
        drain.left -= len(part)
        drain.scanner.feed(part)
        if drain.left:
            return None
        self._drain = None
        self._expected = None
        return OverLimit(drain.length, self.limit, drain.scanner.glimpse())

    def _read_header(self) -> BadHeader | None:
        if self._lost and not self._found_again():
            return None
        plain = _PLAIN_HEADER.match(self._buffer)
        if plain is not None:
            self._expected = int(plain[1])
            del self._buffer[: plain.end()]
            return None
        end = self._buffer.find(_HEADER_END, 0, HEADER_LIMIT)
        bare = _BARE_LINE_END.search(self._buffer, 0, HEADER_LIMIT if end < 0 else end)
        if bare is not None:
            # Said at once: whoever ends lines so would wait for ever for the end of this header.
            return self._lose(bare.end(), r"a line of a header that ends in \n and not in \r\n")
        if end < 0:
            if len(self._buffer) < HEADER_LIMIT:
                return None
            return self._lose(0, f"no end of a header within {HEADER_LIMIT} bytes")
        lines = bytes(self._buffer[:end]).split(b"\r\n")
        lengths = {int(found[1]) for line in lines if (found := _LENGTH.match(line))}
        if len(lengths) != 1:
            return self._lose(end, "a header without exactly one valid Content-Length")
        del self._buffer[: end + len(_HEADER_END)]
        self._expected = lengths.pop()
        return None

    def _lose(self, read: int, why: str) -> BadHeader:
        del self._buffer[:read]
        self._lost = True
        return BadHeader(f"{why}; looking for the next Content-Length")

    def _found_again(self) -> bool:
        # A raw line end cannot stand inside a JSON string, so that this finds headers only.
        found = _NEXT_HEADER.search(self._buffer)
        if found is None:
            del self._buffer[:-_LONGEST_LENGTH_LINE]
            return False
        del self._buffer[: found.start()]
        self._lost = False
        return True


class _Drain:
    def __init__(self, length: int) -> None:
        self.length = length
        self.left = length
        self.scanner = Scanner()
