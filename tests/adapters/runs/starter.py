"""A server that starts one run and is then killed, a program of the nursery.

Its options: RUNS WORKSPACE SCRIPT.
"""

import os
import sys
from collections.abc import Sequence
from pathlib import Path

import anyio

from sennit.adapters.processes import LocalExecutor
from sennit.adapters.runs.values import RunSpec


async def main(runs: str, workspace: str, script: str) -> None:
    executor = LocalExecutor(Path(runs), dict(os.environ))
    sys.stdout.write("about to start\n")
    sys.stdout.flush()
    spec = RunSpec(("sh", "-c", script), cancel_ms=100, term_ms=100)
    await executor.start("r-1", Path(workspace), spec)
    sys.stdout.write("started\n")
    sys.stdout.flush()
    await executor.wait("r-1")
    sys.stdout.write("ended\n")
    sys.stdout.flush()
    await anyio.sleep_forever()


def run(options: Sequence[str]) -> int:
    """Start a run, and stay; gives the exit code."""
    runs, workspace, script = options
    anyio.run(main, runs, workspace, script)
    return 0
