"""Raw JSON lines between the scripted peer and its client: telling, asking, being cancelled."""

from __future__ import annotations

import json
import os
import select
import sys
import time
from pathlib import Path
from typing import Any

HABITS = frozenset(sys.argv[1:])
STATE = Path("~/.peer").expanduser()

_ids = iter(range(1_000_000, 2_000_000))
_held: list[dict[str, Any]] = []
_read = bytearray()


class Cancelled(Exception):  # noqa: N818  no error
    """The client has ended the turn."""


class AnsweredError(Exception):
    """A request is answered with an error."""

    def __init__(self, code: int, words: str) -> None:
        super().__init__(words)
        self.code = code


def next_id() -> int:
    return next(_ids)


def write(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()


def send(message: dict[str, Any]) -> None:
    write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")


def update(session: str, what: str, **values: Any) -> None:
    params = {"sessionId": session, "update": {"sessionUpdate": what, **values}}
    send({"method": "session/update", "params": params})


def _line(end: float | None = None) -> bytes | None:
    """Read a line, until a moment at most; b"" at the end of the input, None when it is late."""
    while b"\n" not in _read:
        left = None if end is None else max(0.0, end - time.monotonic())
        ready, _, _ = select.select([0], [], [], left)
        if not ready:
            return None
        data = os.read(0, 1 << 16)
        if not data:
            return b""
        _read.extend(data)
    line, _, rest = bytes(_read).partition(b"\n")
    _read[:] = rest
    return line


def _message(line: bytes) -> dict[str, Any]:
    if not line:
        if "deaf" in HABITS:
            while True:
                time.sleep(1000)
        sys.exit(0)
    message: dict[str, Any] = json.loads(line)
    return message


def receive() -> dict[str, Any]:
    return _held.pop(0) if _held else _message(_line() or b"")


def ask(method: str, params: dict[str, Any]) -> dict[str, Any]:
    """Ask the client and give its whole answer; what else comes meanwhile is kept."""
    number = next_id()
    send({"id": number, "method": method, "params": params})
    kept: list[dict[str, Any]] = []
    while True:
        message = receive()
        if message.get("id") == number and "method" not in message:
            _held.extend(kept)
            return message
        kept.append(message)


def poll_cancel(seconds: float) -> None:
    """Wait, and stop when the client cancels the turn."""
    end = time.monotonic() + seconds
    while (line := _line(end)) is not None:
        message = _message(line)
        if message.get("method") != "session/cancel":
            _held.append(message)
            continue
        note("is cancelled")
        if "stubborn" not in HABITS:
            raise Cancelled


def note(what: str) -> None:
    """Add a line to what all peers of this machine have done, in order."""
    with (STATE / "log").open("a") as file:
        file.write(f"{os.getpid()} {what}\n")
