"""Notices within 200 ms what other processes have committed."""

from __future__ import annotations

import logging
from collections.abc import Callable

from sennit.core.stored import StoreProblem
from sennit.runtime.loop import Loop
from sennit.runtime.ports import Clock, Event

_log = logging.getLogger(__name__)

POLL_S = 0.1


async def watch(loop: Loop, clock: Clock, tick: Callable[[], Event]) -> None:
    """Take over what others commit, and submit ``tick()`` after it, until cancelled.

    A problem of the store is logged when it begins; looking goes on.
    """
    troubled = False
    while True:
        await clock.sleep_until(clock.monotonic() + POLL_S)
        found: object = await loop.catch_up()
        if found is True:
            found = await loop.submit(tick())
        if isinstance(found, StoreProblem):
            if not troubled:
                _log.error("%s What other servers do is not seen until then.", found.message)
            troubled = True
        else:
            troubled = False
