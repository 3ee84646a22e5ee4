"""A client that speaks raw bytes to a server process, for what no well-behaved client would send.

Every read has a deadline, and the process is always reaped. Use it as a context manager::

    with WireClient.sennit_serve() as client:
        client.initialize()
        answer = client.call("sennit/tickets", {})
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Protocol, Self

Message = dict[str, Any]
DEADLINE_S = 45.0
"""Long, for a server takes seconds of processor time to start, and machines are shared."""
_HEADER_END = b"\r\n\r\n"


class NoMessageError(AssertionError):
    """No message came in time, or the stream ended."""


def framed(value: object) -> bytes:
    """Encode a JSON value as a message."""
    return framed_bytes(json.dumps(value).encode())


def framed_bytes(body: bytes) -> bytes:
    """Put a header before a body of any bytes."""
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


def users_environment() -> dict[str, str]:
    """Give the environment of the tests without what is about them: a server knows no such name."""
    return {name: value for name, value in os.environ.items() if not name.startswith("SENNIT_")}


def folders_in(home: Path) -> dict[str, str]:
    """Name the variables that keep the user's own state and configuration out of a test."""
    return {
        "SENNIT_STATE_DIR": str(home / "state"),
        "SENNIT_CONFIG_DIR": str(home / "config"),
    }


class ServerProcess(Protocol):
    """What the client needs of a process; ``subprocess.Popen`` is one."""

    pid: int

    @property
    def stdin(self) -> IO[bytes] | None:
        """The writing end of its standard input."""

    @property
    def stdout(self) -> IO[bytes] | None:
        """The reading end of its standard output."""

    def kill(self) -> None:
        """End it at once; nothing happens if it has ended."""

    def send_signal(self, sig: int) -> None:
        """Send a signal."""

    def wait(self, timeout: float | None = None) -> int:
        """Wait for its end; gives the exit code."""


Launch = Callable[[Sequence[str], Mapping[str, str] | None, Path | None, IO[bytes]], ServerProcess]
"""Starts a program: arguments, environment, folder, standard error."""


def launch_program(
    argv: Sequence[str], env: Mapping[str, str] | None, cwd: Path | None, errors: IO[bytes]
) -> ServerProcess:
    """Start a program as a child of this process."""
    return subprocess.Popen(
        list(argv),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=errors,
        env=None if env is None else dict(env),
        cwd=cwd,
        bufsize=0,
    )


