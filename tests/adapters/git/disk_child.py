"""A child process that writes a staged application and stands still where it is told to.

Arguments: intention file, barrier file, number of the moment to stand still at (none: -1). The
barrier is made when it is reached; the child then waits to be killed, or for the file to go.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import anyio

from sennit.adapters.git.disk_write import commit
from sennit.core.disk_application import Moment, Staged, TakenBack, intention_from


class StandStill:
    def __init__(self, barrier: Path, at: int) -> None:
        self.barrier = barrier
        self.left = at

    def __call__(self, path: bytes, moment: Moment) -> None:
        self.left -= 1
        if self.left == -1:
            self.barrier.write_bytes(path + b"\0" + moment.encode())
            deadline = time.monotonic() + 30
            while self.barrier.exists() and time.monotonic() < deadline:
                time.sleep(0.005)


def main() -> None:
    text, barrier, at = sys.argv[1:]
    intention = intention_from(Path(text).read_text(encoding="utf-8"))
    outcome = anyio.run(commit, Staged(intention), StandStill(Path(barrier), int(at)))
    if isinstance(outcome, TakenBack):
        cause = outcome.cause
        print(cause.trouble if cause else "", len(outcome.restored), len(outcome.stuck))  # noqa: T201  what the test reads


main()
