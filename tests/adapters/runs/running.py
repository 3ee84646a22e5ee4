"""What tests of real runs share: finding left-over processes, waiting, quick runs."""

import os
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from sennit.adapters.platform import processes
from sennit.adapters.runs.values import RunSpec

PATIENCE_S = 20


def processes_of(tmp_path: Path) -> list[int]:
    """Pids of all processes that run under a run folder in `tmp_path`, shims included."""
    sign = b"SENNIT_RUN_DIR=" + os.fsencode(tmp_path)
    found = []
    for each in processes.processes():
        if each.ended:
            continue
        try:
            variables = Path(f"/proc/{each.pid}/environ").read_bytes().split(b"\0")
        except OSError:
            continue
        if any(entry.startswith(sign) for entry in variables):
            found.append(each.pid)
    return found


def end_processes_of(tmp_path: Path) -> list[int]:
    """Kill what is left of the runs in `tmp_path`; gives what there was."""
    left = processes_of(tmp_path)
    for pid in left:
        start = processes.start_time(pid)
        if start is not None:
            processes.signal_process(pid, start, 9)
    return left


def eventually(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not holds():
        assert time.monotonic() < deadline, "it did not come true in time"
        time.sleep(0.005)


def shell(script: str, **more: object) -> RunSpec:
    """A run of a shell script with a quick stop ladder."""
    times = {"cancel_ms": 200, "close_ms": 200, "term_ms": 200}
    return RunSpec(argv=("sh", "-c", script), **{**times, **more})  # type: ignore[arg-type]


@contextmanager
def stranger_in(folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A process in `folder` that no run started; yields when it is there."""
    running = subprocess.Popen(["/bin/sh", "-c", "echo > inside; exec sleep 1000"], cwd=folder)
    try:
        eventually((folder / "inside").exists)
        yield running
    finally:
        running.kill()
        running.wait()
