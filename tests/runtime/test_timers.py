from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import apsw
import pytest

from sennit.adapters.store.opening import Options
from sennit.core.engine.state import State
from sennit.core.engine.step_values import Step
from sennit.runtime.timers import Timer, Timers
from tests.adapters.store.examples import TimerFired, TimerRow, TimerSet, step, value
from tests.runtime.running import Running, running, until
from tests.runtime.virtual_clock import VirtualClock

pytestmark = pytest.mark.anyio

HOUR_S = 3600
HOUR_MS = 3_600_000


@asynccontextmanager
async def ticking(path: Path, clock: VirtualClock, **more: Any) -> AsyncIterator[Running]:
    async with running(path, clock=clock, **more) as run:
        timers = Timers(
            loop=run.loop,
            clock=clock,
            of=lambda state: state.rows(TimerRow),
            fired=lambda timer, at: TimerFired(at=at, id=timer.key),
        )
        run.tasks.start_soon(timers.run)
        yield run


async def until_asleep(clock: VirtualClock, sleepers: int = 1) -> None:
    await until(lambda: clock.sleeping == sleepers)


def fired(run: Running, name: str) -> int:
    return value(run.loop.state, f"fired {name}")


def has_fired(name: str, state: State) -> bool:
    return value(state, f"fired {name}") == 1


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "state" / "sennit.db"


async def test_hours_pass_in_milliseconds_and_timers_fire_in_order(path: Path) -> None:
    clock = VirtualClock()
    async with ticking(path, clock) as run:
        for hours in (3, 1, 2):
            due = clock.now_ms() + hours * HOUR_MS
            await run.loop.submit(TimerSet(id=str(hours), due=due))
        for hours in (1, 2, 3):
            await until_asleep(clock)
            clock.advance(HOUR_S - 1)
            await anyio.sleep(0.005)
            assert fired(run, str(hours)) == 0
            clock.advance(1)
            await run.loop.wait_until(partial(has_fired, str(hours)))


async def test_a_timer_that_became_due_while_no_server_ran_fires_at_once(path: Path) -> None:
    clock = VirtualClock()
    async with running(path, clock=clock) as run:
        await run.loop.submit(TimerSet(id="a", due=clock.now_ms() + HOUR_MS))
    later = VirtualClock(wall_ms=clock.now_ms() + 2 * HOUR_MS)
    async with ticking(path, later) as run:
        await run.loop.wait_until(lambda _: fired(run, "a") == 1)


@pytest.mark.parametrize("jump", [-48 * HOUR_S, 48 * HOUR_S])
async def test_a_wall_clock_that_jumps_neither_hastens_nor_delays(path: Path, jump: float) -> None:
    clock = VirtualClock(wall_ms=10**12)
    async with ticking(path, clock) as run:
        await run.loop.submit(TimerSet(id="a", due=clock.now_ms() + HOUR_MS))
        await until_asleep(clock)
        clock.jump(jump)
        clock.advance(HOUR_S - 1)
        await anyio.sleep(0.01)
        assert fired(run, "a") == 0
        clock.advance(1)
        await run.loop.wait_until(lambda _: fired(run, "a") == 1)


async def test_a_timer_that_was_moved_fires_at_its_new_time_only(path: Path) -> None:
    clock = VirtualClock()
    async with ticking(path, clock) as run:
        begun = clock.now_ms()
        await run.loop.submit(TimerSet(id="a", due=begun + HOUR_MS))
        await until_asleep(clock)
        await run.loop.submit(TimerSet(id="a", due=begun + 2 * HOUR_MS))
        await anyio.sleep(0.01)
        clock.advance(HOUR_S)
        await anyio.sleep(0.01)
        assert fired(run, "a") == 0
        clock.advance(HOUR_S)
        await run.loop.wait_until(lambda _: fired(run, "a") == 1)


async def test_a_timer_that_the_engine_leaves_fires_once(path: Path) -> None:
    def leave(state: State, event: Any, sequence: int) -> Step[Any]:
        made = step(state, event, sequence)
        return Step(made.changes[1:]) if isinstance(event, TimerFired) else made

    clock = VirtualClock()
    async with ticking(path, clock, step=leave) as run:
        await run.loop.submit(TimerSet(id="a", due=clock.now_ms()))
        await run.loop.wait_until(lambda _: fired(run, "a") == 1)
        for _ in range(5):
            clock.advance(HOUR_S)
            await anyio.sleep(0.002)
        assert fired(run, "a") == 1


async def test_a_timer_fires_when_the_store_can_be_written_again(path: Path) -> None:
    clock = VirtualClock()
    async with ticking(path, clock, options=Options(busy_timeout_ms=20)) as run:
        await run.loop.submit(TimerSet(id="a", due=clock.now_ms() + HOUR_MS))
        await until_asleep(clock)
        other = apsw.Connection(str(path))
        other.execute("BEGIN IMMEDIATE")
        clock.advance(HOUR_S)
        await until_asleep(clock, 0)
        await until_asleep(clock)
        other.execute("ROLLBACK")
        clock.advance(2)
        await run.loop.wait_until(lambda _: fired(run, "a") == 1)


def test_a_row_of_the_engine_is_a_timer() -> None:
    timer: Timer = TimerRow("a", 1)
    assert (timer.key, timer.due) == ("a", 1)
