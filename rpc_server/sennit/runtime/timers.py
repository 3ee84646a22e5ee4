"""Turns timers that are due into events.

A deadline is stored by the wall clock, since it has to survive a restart. Once seen it is waited
for by the monotonic clock, so that a wall clock that jumps neither hastens nor delays it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Protocol

import anyio
from attrs import define, field

from sennit.core.engine.state import State
from sennit.core.stored import StoreProblem
from sennit.runtime.loop import Loop
from sennit.runtime.ports import Clock, Event

_RETRY_S = 1.0
_MS_PER_S = 1000


class Timer(Protocol):
    """A row that is due at a time, in milliseconds since 1970 UTC."""

    @property
    def key(self) -> str:
        """The row's key."""

    @property
    def due(self) -> int:
        """When it is due."""


@define(eq=False, kw_only=True)
class Timers:
    """Watches the timers that ``of`` finds in the state: those that this server has to fire.

    ``fired`` makes the event from a timer and the time. The engine removes or moves the row; a
    timer that it leaves as it is does not fire again in this process.
    """

    _loop: Loop
    _clock: Clock
    _of: Callable[[State], Iterable[Timer]]
    _fired: Callable[[Timer, int], Event]
    _deadlines: dict[tuple[str, int], float] = field(factory=dict, init=False)
    _spent: set[tuple[str, int]] = field(factory=set, init=False)

    async def run(self) -> None:
        """Fire timers until cancelled."""
        with self._loop.changes() as batches:
            while True:
                earliest = await self._fire_due()
                async with anyio.create_task_group() as race:
                    # Whatever comes first: the next deadline, or a change that may move it.
                    if earliest is not None:
                        race.start_soon(self._sleep, earliest, race.cancel_scope)
                    await anext(batches)
                    race.cancel_scope.cancel()

    async def _sleep(self, until: float, scope: anyio.CancelScope) -> None:
        await self._clock.sleep_until(until)
        scope.cancel()

    async def _fire_due(self) -> float | None:
        """Fire what is due; gives when to look again, by the monotonic clock."""
        while (timer := self._next()) is not None:
            deadline = self._deadlines[timer.key, timer.due]
            if deadline > self._clock.monotonic():
                return deadline
            event = self._fired(timer, self._clock.now_ms())
            if isinstance(await self._loop.submit(event), StoreProblem):
                return self._clock.monotonic() + _RETRY_S
            self._spent.add((timer.key, timer.due))
        return None

    def _next(self) -> Timer | None:
        """The timer with the earliest deadline, of those that are there now."""
        there = {(timer.key, timer.due): timer for timer in self._of(self._loop.state)}
        self._spent.intersection_update(there)
        waiting = there.keys() - self._spent
        now_ms, now = self._clock.now_ms(), self._clock.monotonic()
        self._deadlines = {
            each: self._deadlines.get(each, now + (each[1] - now_ms) / _MS_PER_S)
            for each in waiting
        }
        first = min(waiting, key=lambda each: (self._deadlines[each], each), default=None)
        return there[first] if first is not None else None
