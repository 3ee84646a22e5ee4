"""Notices within 200 ms what other processes have committed."""

from __future__ import annotations

import logging
from collections.abc import Callable

from sennit.core.stored import StoreProblem, StoreProblemKind
from sennit.runtime.loop import Loop
from sennit.runtime.ports import Clock, Event

_log = logging.getLogger(__name__)

POLL_S = 0.1
GRACE_S = 2.0
"""How long a database may be away: somebody may have moved it and put it back."""


async def watch(
    loop: Loop, clock: Clock, tick: Callable[[], Event], lost: Callable[[StoreProblem], None]
) -> None:
    """Take over what others commit, and submit ``tick()`` after it, until cancelled.

    A problem of the store is logged when it begins; looking goes on. A database that is away and
    stays so is ``lost``, which is told once and ends the looking.
    """
    troubled = False
    away_since: float | None = None
    while True:
        await clock.sleep_until(clock.monotonic() + POLL_S)
        found: object = await loop.catch_up()
        if found is True:
            found = await loop.submit(tick())
        away = isinstance(found, StoreProblem) and found.kind is StoreProblemKind.GONE
        away_since = _since(away_since, clock) if away else None
        if isinstance(found, StoreProblem):
            if away_since is not None and clock.monotonic() - away_since >= GRACE_S:
                lost(found)
                return
            if not troubled:
                _log.error("%s What other servers do is not seen until then.", found.message)
            troubled = True
        else:
            troubled = False


def _since(before: float | None, clock: Clock) -> float:
    return clock.monotonic() if before is None else before
