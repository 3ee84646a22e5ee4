"""Runs the command line as a process, with pipes or on a pseudo-terminal.

Most runs are forked from the nursery of the tests, with the server that they start: the same code
for a tenth of the time. ``really`` starts the program as a user does.
"""

from __future__ import annotations

import json
import os
import pty
import re
import select
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol, Self

import anyio
from attrs import frozen

from sennit.adapters.trust import TrustStore
from sennit.adapters.watched_files import TrustPlace
from sennit.core.trust import TrustVerdict
from tests.nursery import Nestling

LINES = "".join(f"line {number}\n" for number in range(1, 41))
"""A text in which edits can lie far from each other."""

DEADLINE_S = 50.0
PROGRAM_DEADLINE_S = 150.0
"""For programs that are really started: the demo alone takes twenty seconds of processor time."""
_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
# There is nothing to tidy up after a commit, and to find that out takes a process more.
_AUTHOR = ("-c", "user.name=T", "-c", "user.email=t@localhost", "-c", "maintenance.auto=false")


def sed(script: str, name: str = "a.txt") -> list[str]:
    """Arguments of ``sennit run`` for a task that edits a file by sed."""
    return ["--command", shlex.join(["sed", "-i", script, name])]


def python(program: str) -> list[str]:
    """Arguments of ``sennit run`` for a task that runs a program of Python."""
    return ["--command", shlex.join([sys.executable, "-c", program])]


@frozen
class Ended:
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


@frozen
class Running:
    """A command of the nursery, and the files that it writes to."""

    process: Nestling
    out: int
    err: int

    def ended(self) -> Ended:
        """Wait for its end."""
        code = self.process.wait(DEADLINE_S)
        told = [os.pread(each, os.fstat(each).st_size, 0) for each in (self.out, self.err)]
        return Ended(code, *(each.decode() for each in told))


@frozen
class Desk:
    """A repository, and the environment of a user with settings and state of their own."""

    repository: Path
    environment: Mapping[str, str]

    def argv(self, *arguments: str) -> list[str]:
        return [sys.executable, "-m", "sennit", "-C", str(self.repository), *arguments]

    def sennit(self, *arguments: str) -> Ended:
        with self.begun(*arguments) as running:
            return running.ended()

    @contextmanager
    def begun(self, *arguments: str) -> Iterator[Running]:
        """Start a command in the nursery that goes on meanwhile."""
        with (
            Path(os.devnull).open("rb") as nothing,
            tempfile.TemporaryFile() as out,
            tempfile.TemporaryFile() as err,
        ):
            standard = (nothing.fileno(), out.fileno(), err.fileno())
            process = self.nestling(standard, *arguments)
            try:
                yield Running(process, out.fileno(), err.fileno())
            finally:
                process.kill()

    def program(self, standard: tuple[int, int, int], *arguments: str) -> subprocess.Popen[bytes]:
        """Start the program itself, with these descriptors for its standard streams."""
        stdin, stdout, stderr = standard
        return subprocess.Popen(
            self.argv(*arguments), env=self.environment, stdin=stdin, stdout=stdout, stderr=stderr
        )

    def nestling(self, standard: tuple[int, int, int], *arguments: str) -> Nestling:
        """Start a command in the nursery, with these descriptors for its standard streams."""
        given = ("command line", "-C", str(self.repository), *arguments)
        return Nestling(given, self.environment, None, standard)

    def really(self, *arguments: str) -> Ended:
        """Start the program itself, which takes ten times as long."""
        done = subprocess.run(
            self.argv(*arguments),
            env=self.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            timeout=PROGRAM_DEADLINE_S,
        )
        return Ended(done.returncode, done.stdout.decode(), done.stderr.decode())

    @contextmanager
    def started(self, *arguments: str) -> Iterator[subprocess.Popen[bytes]]:
        with subprocess.Popen(
            self.argv(*arguments),
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        ) as process:
            try:
                yield process
            finally:
                process.kill()

    def trusted(self) -> Desk:
        """Grant trust without a server of its own, which every test would wait for."""
        top = os.fsencode(self.repository)
        place = TrustPlace(top, (top + b"/.git/config", top + b"/.git/config.worktree"))
        verdict = anyio.run(
            TrustStore(Path(self.environment["SENNIT_STATE_DIR"])).grant,
            place,
            "2020-01-01T00:00:00Z",
        )
        assert isinstance(verdict, TrustVerdict)
        return self

    def git(self, *arguments: str, data: bytes | None = None) -> bytes:
        return subprocess.run(
            ["git", *_AUTHOR, *arguments],
            cwd=self.repository,
            env=self.environment,
            input=data,
            capture_output=True,
            check=True,
        ).stdout


def a_desk(folder: Path, files: Mapping[str, str]) -> Desk:
    kept = {n: v for n, v in os.environ.items() if not n.startswith(("SENNIT_", "GIT_"))}
    environment = {
        **kept,
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "SENNIT_STATE_DIR": str(folder / "state"),
        "SENNIT_CONFIG_DIR": str(folder / "config"),
        "TERM": "xterm",
    }
    desk = Desk(folder / "repository", environment)
    desk.repository.mkdir()
    desk.git("init", "--quiet")
    for name, text in files.items():
        (desk.repository / name).write_text(text)
    desk.git("add", "--all")
    desk.git("commit", "--quiet", "--allow-empty", "--message", "begin")
    return desk


def eventually(found: Path) -> None:
    """Wait until a file exists."""
    end = time.monotonic() + DEADLINE_S
    while not found.exists():
        assert time.monotonic() < end, f"{found} never came"
        time.sleep(0.02)


class Begin(Protocol):
    """A way of the desk to start a command."""

    def __call__(
        self, desk: Desk, standard: tuple[int, int, int], /, *arguments: str
    ) -> Nestling | subprocess.Popen[bytes]:
        """Start a command with these descriptors for its standard streams."""


class OnTerminal:
    """The command line on a pseudo-terminal, with a person who waits for what it says."""

    def __init__(self, desk: Desk, *arguments: str, begin: Begin = Desk.nestling) -> None:
        self._master, slave = pty.openpty()
        self.process = begin(desk, (slave, slave, slave), *arguments)
        os.close(slave)
        self._shown = ""
        self.seen = ""

    def wait_for(self, text: str) -> None:
        """Read until ``text`` is shown after what was waited for before."""
        end = time.monotonic() + DEADLINE_S
        while text not in self._shown:
            assert time.monotonic() < end, f"{text!r} was never shown; shown was: {self.seen}"
            assert self._read(), f"it ended before {text!r} was shown; shown was: {self.seen}"
        self._shown = self._shown.partition(text)[2]

    def type(self, line: str) -> None:
        self.press(line.encode() + b"\n")

    def press(self, keys: bytes) -> None:
        os.write(self._master, keys)

    def end(self) -> int:
        while self._read():
            pass
        return self.process.wait(DEADLINE_S)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self._master)

    def _read(self) -> bool:
        ready, _, _ = select.select([self._master], [], [], DEADLINE_S)
        assert ready, f"nothing more was shown; shown was: {self.seen}"
        try:
            data = os.read(self._master, 65536)
        except OSError:
            # Linux tells the end of a pseudo-terminal by an error.
            return False
        text = _ESCAPES.sub("", data.decode(errors="replace")).replace("\r", "")
        self._shown += text
        self.seen += text
        return bool(data)
