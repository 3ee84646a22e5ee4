"""A clock that stands still until a test moves it."""

from __future__ import annotations

import anyio
from attrs import define, field


@define(eq=False)
class VirtualClock:
    """Wall clock and monotonic clock go together, but for ``jump``."""

    wall_ms: int = 1_000_000
    seconds: float = 0.0
    _sleepers: list[tuple[float, anyio.Event]] = field(factory=list, init=False)

    def now_ms(self) -> int:
        return self.wall_ms

    def monotonic(self) -> float:
        return self.seconds

    async def sleep_until(self, monotonic: float) -> None:
        if monotonic > self.seconds:
            sleeper = (monotonic, anyio.Event())
            self._sleepers.append(sleeper)
            try:
                await sleeper[1].wait()
            finally:
                self._sleepers.remove(sleeper)
        else:
            await anyio.lowlevel.checkpoint()

    def advance(self, seconds: float) -> None:
        """Let time pass."""
        self.seconds += seconds
        self.wall_ms += int(seconds * 1000)
        for due, event in self._sleepers:
            if due <= self.seconds:
                event.set()

    def jump(self, seconds: float) -> None:
        """Somebody sets the wall clock."""
        self.wall_ms += int(seconds * 1000)

    @property
    def sleeping(self) -> int:
        return len(self._sleepers)
