"""Runs a scenario again and again, killed at its first durable system call, its second, and so on.

Started with the killer preloaded:
``python -m tests.adapters.store.killing SCENARIO FOLDER STRIDE``. Each round is a forked child in a
folder of its own. What the child says through a pipe is what it has acknowledged or done outside;
the check afterwards compares that with what is on disk. Prints JSON: the number of points, what was
wrong at which.
"""

from __future__ import annotations

import ctypes
import json
import os
import shutil
import signal
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import anyio
from attrs import frozen

from tests.adapters.store import scenarios

Say = Callable[[str], None]
MOST_POINTS = 2000


@frozen
class Round:
    """What became of one child."""

    said: tuple[str, ...]
    killed: bool
    failed: str | None


def main(name: str, folder: Path, stride: int) -> None:
    """Try every point, or one in ``stride`` from different ones on, whole and torn."""
    scenario = scenarios.SCENARIOS[name]
    prepared = folder / "prepared"
    prepared.mkdir(mode=0o700)
    scenario.prepare(prepared)
    killer = ctypes.CDLL(None)
    points, wrong = 0, list[str]()
    for torn in (0, 1):
        for number in range(1 + torn * (stride // 2), MOST_POINTS, stride):
            place = folder / f"{torn}-{number}"
            shutil.copytree(prepared, place)
            round_ = run(partial(strike, killer, scenario, place, number, torn))
            found = round_.failed or judge(scenario, place, round_.said)
            if found is not None:
                wrong.append(f"call {number}, torn {torn}: {found}; said {list(round_.said)}")
            if not round_.killed or (wrong and scenario.control):
                break
            points += 1
    sys.stdout.write(json.dumps({"points": points, "wrong": wrong}))


def strike(
    killer: ctypes.CDLL,
    scenario: scenarios.Scenario,
    place: Path,
    number: int,
    torn: int,
    say: Say,
) -> None:
    """Work until the call with that number."""
    killer.killer_arm(os.fsencode(place), number, torn)
    anyio.run(scenario.work, place, say)


def judge(scenario: scenarios.Scenario, place: Path, said: tuple[str, ...]) -> str | None:
    """What is wrong with what the child left; looked at by another process, as after a restart."""
    again = run(lambda say: scenario.check(place, said, say))
    return again.failed


def run(work: Callable[[Say], object]) -> Round:
    """Fork, work, and hear what was said until the end."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        status = 0
        try:
            work(partial(_tell, writer))
        except BaseException as error:  # noqa: BLE001  told to the parent
            os.write(writer, f"FAILED {type(error).__name__}: {error}".replace("\n", " ").encode())
            status = 1
        os._exit(status)
    os.close(writer)
    with os.fdopen(reader) as lines:
        said = tuple(lines.read().splitlines())
    _, status = os.waitpid(child, 0)
    killed = os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL
    failed = next((line for line in said if line.startswith("FAILED")), None)
    if not killed and status != 0 and failed is None:
        failed = f"ended with status {status}"
    return Round(said, killed, failed)


def _tell(writer: int, line: str) -> None:
    os.write(writer, f"{line}\n".encode())


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]))
