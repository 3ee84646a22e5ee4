"""Servers from a nursery: real processes that need not import the server again."""

from __future__ import annotations

import atexit
import io
import json
import os
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import IO

from attrs import frozen

PROGRAM = Path(__file__).with_name("nursery_program.py")
_START_S = 45
_END_S = 20


@frozen
class Nursery:
    """The nursery of this process and the socket to it."""

    process: subprocess.Popen[bytes]
    socket: socket.socket

    def close(self) -> None:
        """Let the nursery end; servers that still run go on."""
        self.socket.close()
        self.process.wait(_END_S)


@cache
def the_nursery() -> Nursery:
    """Start the one nursery of this process; it ends with it."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    argv = [sys.executable, "-P", str(PROGRAM), str(theirs.fileno())]
    environment = {**os.environ, "PYTHONWARNINGS": "error"}
    process = subprocess.Popen(argv, pass_fds=(theirs.fileno(),), env=environment)
    theirs.close()
    nursery = Nursery(process, ours)
    atexit.register(nursery.close)
    return nursery


def launch_from_nursery(
    argv: Sequence[str], env: Mapping[str, str] | None, cwd: Path | None, errors: IO[bytes]
) -> Nestling:
    """Start a program of the nursery: its name, then its options; see ``wire_client.Launch``."""
    return Nestling(argv, env, cwd, errors)


class Nestling:
    """A server that the nursery has forked; used like ``subprocess.Popen``."""

    def __init__(
        self,
        argv: Sequence[str],
        env: Mapping[str, str] | None,
        cwd: Path | None,
        errors: IO[bytes],
    ) -> None:
        (stdin, self._in), (self._out, stdout) = os.pipe(), os.pipe()
        self._report, report = os.pipe()
        request = {
            "program": argv[0],
            "options": list(argv[1:]),
            "env": None if env is None else dict(env),
            "cwd": None if cwd is None else str(cwd),
        }
        given = [stdin, stdout, errors.fileno(), report]
        socket.send_fds(the_nursery().socket, [json.dumps(request).encode()], given)
        for one in (stdin, stdout, report):
            os.close(one)
        self.stdin: IO[bytes] | None = io.FileIO(self._in, "wb")
        self.stdout: IO[bytes] | None = io.FileIO(self._out, "rb")
        self.pid = self._told(_START_S)
        self._code: int | None = None

    def kill(self) -> None:
        """End it at once; nothing happens if it has ended."""
        if self._code is None and not self._has_ended():
            self.send_signal(signal.SIGKILL)

    def send_signal(self, sig: int) -> None:
        """Send a signal."""
        os.kill(self.pid, sig)

    def wait(self, timeout: float | None = None) -> int:
        """Wait for its end; gives the exit code."""
        if self._code is None:
            self._code = self._told(_START_S if timeout is None else timeout)
            os.close(self._report)
        return self._code

    def _has_ended(self) -> bool:
        return bool(select.select([self._report], [], [], 0)[0])

    def _told(self, timeout: float) -> int:
        if not select.select([self._report], [], [], timeout)[0]:
            raise subprocess.TimeoutExpired("a server of the nursery", timeout)
        line = b""
        while not line.endswith(b"\n"):
            line += os.read(self._report, 1)
        return int(line)
