"""Resident memory of an idle server, against a Python that has imported asyncio and json."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.client import Client
from benchmarks.ratio import Ratio

TARGET = 5.0
_KIB_PER_MIB = 1024
_SETTLE_S = 1.0


def measure() -> Ratio:
    """One look at each, a second after the last request."""
    with tempfile.TemporaryDirectory() as name, Client.of_sennit(Path(name), Path(name)) as client:
        client.introduce()
        client.call("sennit/tickets", {})
        time.sleep(_SETTLE_S)
        ours = _resident(client.process.pid)
    program = "import asyncio, json, sys; sys.stdin.read()"
    with subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE) as bare:
        time.sleep(_SETTLE_S)
        least = _resident(bare.pid)
    return Ratio("idle memory / asyncio and json", ours, least, ours / least, TARGET, "MiB")


def _resident(pid: int) -> float:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / _KIB_PER_MIB
    raise RuntimeError(f"the process {pid} tells no memory")
