"""What Sennit costs beside an agent: the same task run directly and through the server.

``python -m tests.agents.cost [AGENT...]`` prints a line for each agent and keeps it for the table.
Of several rounds the quickest counts, for a machine that is busy only ever adds.
"""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from threading import Event, Thread

import attrs
from attrs import frozen

from tests.agents import endpoint
from tests.agents.checks import ONE
from tests.agents.network import cut_off
from tests.agents.real import AGENTS, CACHE, PROMPT, RealAgent
from tests.agents.stage import Stage, Trial, of_task, staged
from tests.e2e.scene import Client

ROUNDS = 3
FILE = CACHE / "cost.json"
_TASK = "[script edit]"
_SAMPLE_S = 0.2


@frozen
class Cost:
    """Seconds and MB of one run; `server_mb` is what the server itself takes, once for all runs."""

    seconds: float
    agent_mb: float
    server_mb: float = 0


@frozen
class Compared:
    """One agent, run directly and through Sennit."""

    agent: str
    direct: Cost
    through: Cost

    def line(self) -> str:
        """A row of the table."""
        direct, through = self.direct, self.through
        return (
            f"| {self.agent} | {direct.seconds:.1f} s | {through.seconds:.1f} s "
            f"| {through.seconds / direct.seconds:.2f} | {direct.agent_mb:.0f} MB "
            f"| {through.agent_mb:.0f} MB | {through.agent_mb / direct.agent_mb:.2f} "
            f"| {through.server_mb:.0f} MB |"
        )


def compare(agent: RealAgent, address: str) -> Compared:
    """Run both ways by turns."""
    rounds = [(_direct(agent, address), _through(agent, address)) for _ in range(ROUNDS)]
    direct, through = zip(*rounds, strict=True)
    return Compared(agent.name, _least(direct), _least(through))


def _least(costs: Iterable[Cost]) -> Cost:
    found = list(costs)
    return Cost(
        min(each.seconds for each in found),
        min(each.agent_mb for each in found),
        min(each.server_mb for each in found),
    )


def _direct(agent: RealAgent, address: str) -> Cost:
    with staged(Trial(agent, "headless", "preferred"), address, {}) as stage:
        argv = [_TASK if word == PROMPT else word for word in agent.headless]
        env = agent.environment(address, stage.home) | {"TMPDIR": str(stage.temporary)}

        def run() -> float:
            began = time.monotonic()
            subprocess.run(
                argv, cwd=stage.repo, env=env, stdin=subprocess.DEVNULL, capture_output=True,
                check=True,
            )  # fmt: skip
            return time.monotonic() - began

        return Cost(*_watched(stage, run))


def _through(agent: RealAgent, address: str) -> Cost:
    with staged(Trial(agent, "headless", "preferred"), address, {}) as stage:
        server = stage.serve()
        # A server runs for days: its first task finds everything cold, the others do not.
        first = server.dispatch({"id": ONE, "agent": "command", "prompt": "true"})
        server.ask("wait", ticket=first, timeoutMs=120_000)

        def run() -> float:
            return _seconds(server, stage)

        seconds, megabytes = _watched(stage, run)
        return Cost(seconds, megabytes, _megabytes([server.process.pid]))


def _seconds(server: Client, stage: Stage) -> float:
    began = time.monotonic()
    ticket = server.dispatch(stage.task(ONE, _TASK))
    view = server.ask("wait", ticket=ticket, timeoutMs=120_000)["view"]
    assert of_task(view, ONE)["state"] == "completed", view
    return time.monotonic() - began


def _watched(stage: Stage, run: Callable[[], float]) -> tuple[float, float]:
    """Run, and give its seconds and the most MB that processes of the stage had meanwhile."""
    most, done = [0.0], Event()

    def watch() -> None:
        while not done.wait(_SAMPLE_S):
            most[0] = max(most[0], _megabytes(stage.processes()))

    watcher = Thread(target=watch)
    watcher.start()
    try:
        seconds = run()
    finally:
        done.set()
        watcher.join()
    return seconds, most[0]


def _megabytes(pids: Iterable[int]) -> float:
    """The proportional set size of processes together."""
    kilobytes = 0
    for pid in pids:
        with contextlib.suppress(OSError, ValueError):
            lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
            kilobytes += next(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
    return kilobytes / 1024


def load() -> list[str]:
    """The rows of the table."""
    if not FILE.exists():
        return []
    kept = json.loads(FILE.read_text())
    return [
        Compared(name, Cost(**each["direct"]), Cost(**each["through"])).line()
        for name, each in sorted(kept.items())
    ]


def main() -> None:
    """Measure the agents that are named, or all."""
    cut_off("tests.agents.cost", *sys.argv[1:])
    kept = json.loads(FILE.read_text()) if FILE.exists() else {}
    with endpoint.running() as served:
        for agent in AGENTS:
            if sys.argv[1:] and agent.name not in sys.argv[1:]:
                continue
            found = compare(agent, served.address)
            print(found.line(), flush=True)  # noqa: T201  a program for people
            kept[agent.name] = attrs.asdict(found)
            FILE.write_text(json.dumps(kept, indent=1))


if __name__ == "__main__":
    main()
