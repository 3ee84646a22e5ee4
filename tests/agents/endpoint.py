"""A scripted model on loopback, for agents that need no other network.

It speaks OpenAI's chat completions and responses, Anthropic's messages and Gemini's
generateContent, streaming and not; ``tests.agents.model`` tells what it says. To try an agent by
hand: ``python -m tests.agents.endpoint --port 8000 --log requests.jsonl``.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar, Protocol

from attrs import frozen

from tests.agents.dialects import chat, gemini, messages, responses
from tests.agents.dialects.reading import USAGE_IN, Piece
from tests.agents.model import Call, Fail, Mute, Say, Talk, answer

MODEL = "scripted"
LONGEST_MUTE_S = 600
WAITING = "/waiting"
"""Tells how many requests wait for an answer that never comes."""


class Dialect(Protocol):
    """What each module of ``tests.agents.dialects`` has."""

    parse: Callable[[Mapping[str, Any], str], Talk]
    whole: Callable[[Talk, Say | Call], Mapping[str, Any]]
    stream: Callable[[Talk, Say | Call], Iterator[Piece]]
    error: Callable[[Fail], Mapping[str, Any]]


def dialect_of(path: str) -> Dialect | None:
    """Which API a path belongs to."""
    plain = path.partition("?")[0]
    endings: dict[str, Any] = {
        "/chat/completions": chat,
        "/responses": responses,
        "/messages": messages,
        "enerateContent": gemini,
    }
    return next((found for end, found in endings.items() if plain.endswith(end)), None)


class Handler(BaseHTTPRequestHandler):
    """One connection."""

    protocol_version = "HTTP/1.1"
    log_file: ClassVar[Path | None] = None
    waiting: ClassVar[int] = 0
    _lock: ClassVar[threading.Lock] = threading.Lock()

    def do_HEAD(self) -> None:
        self._send(200, {})

    def do_GET(self) -> None:
        if self.path == WAITING:
            self._send(200, {"waiting": type(self).waiting})
            return
        entry = {"id": MODEL, "object": "model", "created": 1, "owned_by": "tests"}
        self._send(200, {"object": "list", "data": [entry], "models": []})

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("content-length", 0)))
        dialect = dialect_of(self.path)
        if dialect is None:
            self._note({"path": self.path})
            counting = "count" in self.path
            counted = {"input_tokens": USAGE_IN, "totalTokens": USAGE_IN}
            self._send(200 if counting else 404, counted if counting else {"error": {}})
            return
        body = json.loads(raw)
        talk = dialect.parse(body, self.path)
        said = answer(talk)
        self._note({"path": self.path, "body": body, "said": repr(said)})
        match said:
            case Mute():
                self._wait_for_the_end()
            case Fail():
                self._send(said.status, dialect.error(said))
            case _ if talk.streaming:
                self._stream(dialect, talk, said)
            case _:
                self._send(200, dialect.whole(talk, said))

    def log_message(self, *_: object) -> None:
        """Print nothing: what came in is in the log file."""

    def _send(self, status: int, body: Mapping[str, Any]) -> None:
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def _stream(self, dialect: Dialect, talk: Talk, said: Say | Call) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        self.close_connection = True
        # An agent that is stopped in the middle reads no further.
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            for piece in dialect.stream(talk, said):
                time.sleep(piece.pause_s)
                self.wfile.write(piece.encoded())
                self.wfile.flush()
            if self.path.endswith("/completions"):
                self.wfile.write(b"data: [DONE]\n\n")

    def _wait_for_the_end(self) -> None:
        self.connection.settimeout(LONGEST_MUTE_S)
        self._count(1)
        with contextlib.suppress(OSError):
            self.rfile.read(1)
        self._count(-1)
        self.close_connection = True

    def _count(self, more: int) -> None:
        with self._lock:
            type(self).waiting += more

    def _note(self, entry: Mapping[str, Any]) -> None:
        if self.log_file is not None:
            with self._lock, self.log_file.open("a") as file:
                file.write(json.dumps(entry) + "\n")


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def handle_error(self, *_: object) -> None:
        """Agents that are killed break their connections; that is no news."""


@frozen
class Endpoint:
    """A running endpoint."""

    server: ThreadingHTTPServer

    @property
    def address(self) -> str:
        """Where it listens, without a path."""
        return f"http://127.0.0.1:{self.server.server_address[1]}"


@contextlib.contextmanager
def running(port: int = 0, log: Path | None = None) -> Iterator[Endpoint]:
    """Serve until the block ends."""
    handler = type("LoggingHandler", (Handler,), {"log_file": log})
    with _Server(("127.0.0.1", port), handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield Endpoint(server)
        server.shutdown()
        thread.join()


def main() -> None:
    """Serve until it is interrupted."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--log", type=Path, help="write every request to this file")
    given = parser.parse_args()
    with running(given.port, given.log) as endpoint, contextlib.suppress(KeyboardInterrupt):
        print(endpoint.address, flush=True)  # noqa: T201  a program for people
        threading.Event().wait()


if __name__ == "__main__":
    main()
