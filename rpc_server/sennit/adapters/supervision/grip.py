"""What the shim has of its agent: how signals reach it, and how it really ended.

An agent that is started directly is a child. One in a sandbox is out of reach: between it and the
shim are bubblewrap, which dies of a signal and takes everything inside with it, and `inside`, which
is asked through a pipe.
"""

from __future__ import annotations

import errno
import os

from sennit.adapters.platform import processes, signals
from sennit.adapters.platform.spawning import Refused, start_agent

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from sennit.adapters.supervision.order import Order

    Streams = tuple[int, int, int]

_GROUP = (signals.TERMINATE, signals.KILL)
"""Signals that are meant for the agent and all of its group."""


class Direct:
    """An agent that is a child of the shim, and the leader of its group; `reaper` is itself."""

    __slots__ = ("pid", "reaper")

    def __init__(self, pid: int) -> None:
        self.pid: Final = pid
        self.reaper: Final = pid

    def signal(self, number: int) -> None:
        """Signal the agent, by TERM and KILL its group; only while it is not reaped."""
        try:
            if number in _GROUP:
                os.killpg(self.pid, number)
            else:
                os.kill(self.pid, number)
        except ProcessLookupError:
            # The agent moved itself to another group; it is not reaped, so its pid is its own.
            os.kill(self.pid, number)
        except PermissionError:
            # It became another user (sudo): the record will list it as a survivor.
            return

    def ended_with(self, status: int) -> int:
        """Return the wait status of the agent, given that of the child."""
        return status


class Boxed:
    """An agent in a sandbox: `pid` is bubblewrap's, which ends when the agent has ended.

    `asks` is written to, `words` read from; both lead to `inside`. `reaper`: pid of
    bubblewrap's child, which the kernel lets end last of all inside; 0 when that has ended already.
    """

    __slots__ = ("_asks", "_words", "pid", "reaper")

    def __init__(self, pid: int, asks: int, words: int) -> None:
        self.pid: Final = pid
        self.reaper: Final = next(iter(processes.children(pid)), 0)
        self._asks: Final = asks
        self._words: Final = words

    def signal(self, number: int) -> None:
        """Have the agent signalled from inside; KILL ends the sandbox and all that is in it."""
        if number == signals.KILL:
            os.kill(self.pid, number)
            return
        try:
            os.write(self._asks, bytes((number,)))
        except BrokenPipeError:
            # It has ended by itself in this very moment; its end will be seen.
            return

    def ended_with(self, status: int) -> int:
        """Return the wait status of the agent, given that of the child, which has ended.

        Bubblewrap's own tells no signal from an exit code above 128. It counts only when the agent
        could tell nothing, because all of the sandbox was killed.
        """
        os.set_blocking(self._words, False)
        word = _line(self._words)
        os.close(self._words)
        os.close(self._asks)
        return int(word[1]) if word[:1] == ["E"] else status


Grip = Direct | Boxed


def start(order: Order, streams: Streams) -> Grip | Refused:
    """Start the agent of an order; returns when its program runs, or with the reason why not.

    Stage "sandbox": there was nothing to start it in; the error output tells more. Raises OSError.
    """
    argv, sandbox = order.argv, order["sandbox"]
    if sandbox:
        return _start_boxed(argv[:sandbox], argv[sandbox:], order.folder, streams)
    started = start_agent(argv, order.folder, streams)
    return started if isinstance(started, Refused) else Direct(started)


def _start_boxed(
    sandbox: tuple[bytes, ...], argv: tuple[bytes, ...], folder: bytes, streams: Streams
) -> Boxed | Refused:
    asked, asks = os.pipe2(os.O_CLOEXEC)
    words, worded = os.pipe2(os.O_CLOEXEC)
    try:
        for each in (asked, worded):
            os.set_inheritable(each, True)
        numbers = (b"%d" % asked, b"%d" % worded)
        started = start_agent((*sandbox, *numbers, *argv), folder, streams)
    finally:
        os.close(asked)
        os.close(worded)
    if isinstance(started, Refused):
        refused = _of_bubblewrap(started)
    elif (word := _refusal(started, words)) is None:
        return Boxed(started, asks, words)
    else:
        refused = word
    os.close(asks)
    os.close(words)
    return refused


def _of_bubblewrap(refused: Refused) -> Refused:
    """Tell the program that could not be started from the agent's, which it was not.

    That there is too much of arguments and environment is about the agent's all the same.
    """
    if refused.stage != "program" or refused.number == errno.E2BIG:
        return refused
    return Refused("sandbox", refused.number)


def _refusal(pid: int, words: int) -> Refused | None:
    """Wait for the word from inside; None when the agent runs, or may have run."""
    # End of file is the end of bubblewrap, or of what it was to start.
    word = _line(words)
    if word[:1] == ["B"]:
        word = _line(words)
        if word[:1] in ([], ["S"]):
            return None
    os.waitpid(pid, 0)
    return Refused(word[1], int(word[2])) if word[:1] == ["F"] else Refused("sandbox", 0)


def _line(words: int) -> list[str]:
    """Read one line from inside, in words; none when there is none and none will come."""
    line = b""
    try:
        while not line.endswith(b"\n") and (piece := os.read(words, 1)):
            line += piece
    except BlockingIOError:
        # Whoever could still write was killed.
        return []
    return line.decode("ascii").split()
