"""A run whose shim this process started: hearing of it, speaking to it, taking its end."""

from __future__ import annotations

import os
import time

import anyio
import anyio.to_thread
from attrs import define, field

from sennit.adapters.platform import processes, signals
from sennit.adapters.runs.folder import Intention, RunFolder
from sennit.adapters.runs.launch import Shim
from sennit.adapters.runs.outcome import end_what_is_left, read_outcome
from sennit.adapters.runs.values import Deaf, Exited, Said

_PACE_S = 0.005
"""How long what a talking agent writes is gathered before it is read."""
_HEARING_S = 30
"""How long an agent may leave what was said to it unread once its pipe is full."""


@define(eq=False)
class LiveRun:
    """A run under its shim. ``talks``: the server speaks with the agent through ``stdin``.

    ``pokes``: the shim's end of a pipe that tells of output; closed when the run is settled.
    ``ladder_s``: how long the shim may take for the stop ladder and all that follows.
    ``agent``: pid and start time of the agent, or of what holds its sandbox, once they are known.
    """

    folder: RunFolder
    shim: Shim
    talks: bool
    pokes: int | None
    intention: Intention
    ladder_s: float
    outcome: Exited | None = None
    agent: tuple[int, int] | None = None
    _due: float | None = None
    _voice: int | None = None
    _hushed: str = ""
    _speaking: anyio.Lock = field(factory=anyio.Lock)
    _settling: anyio.Lock = field(factory=anyio.Lock)

    def is_running(self) -> bool:
        """Whether its shim lives."""
        found = processes.process(self.shim.pid)
        return found is not None and not found.ended

    def agent_has_ended(self) -> bool:
        """Whether the agent itself has ended, though its shim may have to end what it left."""
        return self.agent is not None and not processes.is_alive(*self.agent)

    def signal(self, number: int) -> None:
        """Signal its shim; without effect when it is gone."""
        if self.outcome is not None:
            # The handle is closed, and its number may be somebody else's by now.
            return
        try:
            signals.send(self.shim.handle, number)
        except ProcessLookupError:
            # It ended by itself in this very moment.
            return

    def ask_to_end(self, number: int) -> None:
        """Have the shim end its agent, by the stop ladder (TERM) or at once (QUIT)."""
        if self._due is None:
            self._due = time.monotonic() + self.ladder_s
        self.signal(number)
        self.press()

    def press(self) -> None:
        """See to it that a shim that is to end does; call it now and then.

        Its agent may stop it, again and again: a stopped process does not see a signal. One that
        has not come to its end in its time is killed, and what it leaves is swept.
        """
        if self._due is None:
            return
        self.signal(signals.CONTINUE)
        if time.monotonic() > self._due:
            self.signal(signals.KILL)

    async def until_gone(self) -> None:
        """Return when its shim has ended."""
        if self.outcome is None:
            await _until_readable(self.shim.handle)

    async def until_news(self) -> None:
        """Return soon after a talking agent wrote something; else as `until_gone`."""
        pokes = self.pokes
        if self.outcome is not None or not self.talks or pokes is None:
            await self.until_gone()
            return
        await _until_readable(pokes)
        await anyio.sleep(_PACE_S)
        # Another reader may have come to its end meanwhile.
        if self.pokes == pokes and not _drained(pokes):
            self._close_pokes()

    async def say(self, data: bytes) -> Said | Deaf:
        """Write to the agent's standard input; messages of several callers are not mixed.

        Ends within `_HEARING_S`, and may be cancelled; but half a message would spoil all later
        ones, so nothing can be said after it.
        """
        async with self._speaking:
            try:
                return await self._say(data)
            except anyio.get_cancelled_exc_class():
                self._fall_silent("a message to it was broken off")
                raise

    def hush(self) -> None:
        """Say no more; the agent sees the end of its input once its shim closes its end too.

        What is being said is broken off.
        """
        self._fall_silent("nothing more is said to it")

    async def settle(self) -> Exited:
        """Take the end of a run whose shim has ended."""
        async with self._settling:
            if self.outcome is None:
                how = _recorded if self._ended_well() else end_what_is_left
                self.outcome = await anyio.to_thread.run_sync(how, self.folder, self.intention)
                os.close(self.shim.handle)
                self._fall_silent("it has ended")
                self._close_pokes()
            return self.outcome

    async def _say(self, data: bytes) -> Said | Deaf:
        if not self.talks:
            return Deaf("it reads its prompt only")
        if self._hushed:
            return Deaf(self._hushed)
        try:
            if self._voice is None:
                flags = os.O_WRONLY | os.O_NONBLOCK | os.O_CLOEXEC
                self._voice = os.open(self.folder.stdin, flags)
            with anyio.move_on_after(_HEARING_S):
                await _written(self._voice, memoryview(data))
                return Said()
        except OSError:
            # Nobody has the other end of the pipe.
            return Deaf("it has closed its standard input")
        except anyio.ClosedResourceError:
            return Deaf(self._hushed)
        # Half of a message was written, so nothing that follows would be understood.
        self._fall_silent(f"it has not read a message within {_HEARING_S} s")
        return Deaf(self._hushed)

    def _fall_silent(self, why: str) -> None:
        self._hushed = self._hushed or why
        if self._voice is not None:
            anyio.notify_closing(self._voice)
            os.close(self._voice)
            self._voice = None

    def _close_pokes(self) -> None:
        if self.pokes is not None:
            os.close(self.pokes)
            self.pokes = None

    def _ended_well(self) -> bool:
        """Reap the shim; only one that came to its own end has proved that nothing is left."""
        try:
            _, status = os.waitpid(self.shim.pid, os.WNOHANG)
        except ChildProcessError:
            # Somebody waits for all children of this process, so nobody knows.
            return False
        return status == 0


async def _until_readable(descriptor: int) -> None:
    # Several may wait at once, and the loop takes one waiter a descriptor.
    mine = os.dup(descriptor)
    try:
        await anyio.wait_readable(mine)
    finally:
        os.close(mine)


def _drained(pokes: int) -> bool:
    """Take what is there; False at end of file."""
    try:
        return bool(os.read(pokes, 1 << 16))
    except BlockingIOError:
        # Another reader was faster.
        return True


async def _written(voice: int, data: memoryview) -> None:
    while data:
        try:
            data = data[os.write(voice, data) :]
        except BlockingIOError:
            await anyio.wait_writable(voice)


def _recorded(folder: RunFolder, intention: Intention) -> Exited:
    outcome = read_outcome(folder)
    return end_what_is_left(folder, intention) if outcome is None else outcome
