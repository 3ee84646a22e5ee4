from __future__ import annotations

import logging
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import anyio
import anyio.lowlevel
import apsw
import pytest

from sennit.core.engine.state import State
from sennit.core.stored import StoreProblem, StoreProblemKind
from sennit.runtime.clock import SystemClock
from sennit.runtime.watch import GRACE_S, POLL_S, watch
from tests.adapters.store.examples import Added, opened, value
from tests.runtime.running import running, until
from tests.runtime.virtual_clock import VirtualClock

pytestmark = pytest.mark.anyio

ROOT = Path(__file__).parents[2]
TRIES = 8


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "state" / "sennit.db"


def has_value(number: int, state: State) -> bool:
    return value(state) == number


def ticks() -> Added:
    return Added(counter="ticks")


def not_lost(problem: StoreProblem) -> None:
    pytest.fail(problem.message)


async def test_what_others_commit_is_seen_within_200_ms(path: Path) -> None:
    took: list[float] = []
    async with running(path) as ours, running(path) as theirs:
        ours.tasks.start_soon(watch, ours.loop, SystemClock(), ticks, not_lost)
        for number in range(1, TRIES):
            await theirs.loop.submit(Added())
            begun = time.monotonic()
            await ours.loop.wait_until(partial(has_value, number))
            took.append(time.monotonic() - begun)
        # The quickest half: a busy machine may delay one or the other.
        assert sorted(took)[TRIES // 2] < 0.2
        await ours.loop.wait_until(lambda state: value(state, "ticks") >= 1)


async def test_nothing_is_submitted_while_nothing_changes(path: Path) -> None:
    clock = VirtualClock()
    async with running(path) as run:
        run.tasks.start_soon(watch, run.loop, clock, Added, not_lost)
        for _ in range(20):
            await until(lambda: clock.sleeping == 1)
            clock.advance(1)
            await anyio.lowlevel.checkpoint()
        assert run.loop.sequence == 0


async def test_looking_goes_on_after_a_problem(
    path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with running(path) as ours, running(path) as theirs:
        ours.tasks.start_soon(watch, ours.loop, SystemClock(), ticks, not_lost)
        with caplog.at_level(logging.ERROR):
            other = apsw.Connection(str(path))
            other.execute("ALTER TABLE events RENAME TO hidden")
            await until(lambda: bool(caplog.records))
            other.execute("ALTER TABLE hidden RENAME TO events")
        await theirs.loop.submit(Added())
        await ours.loop.wait_until(lambda state: value(state) == 1)
    assert len(caplog.records) == 1


async def look(clock: VirtualClock) -> None:
    """Let it look once more."""
    await until(lambda: clock.sleeping == 1)
    clock.advance(POLL_S)
    await anyio.lowlevel.checkpoint()


async def test_a_database_that_stays_away_is_lost_once(
    path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    clock = VirtualClock()
    lost: list[StoreProblem] = []
    async with running(path) as run:
        run.tasks.start_soon(watch, run.loop, clock, ticks, lost.append)
        await look(clock)
        path.parent.rename(path.parent.with_name("away"))
        looks = 0
        while not lost:
            clock.advance(POLL_S)
            looks += 1
            await anyio.lowlevel.checkpoint()
            await until(lambda: clock.sleeping == 1 or bool(lost))
        assert looks >= GRACE_S / POLL_S
        assert [one.kind for one in lost] == [StoreProblemKind.GONE]
        assert clock.sleeping == 0
    assert len(caplog.records) == 1


async def test_a_database_that_comes_back_in_time_is_gone_on_with(path: Path) -> None:
    clock = VirtualClock()
    async with running(path) as run:
        run.tasks.start_soon(watch, run.loop, clock, ticks, not_lost)
        for _ in range(3):
            away = path.parent.rename(path.parent.with_name("away"))
            for _ in range(int(GRACE_S / POLL_S) - 1):
                await look(clock)
            away.rename(path.parent)
            await look(clock)
            await until(lambda: clock.sleeping == 1)


@pytest.mark.slow
@pytest.mark.timeout(180)
def test_four_processes_write_at_once_and_no_step_is_lost_or_fails(path: Path) -> None:
    steps, writers = 50, 4
    opened(path).close()
    command = [sys.executable, "-m", "tests.runtime.writing", str(path), str(steps)]
    running_ = [
        subprocess.Popen([*command, f"s_{name}"], cwd=ROOT, stdout=subprocess.PIPE, text=True)
        for name in range(writers)
    ]
    outcomes = [int(line) for each in running_ for line in each.communicate()[0].split()]
    assert [each.returncode for each in running_] == [0] * writers
    # Each step read what the one before had written, whoever had taken it.
    assert sorted(outcomes) == list(range(1, steps * writers + 1))
    connection = opened(path)._connection
    sequences = [row[0] for row in connection.execute("SELECT sequence FROM events ORDER BY 1")]
    assert sequences == list(range(1, steps * writers + 1))
