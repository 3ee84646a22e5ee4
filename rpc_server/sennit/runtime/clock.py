"""The clock of the machine."""

from __future__ import annotations

import time

import anyio

_NS_PER_MS = 1_000_000


class SystemClock:
    """The wall clock and the monotonic one; the latter stands still while the machine sleeps."""

    def now_ms(self) -> int:
        """Milliseconds since 1970 UTC."""
        return time.time_ns() // _NS_PER_MS

    def monotonic(self) -> float:
        """Seconds since some time before the start of this process."""
        return time.monotonic()

    async def sleep_until(self, monotonic: float) -> None:
        """Return when ``monotonic()`` has reached that value."""
        await anyio.sleep(max(0.0, monotonic - time.monotonic()))
