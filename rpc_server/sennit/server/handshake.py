"""Answer ``initialize`` at once, from a literal, and only then import the server.

The rest of the server takes several hundred milliseconds to import, an editor waits for the first
answer. Whatever is not a plain valid ``initialize`` is left to the full server, which reads the
same bytes again. Only built-in parts of Python may be imported at the top of this module.
"""
# pathlib takes 10 ms to import, half of what the whole answer takes.
# ruff: noqa: PTH118, PTH120, PTH123

from __future__ import annotations

import gc
import json
import os
import signal
import sys

from sennit.adapters.platform.ancestry import ancestors
from sennit.server.initialize import chosen_encoding, initialize_problems

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType
    from typing import Any, NoReturn

RESULT_FILE = os.path.join(os.path.dirname(__file__), "initialize_result.json")
CANNOT_START = 2

_STDIN, _STDOUT, _STDERR = 0, 1, 2
_LARGEST_FIRST_MESSAGE = 4 * 1024 * 1024
_READ_SIZE = 64 * 1024


class Start:
    """How a connection begins: its descriptors and what has happened on them before the server.

    ``first`` are the bytes that were read; ``answered`` tells that they begin with an
    ``initialize`` which has its answer. ``ancestors`` are those of the process at its start.
    """

    __slots__ = ("ancestors", "answered", "first", "sink", "source")

    def __init__(
        self,
        source: int,
        sink: int,
        *,
        first: bytes = b"",
        answered: bool = False,
        ancestors: frozenset[int] = frozenset(),
    ) -> None:
        self.source = source
        self.sink = sink
        self.first = first
        self.answered = answered
        self.ancestors = ancestors


def serve_stdio() -> int:
    """Serve one client over standard input and output; gives the exit code."""
    start = begin()
    if start is None:
        print("sennit serve: standard input and output must be open; start it from an editor",  # noqa: T201  no logging yet
              file=sys.stderr)  # fmt: skip
        return CANNOT_START
    # What is imported stays. To look through it for garbage while it grows takes a tenth of the
    # start, and would later hold an answer up now and then for tens of milliseconds.
    gc.disable()
    # Imported here, after the answer: this is what the whole module is about.
    from sennit.server.app import serve_blocking  # noqa: PLC0415

    gc.freeze()
    gc.enable()
    return serve_blocking(start)


def begin() -> Start | None:
    """Take standard input and output over and answer ``initialize``; ``None``: they are closed."""
    descriptors = claim_stdio()
    if descriptors is None:
        return None
    _leave_quietly_on_signals()
    started_by = ancestors()
    first, answered = shake_hands(*descriptors)
    return Start(*descriptors, first=first, answered=answered, ancestors=started_by)


def claim_stdio() -> tuple[int, int] | None:
    """Take standard input and output for the protocol alone; ``None``: they are closed.

    Afterwards whatever prints, here or in a child, goes to standard error, and whoever reads
    standard input finds its end.
    """
    try:
        source, sink = os.dup(_STDIN), os.dup(_STDOUT)
    except OSError:
        return None
    null = os.open(os.devnull, os.O_RDWR)
    try:
        os.fstat(_STDERR)
    except OSError:
        os.dup2(null, _STDERR)
    os.dup2(_STDERR, _STDOUT)
    os.dup2(null, _STDIN)
    if null > _STDERR:
        os.close(null)
    return source, sink


def shake_hands(source: int, sink: int) -> tuple[bytes, bool]:
    """Read the first message and answer it where it is a plain ``initialize``.

    Gives all bytes that were read, and whether the message was answered.
    """
    read = b""
    while (end := _end_of_first_message(read)) is None:
        part = os.read(source, _READ_SIZE)
        read += part
        if not part:
            return read, False
    answer = _answer(read[:end]) if end else None
    if answer is None:
        return read, False
    try:
        _write_all(sink, answer)
    except OSError:
        # The client is gone; the full server finds that out by itself and ends in order.
        return read, False
    return read, True


def initialize_answer(message: object) -> dict[str, object] | None:
    """Make the answer to a valid ``initialize``; ``None`` for whatever else it is."""
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
        return None
    id_, params = message.get("id"), message.get("params")
    if message.get("method") != "initialize" or not _is_id(id_):
        return None
    if not isinstance(params, dict) or initialize_problems(params):
        return None
    result = _result()
    result["capabilities"]["positionEncoding"] = chosen_encoding(params)
    return {"jsonrpc": "2.0", "id": id_, "result": result}


def told_version() -> str:
    """Give the server's version as clients are told it.

    The package's metadata say the same, but take tens of milliseconds to import and to search.
    """
    return str(_result()["serverInfo"]["version"])


def _result() -> dict[str, Any]:
    with open(RESULT_FILE, encoding="utf-8") as file:
        result: dict[str, Any] = json.load(file)
    return result


def _end_of_first_message(read: bytes) -> int | None:
    """Give where the first message ends, ``None`` before that, 0 for what is not plain."""
    header_end = read.find(b"\r\n\r\n")
    if header_end < 0:
        return None if len(read) < _READ_SIZE else 0
    name, _, length = read[:header_end].partition(b"\r\n")[0].partition(b":")
    if name.lower() != b"content-length" or not length.strip().isdigit():
        return 0
    if len(length) > len(str(_LARGEST_FIRST_MESSAGE)) + 1 or int(length) > _LARGEST_FIRST_MESSAGE:
        return 0
    end = header_end + 4 + int(length)
    return end if len(read) >= end else None


def _answer(message: bytes) -> bytes | None:
    try:
        value = json.loads(message[message.index(b"\r\n\r\n") + 4 :].decode(), parse_constant=_bad)
    except (ValueError, RecursionError):
        return None
    answer = initialize_answer(value)
    if answer is None:
        return None
    body = json.dumps(answer, separators=(",", ":")).encode("ascii")
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


def _bad(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON value")


def _is_id(value: object) -> bool:
    return isinstance(value, str | int) and not isinstance(value, bool)


def _write_all(descriptor: int, data: bytes) -> None:
    while data:
        data = data[os.write(descriptor, data) :]


def _leave_quietly_on_signals() -> None:
    """Until the server's loop takes the signals over there is nothing to put in order."""

    def leave(number: int, _: FrameType | None) -> NoReturn:
        os._exit(128 + number)

    for number in signals_that_end():
        signal.signal(number, leave)


def signals_that_end() -> tuple[signal.Signals, ...]:
    """The signals that end a server in order; not that of a closed terminal under ``nohup``."""
    always = (signal.SIGTERM, signal.SIGINT)
    is_ignored = signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    return always if is_ignored else (*always, signal.SIGHUP)
