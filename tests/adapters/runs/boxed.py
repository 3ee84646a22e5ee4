"""Runs in a real sandbox: begun, waited for, and what they said."""

from pathlib import Path

import anyio
import anyio.to_thread

from sennit.adapters.processes import LocalExecutor
from sennit.adapters.runs.values import Exited, RunSpec, Started
from tests.adapters.runs.running import eventually

ENDURE = 30


async def ended(executor: LocalExecutor, workspace: Path, spec: RunSpec) -> Exited:
    start = await executor.start("r-1", workspace, spec)
    assert isinstance(start, Started), start
    with anyio.fail_after(ENDURE):
        return await executor.wait("r-1")


async def ready(workspace: Path) -> None:
    await anyio.to_thread.run_sync(eventually, (workspace / "ready").exists)


def said(executor: LocalExecutor, stream: str = "stdout") -> str:
    return (executor.runs_folder / "r-1" / stream).read_text()