class WireClient:
    """One server process and the client's end of its standard streams.

    ``replies`` answers requests of the server while the client waits for something else: by method,
    a function from parameters to the result. Requests of other methods are kept in ``received``.
    """

    def __init__(
        self,
        argv: Sequence[str],
        *,
        env: Mapping[str, str] | None = None,
        cwd: Path | None = None,
        deadline_s: float = DEADLINE_S,
        launch: Launch = launch_program,
    ) -> None:
        self.deadline_s = deadline_s
        self.received: deque[Message] = deque()
        """Messages that were read while waiting for another one, oldest first."""
        self.replies: dict[str, Callable[[Any], object]] = {}
        self._buffer = bytearray()
        self._next_id = 0
        self._home: tempfile.TemporaryDirectory[str] | None = None
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115  closed in __exit__
        try:
            self.process = launch(argv, env, cwd, self._errors)
        except BaseException:
            self._errors.close()
            raise

    @classmethod
    def sennit_serve(
        cls,
        *arguments: str,
        env: Mapping[str, str] | None = None,
        cwd: Path | None = None,
        python: Sequence[str] = ("-P",),
        deadline_s: float = DEADLINE_S,
    ) -> Self:
        """Start the real ``sennit serve``; ``env`` is added to the environment of the tests.

        Unless it names other folders, state and configuration are new ones, gone at the end.
        """
        argv = [sys.executable, *python, "-m", "sennit", "serve", *arguments]
        home = tempfile.TemporaryDirectory(prefix="sennit-test-", ignore_cleanup_errors=True)
        whole = {**users_environment(), **folders_in(Path(home.name)), **(env or {})}
        client = cls(argv, env=whole, cwd=cwd, deadline_s=deadline_s)
        client._home = home
        return client

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()
        if error is not None and (text := self.stderr()):
            error.add_note(f"standard error of the server:\n{text}")
        self._errors.close()
        if self._home is not None:
            self._home.cleanup()

    # Sending.

    def send_bytes(self, data: bytes) -> None:
        """Send bytes as they are."""
        stdin = self.process.stdin
        assert stdin is not None
        while data:
            data = data[stdin.write(data) or 0 :]

    def send(self, *values: object) -> None:
        """Send JSON values as messages, in one write."""
        self.send_bytes(b"".join(framed(value) for value in values))

    def request(self, method: str, params: object = None, *, id_: object = None) -> object:
        """Send a request; gives its id, a new number unless told."""
        if id_ is None:
            self._next_id += 1
            id_ = self._next_id
        self.send(_envelope(method, params) | {"id": id_})
        return id_

    def notify(self, method: str, params: object = None) -> None:
        """Send a notification."""
        self.send(_envelope(method, params))

    def respond(self, request: Message, result: object) -> None:
        """Answer a request of the server."""
        self.send({"jsonrpc": "2.0", "id": request["id"], "result": result})

    def close_stdin(self) -> None:
        """End the stream to the server."""
        assert self.process.stdin is not None
        self.process.stdin.close()

    # Receiving.

    def read_bytes(self, deadline_s: float | None = None) -> bytes:
        """Read what is there, waiting until the deadline; nothing is the end of the stream."""
        stdout = self.process.stdout
        assert stdout is not None
        limit = self.deadline_s if deadline_s is None else deadline_s
        ready, _, _ = select.select([stdout], [], [], max(limit, 0))
        if not ready:
            raise NoMessageError(f"nothing came within {limit:.1f} s")
        return os.read(stdout.fileno(), 1 << 16)

    def read(self, deadline_s: float | None = None) -> Message:
        """Read the next message from the stream, whatever it is."""
        end = time.monotonic() + (self.deadline_s if deadline_s is None else deadline_s)
        while (message := self._parsed()) is None:
            data = self.read_bytes(end - time.monotonic())
            if not data:
                raise NoMessageError(f"the stream ended, with {bytes(self._buffer)!r} at its end")
            self._buffer += data
        return message

    def next_where(
        self, wanted: Callable[[Message], bool], deadline_s: float | None = None
    ) -> Message:
        """Give the first message that is wanted; those before it go to ``received``."""
        for index, message in enumerate(self.received):
            if wanted(message):
                del self.received[index]
                return message
        end = time.monotonic() + (self.deadline_s if deadline_s is None else deadline_s)
        while True:
            message = self.read(end - time.monotonic())
            if self._replied(message):
                continue
            if wanted(message):
                return message
            self.received.append(message)

    def answer_to(self, id_: object, deadline_s: float | None = None) -> Message:
        """Give the answer to the request with this id."""
        return self.next_where(lambda m: "method" not in m and m["id"] == id_, deadline_s)

    def next_of(self, method: str, deadline_s: float | None = None) -> Message:
        """Give the next notification or request of the server with this method."""
        return self.next_where(lambda m: m.get("method") == method, deadline_s)

    def call(self, method: str, params: object = None, deadline_s: float | None = None) -> Message:
        """Send a request and give its answer, with ``result`` or ``error``."""
        return self.answer_to(self.request(method, params), deadline_s)

    def nothing_more(self, method: str = "sennit-test/no-such-method") -> None:
        """Assert that no message waits, by a request whose answer must be the next one."""
        id_ = self.request(method)
        message = self.read()
        assert message.get("id") == id_, message

    # The life cycle.

    def initialize(
        self,
        capabilities: object = None,
        *,
        options: object = None,
        folders: Sequence[Path] = (),
        process_id: int | None = None,
    ) -> Message:
        """Send ``initialize`` and ``initialized``; gives the result."""
        params = {
            "processId": process_id,
            "capabilities": capabilities or {},
            "rootUri": None,
            "initializationOptions": options,
            "workspaceFolders": [
                {"uri": folder.as_uri(), "name": folder.name} for folder in folders
            ],
        }
        answer = self.call("initialize", params)
        self.notify("initialized", {})
        result: Message = answer["result"]
        return result

    def shut_down(self) -> int:
        """Send ``shutdown`` and ``exit``; gives the exit code."""
        answer = self.call("shutdown")
        assert answer.get("result", "absent") is None, answer
        self.notify("exit")
        return self.exit_code()

    def exit_code(self, deadline_s: float | None = None) -> int:
        """Wait for the end of the process."""
        return self.process.wait(self.deadline_s if deadline_s is None else deadline_s)

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to the server."""
        self.process.send_signal(number)

    def stderr(self) -> str:
        """Give what the server has written to standard error so far."""
        size = os.fstat(self._errors.fileno()).st_size
        return os.pread(self._errors.fileno(), size, 0).decode(errors="replace")

    def _parsed(self) -> Message | None:
        end = self._buffer.find(_HEADER_END)
        if end < 0:
            return None
        fields = dict(_header_fields(bytes(self._buffer[:end])))
        start = end + len(_HEADER_END)
        length = int(fields[b"content-length"])
        if len(self._buffer) < start + length:
            return None
        body = bytes(self._buffer[start : start + length])
        del self._buffer[: start + length]
        message: Message = json.loads(body)
        assert message["jsonrpc"] == "2.0", message
        return message

    def _replied(self, message: Message) -> bool:
        if "id" not in message or message.get("method") not in self.replies:
            return False
        self.respond(message, self.replies[message["method"]](message.get("params")))
        return True


def _header_fields(header: bytes) -> Iterator[tuple[bytes, bytes]]:
    for line in header.split(b"\r\n"):
        name, _, value = line.partition(b":")
        yield name.lower(), value.strip()


def _envelope(method: str, params: object) -> Message:
    envelope: Message = {"jsonrpc": "2.0", "method": method}
    return envelope if params is None else envelope | {"params": params}


def eventually(condition: Callable[[], bool], deadline_s: float = DEADLINE_S) -> bool:
    """Poll until the condition holds; false when the deadline is over."""
    end = time.monotonic() + deadline_s
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.01)
    return condition()
