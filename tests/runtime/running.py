"""A loop over a real database, for tests."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
from attrs import define, field

from sennit.adapters.store.opening import Options
from sennit.adapters.store.writer import Store, open_store
from sennit.core.engine.state import State
from sennit.core.engine.step_values import Issued, Put
from sennit.core.stored import Loaded, StoreProblem
from sennit.runtime.clock import SystemClock
from sennit.runtime.loop import EffectEnd, Loop
from sennit.runtime.ports import Clock, Effects, Event
from tests.adapters.store.examples import Failed, codec, step

WITHIN_S = 20


@define(eq=False)
class Running:
    """What a test gets; ``progress`` and ``problems`` are what the loop told."""

    loop: Loop
    store: Store
    tasks: anyio.abc.TaskGroup
    clock: Clock
    progress: list[tuple[str, object]] = field(factory=list)
    problems: list[StoreProblem] = field(factory=list)


@asynccontextmanager
async def running(
    path: Path,
    effects: Effects | None = None,
    *,
    clock: Clock | None = None,
    owner: str = "s_a",
    step: Callable[[State, Any, int], Any] = step,
    options: Options | None = None,
) -> AsyncIterator[Running]:
    """Start it; what still runs at the end is cancelled. Nothing takes longer than the limit."""
    store = await open_store(path, codec(), owner, options)
    assert isinstance(store, Store), store
    try:
        with anyio.fail_after(WITHIN_S):
            async with anyio.create_task_group() as tasks:
                yield await _make(store, tasks, effects or {}, clock or SystemClock(), step)
                tasks.cancel_scope.cancel()
    finally:
        await store.close()


async def _make(
    store: Store,
    tasks: anyio.abc.TaskGroup,
    effects: Effects,
    clock: Clock,
    step: Callable[[State, Any, int], Any],
) -> Running:
    loaded = await store.load()
    assert isinstance(loaded, Loaded)
    state = State()
    state.apply(Put(row) for row in loaded.rows)
    progress: list[tuple[str, object]] = []
    problems: list[StoreProblem] = []
    loop = Loop(
        state=state,
        sequence=loaded.sequence,
        step=step,
        store=store,
        effects=effects,
        clock=clock,
        tasks=tasks,
        failed=failed,
        on_progress=lambda issued, value: progress.append((issued.id, value)),
        on_problem=problems.append,
    )
    return Running(loop, store, tasks, clock, progress, problems)


def failed(issued: Issued, end: EffectEnd, message: str) -> Event:
    return Failed(cause=issued.id, message=f"{end}: {message}")


async def until(holds: Callable[[], bool]) -> None:
    """Wait for something that tells nobody; ``running`` limits the time."""
    while not holds():  # noqa: ASYNC110  there is no event to wait for
        await anyio.sleep(0.001)
