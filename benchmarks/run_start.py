"""How long until an agent's first instruction: through the executor, and as a plain child.

The agent is `date`, which prints the instant. Also: a whole run to its proved end.
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import anyio

from sennit.adapters.processes import LocalExecutor
from sennit.adapters.runs.values import RunSpec

ROUNDS = 40
AGENT = ("/bin/date", "+%s%N")


def plain() -> float:
    """Milliseconds from the call of Popen to the first instruction of its program."""
    began = time.time_ns()
    done = subprocess.run(AGENT, capture_output=True, check=True)
    return (int(done.stdout) - began) / 1e6


def bare_python() -> float:
    """Milliseconds that an isolated Python takes to do nothing."""
    began = time.perf_counter_ns()
    subprocess.run([sys.executable, "-I", "-S", "-P", "-c", "pass"], check=True)
    return (time.perf_counter_ns() - began) / 1e6


async def supervised(executor: LocalExecutor, workspace: Path, run_id: str) -> tuple[float, float]:
    """Milliseconds from `start` to the first instruction, and to the end with its record."""
    began = time.time_ns()
    await executor.start(run_id, workspace, RunSpec(AGENT))
    await executor.wait(run_id)
    ended = time.time_ns()
    output = await anyio.Path(executor.runs_folder / run_id / "stdout").read_bytes()
    return (int(output) - began) / 1e6, (ended - began) / 1e6


async def main() -> None:
    """Measure in turns, so that whatever else the machine does hits all alike."""
    first, whole, child, python = [], [], [], []
    with tempfile.TemporaryDirectory() as place:
        workspace = Path(place)
        executor = LocalExecutor(Path(place, "runs"), dict(os.environ))
        for number in range(ROUNDS):
            start, end = await supervised(executor, workspace, f"r-{number}")
            first.append(start)
            whole.append(end)
            child.append(plain())
            python.append(bare_python())
    base = statistics.median(child)
    for name, values in (
        ("plain child, first instruction", child),
        ("isolated Python that does nothing", python),
        ("executor, first instruction", first),
        ("executor, whole run proved ended", whole),
    ):
        middle = statistics.median(values)
        print(f"{name:36} p50 {middle:7.2f} ms  min {min(values):7.2f}  x{middle / base:.1f}")


if __name__ == "__main__":
    anyio.run(main)
