"""Ends agents that leave descendants everywhere, many times, and counts what survives.

`python -m tests.soak --cancels 1000 --kills 200`: cancels of tasks, and kill -9 of the server, at
random instants. Each agent (a shell, or a peer over ACP) leaves a child in the background, one in a
session of its own, and one whose parents are gone. After each round no process may be left, and
every run that began must have been captured. The seed is printed; `--seed` repeats a soak.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from rich.console import Console

from tests.e2e.scene import Machine, Repo, sh
from tests.wire_client import eventually

PEER = Path(__file__).with_name("acp_peer.py")
BATCH = 8
GONE_S = 60
_CAPTURED = {"captured", "quarantined"}
BROOD = (
    "echo work > $0.txt; sleep 1000 & setsid sleep 1000 & (setsid sh -c 'sleep 1000 & sleep 1000' &"
    "); nohup sleep 1000 >/dev/null 2>&1 & wait"
)


def main() -> int:
    """Soak as the arguments say; 1 when something survived or was lost."""
    parser = argparse.ArgumentParser(prog="python -m tests.soak", description=__doc__)
    parser.add_argument("--cancels", type=int, default=40)
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--seed", type=int, default=random.randrange(2**32))
    given = parser.parse_args()
    chance = random.Random(given.seed)
    console = Console()
    console.print(f"seed {given.seed}")
    with tempfile.TemporaryDirectory(prefix="sennit-soak-") as name:
        soak = Soak(Path(name), chance, console)
        soak.cancel(given.cancels)
        soak.kill(given.kills)
        soak.machine.close()
    console.print(f"survivors: {soak.survivors}, runs that were not captured: {soak.lost}")
    return 1 if soak.survivors or soak.lost else 0


class Soak:
    """One machine, and what went wrong on it."""

    def __init__(self, root: Path, chance: random.Random, console: Console) -> None:
        self.machine = Machine(root)
        quick = "cancelMs = 300\ncloseMs = 300\ntermMs = 300\n"
        self.machine.settings(f"[limits]\ntasks = {BATCH}\n[stop]\n{quick}")
        self.machine.agent("peer", [sys.executable, str(PEER)], "kind = 'acp'", "sandbox = 'off'")
        self.repo: Repo = self.machine.repo()
        self._chance = chance
        self._console = console
        self.survivors = 0
        self.lost = 0

    def cancel(self, count: int) -> None:
        """Cancel so many tasks, in tickets of a few, each ticket at a random instant."""
        server = self.machine.serve(self.repo)
        done = 0
        while done < count:
            size = min(BATCH, count - done)
            ticket = server.dispatch(*self._tasks(size), offer="manual")
            time.sleep(self._chance.uniform(0.0, 1.5))
            server.ask("cancel", ticket=ticket, force=True)
            self._look(server.settled(ticket), {server.process.pid})
            done += size
            self._console.print(f"cancelled {done} of {count}")
        server.__exit__(None, None, None)
        self.machine.servers.clear()

    def kill(self, count: int) -> None:
        """Kill so many servers at random instants; the next one takes what they left."""
        server = self.machine.serve(self.repo)
        for number in range(1, count + 1):
            ticket = server.dispatch(*self._tasks(3), offer="manual")
            time.sleep(self._chance.uniform(0.0, 1.5))
            server.kill_9()
            self.machine.servers.clear()
            server = self.machine.serve(self.repo)
            self._look(server.settled(ticket), {server.process.pid})
            self._console.print(f"killed {number} of {count}")
        server.__exit__(None, None, None)
        self.machine.servers.clear()

    def _tasks(self, count: int) -> list[dict[str, object]]:
        return [self._task(f"t{number}") for number in range(count)]

    def _task(self, name: str) -> dict[str, object]:
        if self._chance.random() < 0.5:
            return {"id": name, "agent": "command", "prompt": sh(BROOD)}
        prompt = f"write {name}.txt work\norphan {name}-a\norphan {name}-b\nsleep 1000"
        return {"id": name, "agent": "peer", "prompt": prompt, "retries": 0}

    def _look(self, view: dict[str, Any], allowed: set[int]) -> None:
        for task in view["tasks"]:
            for run in task["runs"]:
                if run.get("startedAt") and run["state"] not in _CAPTURED:
                    self.lost += 1
                    self._console.print(f"not captured: {task['id']} {run}")
        if not eventually(lambda: not self._others(allowed), GONE_S):
            left = self._others(allowed)
            self.survivors += len(left)
            self._console.print(f"survivors: {left}")

    def _others(self, allowed: set[int]) -> dict[int, str]:
        return {pid: what for pid, what in self.machine.ours().items() if pid not in allowed}


if __name__ == "__main__":
    sys.exit(main())
