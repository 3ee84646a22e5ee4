"""From a dispatch to its ticket on a fresh server, and from there to the proposal of a small task.

The dispatch has no reference but a figure to beat: 400 ms on a quiet machine.
"""

from __future__ import annotations

import statistics
import subprocess
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
    answered, settled, bare = [], [], []
    for _ in range(ROUNDS):
        with tempfile.TemporaryDirectory() as name:
            folder = _repository(Path(name) / "repository")
            with Client.of_sennit(folder, Path(name) / "state") as client:
                client.introduce()
                began = time.perf_counter()
                ticket = client.call("sennit/dispatch", {"tasks": [_TASK]})["ticket"]
                answered.append(time.perf_counter() - began)
                client.call("sennit/wait", {"ticket": ticket})
                settled.append(time.perf_counter() - began)
            bare.append(_worktree(folder))
    dispatch, whole = statistics.median(answered) * _MS, statistics.median(settled) * _MS
    reference = statistics.median(bare) * _MS
    return (
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
