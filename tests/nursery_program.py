"""The side of the nursery that has imported the server and forks a new one for each test."""

from __future__ import annotations

import os
import socket
import traceback
from collections.abc import Callable

DESCRIPTORS = 4
"""Standard input, output and error of the server, and where its pid and its end are told."""


def keep_nursery(descriptor: int, run: Callable[[list[str]], int]) -> None:
    """Fork one server for each request until the other side is gone."""
    asked = socket.socket(fileno=descriptor)
    while True:
        options, given, _, _ = socket.recv_fds(asked, 4096, DESCRIPTORS)
        if not given:
            return
        if os.fork() == 0:
            asked.close()
            os._exit(_keep(given, options.decode().split(), run))
        for one in given:
            os.close(one)
        _reap()


def _keep(given: list[int], options: list[str], run: Callable[[list[str]], int]) -> int:
    """Fork the server, tell its pid, wait for it, tell its end."""
    report = given[3]
    server = os.fork()
    if server == 0:
        os.close(report)
        for standard, one in enumerate(given[:3]):
            os.dup2(one, standard)
            os.close(one)
        os._exit(_run(options, run))
    for one in given[:3]:
        os.close(one)
    os.write(report, b"%d\n" % server)
    _, status = os.waitpid(server, 0)
    os.write(report, b"%d\n" % os.waitstatus_to_exitcode(status))
    return 0


def _run(options: list[str], run: Callable[[list[str]], int]) -> int:
    try:
        return run(options)
    except BaseException:  # noqa: BLE001  as the interpreter would end
        traceback.print_exc()
        return 1


def _reap() -> None:
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass
