"""The stop ladder: which rung an ending agent is on, and when the next one is due."""

from __future__ import annotations

import os
import time

from sennit.adapters.platform import signals

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from sennit.adapters.supervision.order import Order


class Ladder:
    """Polite signal to the agent, TERM to its group, KILL to its group; each waits its time.

    Closing standard input is a rung too, but these agents have a file or nothing there, which
    they have read to its end or can: there is nothing to close and nothing to wait for.
    `exhausted`: even KILL did not end it in time.
    """

    __slots__ = ("_due", "_pid", "_rungs", "exhausted")

    def __init__(self, order: Order, pid: int) -> None:
        polite = [(order["polite_signal"], order["cancel_ms"])] if order["polite_signal"] else []
        self._rungs: Final = [
            *polite,
            (signals.TERMINATE, order["term_ms"]),
            (signals.KILL, order["sweep_ms"]),
        ]
        self._pid: Final = pid
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
        self._signal(number)

    def _signal(self, number: int) -> None:
        try:
            if number in {signals.TERMINATE, signals.KILL}:
                os.killpg(self._pid, number)
            else:
                os.kill(self._pid, number)
        except ProcessLookupError:
            # The agent moved itself to another group; it is not reaped, so its pid is its own.
            os.kill(self._pid, number)
        except PermissionError:
            # It became another user (sudo): the record will list it as a survivor.
            return
