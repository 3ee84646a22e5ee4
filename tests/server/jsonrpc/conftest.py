"""One nursery for all tests here: a start costs milliseconds instead of seconds."""

from __future__ import annotations

import io
import os
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO

import pytest

from tests.wire_client import ServerProcess, WireClient

SERVER = Path(__file__).with_name("scripted_server.py")
Starter = Callable[..., WireClient]


@pytest.fixture(scope="session")
def nursery() -> Iterator[socket.socket]:
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    argv = [sys.executable, str(SERVER), "--nursery", str(theirs.fileno())]
    with subprocess.Popen(argv, pass_fds=(theirs.fileno(),)) as process:
        theirs.close()
        yield ours
        ours.close()
        process.wait(20)


@pytest.fixture(scope="session")
def start(nursery: socket.socket) -> Starter:
    """Start a scripted server with these options."""

    def launch(
        argv: Sequence[str], _env: Mapping[str, str] | None, _cwd: Path | None, errors: IO[bytes]
    ) -> ServerProcess:
        return Nestling(nursery, argv, errors)

    return lambda *options: WireClient(options, launch=launch)


class Nestling:
    """A server that the nursery has forked; used like ``subprocess.Popen``."""

    def __init__(self, nursery: socket.socket, options: Sequence[str], errors: IO[bytes]) -> None:
        (stdin, self._in), (self._out, stdout) = os.pipe(), os.pipe()
        self._report, report = os.pipe()
        given = [stdin, stdout, errors.fileno(), report]
        socket.send_fds(nursery, [" ".join(options).encode() or b" "], given)
        for one in (stdin, stdout, report):
            os.close(one)
        self.stdin: IO[bytes] | None = io.FileIO(self._in, "wb")
        self.stdout: IO[bytes] | None = io.FileIO(self._out, "rb")
        self.pid = self._told(45)
        self._code: int | None = None

    def kill(self) -> None:
        if self._code is None and not self._has_ended():
            self.send_signal(signal.SIGKILL)

    def send_signal(self, sig: int) -> None:
        os.kill(self.pid, sig)

    def wait(self, timeout: float | None = None) -> int:
        if self._code is None:
            self._code = self._told(45 if timeout is None else timeout)
            os.close(self._report)
        return self._code

    def _has_ended(self) -> bool:
        return bool(select.select([self._report], [], [], 0)[0])

    def _told(self, timeout: float) -> int:
        if not select.select([self._report], [], [], timeout)[0]:
            raise subprocess.TimeoutExpired("scripted server", timeout)
        line = b""
        while not line.endswith(b"\n"):
            line += os.read(self._report, 1)
        return int(line)
