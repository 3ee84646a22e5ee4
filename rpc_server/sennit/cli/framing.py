"""Messages as LSP frames them: `Content-Length`, an empty line, JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

LARGEST_HEADER = 8 * 1024
"""Bytes of a header at most; what is longer is no message."""

_END = b"\r\n\r\n"
_SHOWN = 60


class RubbishError(ValueError):
    """The bytes are no message of JSON-RPC."""


def framed(message: object) -> bytes:
    """Give the bytes of one message."""
    body = json.dumps(message, separators=(",", ":")).encode("ascii")
    return b"Content-Length: %d%b%b" % (len(body), _END, body)


class Frames:
    """Cuts a stream of bytes into messages."""

    def __init__(self) -> None:
        """Begin with nothing read."""
        self._read = bytearray()

    def feed(self, data: bytes) -> Iterator[dict[str, Any]]:
        """Give every message that is whole now; raises `RubbishError`."""
        self._read += data
        while (message := self._next()) is not None:
            yield message

    def _next(self) -> dict[str, Any] | None:
        end = self._read.find(_END)
        if end < 0:
            self._refuse_endless_header()
            return None
        start = end + len(_END)
        length = _length(bytes(self._read[:end]))
        if len(self._read) < start + length:
            return None
        body = bytes(self._read[start : start + length])
        del self._read[: start + length]
        return _message(body)

    def _refuse_endless_header(self) -> None:
        start = bytes(self._read[:_SHOWN])
        line_ended = b"\n" in start and not start.lower().startswith(b"content-")
        if line_ended or len(self._read) > LARGEST_HEADER:
            raise RubbishError(f"no header of a message: {start!r}")


def _length(header: bytes) -> int:
    for line in header.split(b"\r\n"):
        name, _, value = line.partition(b":")
        if name.strip().lower() == b"content-length" and value.strip().isdigit():
            return int(value)
    raise RubbishError(f"a header without Content-Length: {header[:_SHOWN]!r}")


def _message(body: bytes) -> dict[str, Any]:
    try:
        value = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise RubbishError(f"not JSON: {body[:_SHOWN]!r}") from error
    if not isinstance(value, dict):
        raise RubbishError(f"no message of JSON-RPC: {body[:_SHOWN]!r}")
    return value
