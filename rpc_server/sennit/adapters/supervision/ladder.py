"""The stop ladder: which rung an ending agent is on, and when the next one is due."""

from __future__ import annotations

import os
import time

from sennit.adapters.platform import signals

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from sennit.adapters.supervision.grip import Grip
    from sennit.adapters.supervision.order import Order

_CLOSE = 0
"""Stands for the rung that sends no signal."""


class Ladder:
    """Polite signal to the agent, TERM to its group, KILL to its group; each waits its time.

    Closing standard input is a rung where the server speaks into it (`voice`, the shim's end of
    it). Elsewhere it is a file or nothing, which the agent has read to its end or can: there is
    nothing to close and nothing to wait for. `exhausted`: even KILL did not end it in time.
    """

    __slots__ = ("_due", "_grip", "_rungs", "_voice", "exhausted")

    def __init__(self, order: Order, grip: Grip, voice: int | None) -> None:
        polite = [(order["polite_signal"], order["cancel_ms"])] if order["polite_signal"] else []
        close = [] if voice is None else [(_CLOSE, order["close_ms"])]
        self._rungs: Final = [
            *polite,
            *close,
            (signals.TERMINATE, order["term_ms"]),
            (signals.KILL, order["sweep_ms"]),
        ]
        self._grip: Final = grip
        self._voice = voice
        self._due: float | None = None
        self.exhausted = False

    def begin(self) -> None:
        """Start on the first rung; without effect when already on the way."""
        if self._due is None:
            self._due = time.monotonic()

    def jump(self) -> None:
        """Go to the last rung at once."""
        del self._rungs[:-1]
        self._due = time.monotonic()

    def timeout_ms(self) -> int | None:
        """How long nothing is to be done; None for ever."""
        if self._due is None:
            return None
        return max(0, int((self._due - time.monotonic()) * 1000) + 1)

    def climb(self) -> None:
        """Take the next rung if its time has come; call it only while the agent is not reaped.

        Until then its pid and its group's number cannot belong to anybody else.
        """
        if self._due is None or time.monotonic() < self._due:
            return
        if not self._rungs:
            self.exhausted = True
            return
        number, wait_ms = self._rungs.pop(0)
        self._due = time.monotonic() + wait_ms / 1000
        if number == _CLOSE:
            self.hush()
        else:
            self._grip.signal(number)

    def hush(self) -> None:
        """Close the shim's end of standard input; the agent sees its end once nobody has one."""
        if self._voice is not None:
            os.close(self._voice)
            self._voice = None
