"""Processor time of a command of the terminal, with the server that it starts and ends.

`sennit tickets` in an empty repository, against a Python that imports LSP's types: a command speaks
no LSP but its life cycle, so that neither of its two processes may import them. User and system
time of all processes; the least of some rounds in turns, for other work only ever adds to it.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.ratio import Ratio

ROUNDS = 8
TARGET = 2.6
_MS = 1000


def measure() -> Ratio:
    """The least of both."""
    ours, imports = [], []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "repository"
        subprocess.run(["git", "init", "--quiet", str(folder)], check=True)
        state = {"SENNIT_STATE_DIR": name, "SENNIT_CONFIG_DIR": name}
        for _ in range(ROUNDS):
            ours.append(_cost("-m", "sennit", "-C", str(folder), "tickets", environment=state))
            imports.append(_cost("-c", "import lsprotocol.types", environment={}))
    mine, reference = min(ours) * _MS, min(imports) * _MS
    what = "sennit tickets / import of LSP's types"
    return Ratio(what, mine, reference, mine / reference, TARGET, "ms")


def _cost(*arguments: str, environment: dict[str, str]) -> float:
    """Seconds of a Python with these arguments, and of all that it has waited for."""
    before = os.times()
    subprocess.run(
        [sys.executable, *arguments],
        env={**os.environ, **environment},
        stdout=subprocess.DEVNULL,
        check=True,
    )
    after = os.times()
    user = after.children_user - before.children_user
    return user + after.children_system - before.children_system
