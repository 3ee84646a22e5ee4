"""Real agents through the real server: `make test-agents`, or `python -m tests.agents --help`.

Installs the agents where they are missing, then goes through every check where only loopback is.
Exits with 1 when something is otherwise than `tests/agents/expected.py` says.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
import traceback
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

from attrs import frozen

from tests.agents import endpoint
from tests.agents.checks import CHECKS, Found, settings_of
from tests.agents.installing import install
from tests.agents.network import CUT_OFF, cut_off
from tests.agents.real import AGENTS, CACHE, RealAgent
from tests.agents.results import Result, load, save
from tests.agents.stage import Trial, staged
from tests.agents.table import write

WAYS = ("headless", "acp")
SANDBOXES = ("preferred", "off")


def main() -> int:
    """Run what the arguments say."""
    given = _arguments()
    chosen = [each for each in AGENTS if not given.agents or each.name in given.agents]
    if given.only_write:
        write(load())
        return 0
    if CUT_OFF not in os.environ:
        for agent in chosen:
            _say(f"{agent.name}: {install(agent) or 'installed'}")
    if CACHE.is_relative_to(tempfile.gettempdir()):
        _say(f"{CACHE} is below the folder for temporary files, where codex runs no command")
    is_cut = cut_off("tests.agents", *sys.argv[1:])
    _say("only loopback is reached" if is_cut else "the machine allows no network of its own")
    checks: Sequence[str] = given.checks or list(CHECKS)
    trials = [
        Trial(agent, way, sandbox, given.kind)
        for agent in chosen
        for way in given.ways or WAYS
        for sandbox in given.sandbox or SANDBOXES
        if (agent.folder / ".installed").exists() and way in agent.built_in
    ]
    with endpoint.running(log=_fresh_log(chosen)) as served:
        around = Surroundings(served.address, is_cut)
        results = list(_run_all(trials, checks, around))
    if given.write:
        write(load())
    return 1 if any(result.is_unexpected for result in results) else 0


@frozen
class Surroundings:
    """Where all checks happen: the endpoint's address, and whether only loopback is reached."""

    address: str
    is_cut_off: bool


def _run_all(
    trials: Sequence[Trial], checks: Sequence[str], around: Surroundings
) -> Iterator[Result]:
    for trial in trials:
        for check in checks:
            result = _run(trial, check, around)
            save(result)
            _say(result.line())
            yield result


def _run(trial: Trial, check: str, around: Surroundings) -> Result:
    began = time.monotonic()
    with staged(trial, around.address, settings_of(trial.agent.name, check)) as stage:
        try:
            found = CHECKS[check](stage)
        except Exception:  # noqa: BLE001  one check that breaks must not hide what others find
            last = traceback.format_exc().strip().splitlines()
            errors = [server.stderr()[-600:] for server in stage.servers]
            found = Found(["broke"], [" | ".join(last[-6:]), *filter(None, errors)])
    return Result(
        trial.agent.name,
        trial.way,
        trial.sandbox,
        check,
        "; ".join(found.said),
        tuple(found.wrong),
        round(time.monotonic() - began, 1),
        datetime.now(tz=UTC).date().isoformat(),
        around.is_cut_off,
        trial.kind,
    )


def _fresh_log(agents: Sequence[RealAgent]) -> Path:
    log = CACHE / f"requests-{'-'.join(each.name for each in agents)}.jsonl"
    log.unlink(missing_ok=True)
    return log


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="tests.agents", description=__doc__)
    parser.add_argument("--agents", nargs="*", choices=[each.name for each in AGENTS])
    parser.add_argument("--ways", nargs="*", choices=WAYS)
    parser.add_argument("--sandbox", nargs="*", choices=SANDBOXES)
    parser.add_argument("--kind", choices=("auto", "overlay"), default="auto")
    parser.add_argument("--checks", nargs="*", choices=list(CHECKS))
    parser.add_argument("--write", action="store_true", help="write the table of docs/agents.md")
    parser.add_argument("--only-write", action="store_true", help="from the results of before")
    return parser.parse_args()


def _say(line: str) -> None:
    print(line, flush=True)  # noqa: T201  a program for people


if __name__ == "__main__":
    sys.exit(main())
