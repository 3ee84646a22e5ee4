"""What a sandbox costs: a whole run in it against the same run without, and the memory it holds.

The agent is `true`. In memory it is the proportional share (PSS) of the two processes that hold the
sandbox, against that of the shim, which every run has. Nothing is measured where there is none.
"""

from __future__ import annotations

import os
import statistics
import tempfile
import time
from pathlib import Path

import anyio
import anyio.to_thread

from benchmarks.ratio import Ratio
from sennit.adapters.platform import processes
from sennit.adapters.processes import LocalExecutor
from sennit.adapters.runs.values import RunSpec, Started
from sennit.adapters.sandbox.planning import Surroundings, plan
from sennit.adapters.sandbox.probing import probe
from sennit.core.agents import Sandboxing
from sennit.core.sandbox import NOT_ASKED, Confined, Sandbox

ROUNDS = 20


def measure() -> tuple[Ratio, ...]:
    """Medians over runs that take turns; nothing where there is no sandbox."""
    with tempfile.TemporaryDirectory() as name:
        workspace = Path(name, "workspace")
        workspace.mkdir()
        around = Surroundings(str(Path.home()), str(workspace), ())
        box = plan(Sandboxing.PREFERRED, probe(os.environ), (), around, read_only=False)
        if not isinstance(box, Confined):
            return ()
        executor = LocalExecutor(Path(name, "runs"), dict(os.environ))
        times = anyio.run(_times, executor, workspace, box)
        shim, held = anyio.run(_memory, executor, workspace, box)
    free, confined = (statistics.median(each) * 1000 for each in times)
    return (
        Ratio("run in a sandbox / without", confined, free, confined / free, 2.5, "ms"),
        Ratio("memory of a sandbox / shim", held, shim, held / shim, 2.0, "KiB"),
    )


async def _times(
    executor: LocalExecutor, workspace: Path, box: Sandbox
) -> tuple[list[float], list[float]]:
    found: tuple[list[float], list[float]] = ([], [])
    for number in range(ROUNDS):
        for into, sandbox in zip(found, (NOT_ASKED, box), strict=True):
            run = f"r-{number}-{len(into)}-{sandbox is box:d}"
            began = time.perf_counter()
            await executor.start(run, workspace, RunSpec(("true",), sandbox=sandbox))
            await executor.wait(run)
            into.append(time.perf_counter() - began)
    return found


async def _memory(executor: LocalExecutor, workspace: Path, box: Sandbox) -> tuple[int, int]:
    spec = RunSpec(("sleep", "1000"), sandbox=box)
    started = await executor.start("memory", workspace, spec)
    if not isinstance(started, Started):
        raise TypeError(started.message)
    try:
        return await anyio.to_thread.run_sync(_held, started.pid)
    finally:
        await executor.stop("memory", force=True)
        await executor.wait("memory")


def _held(bubblewrap: int) -> tuple[int, int]:
    """Kibibytes of the shim, and of bubblewrap with the first process inside."""
    found = processes.process(bubblewrap)
    if found is None:
        raise ProcessLookupError(bubblewrap)
    first, _agent = sorted(pid for pid, _ in processes.descendants(bubblewrap))
    return _share(found.parent), _share(bubblewrap) + _share(first)


def _share(pid: int) -> int:
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
