"""A process that has imported the server once and forks a new one for each test that asks.

A fork costs milliseconds where a start costs a second of processor time. What a start itself does
is tested with real starts, in ``tests/e2e/test_wire.py`` and ``tests/server/test_handshake.py``,
and for commands in ``tests/e2e/test_cli.py`` (``Desk.really``).
"""

from __future__ import annotations

import gc
import json
import os
import select
import socket
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from io import TextIOWrapper
from pathlib import Path
from typing import TextIO

import acp.connection  # noqa: F401  as below: an agent of a test is spoken with sooner
import jsonschema  # noqa: F401  the same
import pygit2
from pygit2.enums import ConfigLevel

# This program is not started as a part of the package that it imports from.
sys.path.insert(0, str(Path(__file__).parents[1]))
import sennit.server.app
import sennit.server.jsonrpc.protocol  # noqa: F401  the same: LSP's words, for editors
from sennit.cli import main as command_line
from sennit.cli.app import COMMANDS
from sennit.server.handshake import serve_stdio
from tests.adapters.runs import starter
from tests.e2e import quick_server
from tests.nursery import READY
from tests.nursery_warmth import warm
from tests.power import note_into
from tests.server.jsonrpc import scripted_server

DESCRIPTORS = 4
"""Standard input, output and error of the server, and where its pid and its end are told."""
LARGEST_REQUEST = 128 * 1024
_FAILED = 1


def _serve(_: Sequence[str]) -> int:
    return serve_stdio()


def _quick(options: Sequence[str]) -> int:
    return quick_server.run(float(options[0]))


def _noting(options: Sequence[str]) -> int:
    note_into(Path(options[0]))
    return serve_stdio()


def _by_another_clock(options: Sequence[str]) -> int:
    """Serve with the machine's clock that many hours ahead; files keep their own times."""
    ahead, machines = int(options[0]) * 3_600 * 10**9, time.time_ns
    time.time_ns = lambda: machines() + ahead
    time.time = lambda: time.time_ns() / 10**9
    return serve_stdio()


def _command_line(options: Sequence[str]) -> int:
    sys.stdin = _stream(0, "r", sys.stdin)
    sys.stdout = _stream(1, "w", sys.stdout)
    sys.stderr = _stream(2, "w", sys.stderr)
    sys.stderr.reconfigure(line_buffering=True)
    try:
        return command_line(options)
    finally:
        sys.stdout.flush()
        sys.stderr.flush()


def _stream(descriptor: int, mode: str, before: TextIO) -> TextIOWrapper:
    """Open a standard stream anew: whether it is a terminal counts at its opening."""
    stream = os.fdopen(
        descriptor, mode, encoding=before.encoding, errors=before.errors, closefd=False
    )
    assert isinstance(stream, TextIOWrapper)
    return stream


PROGRAMS: Mapping[str, Callable[[Sequence[str]], int]] = {
    "serve": _serve,
    "quick": _quick,
    "noting": _noting,
    "by another clock": _by_another_clock,
    "scripted": scripted_server.run,
    "starter": starter.run,
    "command line": _command_line,
}


def keep_nursery(asked: socket.socket, interpreter: Path) -> None:
    """Fork one process for each request until the other side is gone."""
    _import_commands(str(interpreter))
    warm()
    with asked, socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as servers:
        servers.bind(str(interpreter.with_name("socket")))
        servers.listen()
        # All that is there now stays, and no fork need copy the pages that a collection touches.
        gc.collect()
        gc.freeze()
        asked.send(READY)
        while True:
            ready, _, _ = select.select([asked, servers], [], [])
            if servers in ready:
                with servers.accept()[0] as server:
                    _fork(server, asked, servers)
            if asked in ready and not _fork(asked, servers):
                return
            _reap()


def _import_commands(interpreter: str) -> None:
    """Import all commands; they start their server by the interpreter that is found meanwhile."""
    real, sys.executable = sys.executable, interpreter
    client = import_module("sennit.cli.client")
    sys.executable = real
    assert client.SERVER_COMMAND[0] == interpreter
    for name, _ in COMMANDS.values():
        import_module(f"sennit.cli.{name}")


def _fork(source: socket.socket, *others: socket.socket) -> bool:
    """Fork a process for the request that is there; false when nothing comes any more."""
    request, given, _, _ = socket.recv_fds(source, LARGEST_REQUEST, DESCRIPTORS)
    if not given:
        return False
    if os.fork() == 0:
        for ours in (source, *others):
            ours.close()
        os._exit(_keep(given, request))
    for one in given:
        os.close(one)
    return True


def _keep(given: list[int], request: bytes) -> int:
    """Fork the server, tell its pid, wait for it, tell its end."""
    report = given[3]
    server = os.fork()
    if server == 0:
        os.close(report)
        for standard, one in enumerate(given[:3]):
            os.dup2(one, standard)
            os.close(one)
        os._exit(_run(**json.loads(request)))
    for one in given[:3]:
        os.close(one)
    os.write(report, b"%d\n" % server)
    _, status = os.waitpid(server, 0)
    os.write(report, b"%d\n" % os.waitstatus_to_exitcode(status))
    return 0


def _run(program: str, options: list[str], env: dict[str, str] | None, cwd: str | None) -> int:
    """Be that program, in that environment; gives the exit code."""
    sys.argv = [program, *options]
    if cwd is not None:
        os.chdir(cwd)
    if env is not None:
        os.environ.clear()
        os.environ.update(env)
        _forget_the_environment_before(env)
    try:
        return PROGRAMS[program](options)
    except BaseException:  # noqa: BLE001  as the interpreter would end
        traceback.print_exc()
        return _FAILED


def _forget_the_environment_before(env: Mapping[str, str]) -> None:
    """Look anew for what libraries look for once, at their import."""
    tempfile.tempdir = None
    home = env.get("HOME", "")
    xdg = env.get("XDG_CONFIG_HOME") or f"{home}/.config"
    pygit2.settings.search_path[ConfigLevel.GLOBAL] = home
    pygit2.settings.search_path[ConfigLevel.XDG] = f"{xdg}/git"
    if env.get("GIT_CONFIG_NOSYSTEM"):
        pygit2.settings.search_path[ConfigLevel.SYSTEM] = ""


def _reap() -> None:
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass


if __name__ == "__main__":
    keep_nursery(socket.socket(fileno=int(sys.argv[1])), Path(sys.argv[2]))
