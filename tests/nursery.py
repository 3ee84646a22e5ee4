"""Servers and commands from a nursery: real processes that need not import everything again."""

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
import tempfile
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import IO

from attrs import frozen

PROGRAM = Path(__file__).with_name("nursery_program.py")
PYTHON = Path(__file__).with_name("nursery_python.py")
READY = b"warm"
"""What the nursery says once it forks what it is asked for."""
_WARM_S = 300
"""Until all is imported: several nurseries do that at once, on whatever machine."""
_START_S = 45
_END_S = 20


@frozen
class Nursery:
    """The nursery of this process, the socket to it, and the folder of its interpreter."""

    process: subprocess.Popen[bytes]
    socket: socket.socket
    folder: tempfile.TemporaryDirectory[str]

    def close(self) -> None:
        """Let the nursery end; servers that still run go on."""
        self.socket.close()
        self.process.wait(_END_S)
        self.folder.cleanup()


@cache
def the_nursery() -> Nursery:
    """Start the one nursery of this process, until it is warm; it ends with it."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    folder = tempfile.TemporaryDirectory(prefix="nursery-")
    interpreter = Path(folder.name, "python")
    interpreter.write_text(f"#!{sys.executable} -ISP\n{PYTHON.read_text()}")
    interpreter.chmod(0o700)
    argv = [sys.executable, "-P", str(PROGRAM), str(theirs.fileno()), str(interpreter)]
    environment = {**os.environ, "PYTHONWARNINGS": "error"}
    process = subprocess.Popen(argv, pass_fds=(theirs.fileno(),), env=environment)
    theirs.close()
    nursery = Nursery(process, ours, folder)
    atexit.register(nursery.close)
    if not select.select([ours], [], [], _WARM_S)[0] or ours.recv(len(READY)) != READY:
        raise RuntimeError(f"{PROGRAM} was not ready within {_WARM_S} s, or has ended")
    return nursery


class Nestling:
    """A process that the nursery has forked."""

    def __init__(
        self,
        argv: Sequence[str],
        env: Mapping[str, str] | None,
        cwd: Path | None,
        standard: Sequence[int],
    ) -> None:
        """Start a program of the nursery: its name, then its options.

        ``standard`` are descriptors for its input, output and errors; they stay the caller's.
        """
        self._report, report = os.pipe()
        request = {
            "program": argv[0],
            "options": list(argv[1:]),
            "env": None if env is None else dict(env),
            "cwd": None if cwd is None else str(cwd),
        }
        given = [*standard, report]
        socket.send_fds(the_nursery().socket, [json.dumps(request).encode()], given)
        os.close(report)
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
            raise subprocess.TimeoutExpired("a process of the nursery", timeout)
        line = b""
        while not line.endswith(b"\n"):
            line += os.read(self._report, 1)
        return int(line)


class PipedNestling(Nestling):
    """One that is spoken with over pipes; used like ``subprocess.Popen``."""

    def __init__(
        self,
        argv: Sequence[str],
        env: Mapping[str, str] | None,
        cwd: Path | None,
        errors: IO[bytes],
    ) -> None:
        (stdin, self._in), (self._out, stdout) = os.pipe(), os.pipe()
        super().__init__(argv, env, cwd, (stdin, stdout, errors.fileno()))
        for one in (stdin, stdout):
            os.close(one)
        self.stdin: IO[bytes] | None = io.FileIO(self._in, "wb")
        self.stdout: IO[bytes] | None = io.FileIO(self._out, "rb")


def launch_from_nursery(
    argv: Sequence[str], env: Mapping[str, str] | None, cwd: Path | None, errors: IO[bytes]
) -> PipedNestling:
    """Start a program of the nursery: its name, then its options; see ``wire_client.Launch``."""
    return PipedNestling(argv, env, cwd, errors)
