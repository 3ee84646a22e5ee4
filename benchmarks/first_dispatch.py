"""A fresh server and a fresh repository: until it is ready, until the first ticket, until settled.

Ready is from the start of the process to the first answer under ``sennit/``, for an editor, against
a Python that imports LSP's types, which no server of that library can do without where LSP is
spoken. The first dispatch has no reference but a figure to beat: 400 ms on a quiet machine, from
the request to its ticket.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.client import Client
from benchmarks.ratio import Ratio

ROUNDS = 5
TARGET_MS = 400.0
_MS = 1000


def measure() -> tuple[Ratio, ...]:
    """Medians of fresh servers on a fresh repository."""
    ready, imported, answered, settled, bare = [], [], [], [], []
    for _ in range(ROUNDS):
        with tempfile.TemporaryDirectory() as name:
            folder = _repository(Path(name) / "repository")
            imported.append(_import())
            began = time.perf_counter()
            with Client.of_sennit(folder, Path(name) / "state") as client:
                client.introduce()
                client.call("sennit/tickets", {})
                ready.append(time.perf_counter() - began)
                began = time.perf_counter()
                ticket = client.call("sennit/dispatch", {"tasks": [_TASK]})["ticket"]
                answered.append(time.perf_counter() - began)
                client.call("sennit/wait", {"ticket": ticket})
                settled.append(time.perf_counter() - began)
            bare.append(_worktree(folder))
    dispatch, whole = statistics.median(answered) * _MS, statistics.median(settled) * _MS
    reference = statistics.median(bare) * _MS
    until_ready, least = statistics.median(ready) * _MS, statistics.median(imported) * _MS
    return (
        Ratio("ready / import of LSP's types", until_ready, least, until_ready / least, 2.0, "ms"),
        Ratio("first dispatch / 400 ms", dispatch, TARGET_MS, dispatch / TARGET_MS, 1.0, "ms"),
        Ratio("trivial task / worktree, run, diff", whole, reference, whole / reference, 40, "ms"),
    )


_TASK = {"id": "one", "agent": "command", "prompt": "sed -i s/line/LINE/ file-1.txt"}


def _repository(folder: Path) -> Path:
    folder.mkdir()
    for number in range(200):
        (folder / f"file-{number}.txt").write_text("a line\n" * 20)
    _git(folder, "init", "--quiet")
    _git(folder, "add", ".")
    _git(folder, "-c", "user.name=b", "-c", "user.email=b@b", "commit", "--quiet", "-m", "files")
    return folder


def _import() -> float:
    began = time.perf_counter()
    subprocess.run([sys.executable, "-c", "import lsprotocol.types"], check=True)
    return time.perf_counter() - began


def _worktree(folder: Path) -> float:
    """The same by hand: a linked worktree, the program, a diff."""
    began = time.perf_counter()
    place = folder.parent / "by-hand"
    _git(folder, "worktree", "add", "--quiet", "--detach", str(place))
    subprocess.run(["sed", "-i", "s/line/LINE/", "file-1.txt"], cwd=place, check=True)
    _git(place, "diff", "--stat")
    return time.perf_counter() - began


def _git(folder: Path, *arguments: str) -> None:
    subprocess.run(["git", *arguments], cwd=folder, check=True, stdout=subprocess.DEVNULL)
