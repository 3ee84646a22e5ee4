"""Agents at work that are spoken with: by run, and one start of each agent after the other."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Protocol

import anyio
from attrs import define, field

from sennit.core.agents import AgentSettings, is_plain
from sennit_protocol.ids import QuestionId, RunId
from sennit_protocol.requests import Receipt


class Met(Protocol):
    """One agent that is spoken with."""

    async def cancel(self) -> None:
        """Ask it to end its turn, and wait for that, for as long as its stop ladder says."""

    def deliver(self, question: QuestionId, answer: str | None) -> bool:
        """Hand an answer over, or that there is none; False when nobody here waits for it."""
        ...

    def steer(self, words: str, steer_id: str | None) -> Receipt:
        """Say something after its turn, once for each id."""
        ...

    async def wrap_up(self, words: str) -> None:
        """End its turn, and let it go on with these words."""

    async def interrupt(self) -> bool:
        """End its turn and wait for what is said next; False when none is under way."""
        ...


@define(eq=False)
class Opening:
    """The start of one agent, until it has a session or will have none."""

    _gate: anyio.Semaphore
    _is_done: bool = False

    def done(self) -> None:
        """Let the next one start; without effect when that was said before."""
        if not self._is_done:
            self._is_done = True
            self._gate.release()


@define(eq=False)
class Meetings:
    """The conversations of this server."""

    _by_run: dict[RunId, Met] = field(factory=dict)
    _starts: dict[str, anyio.Semaphore] = field(factory=dict)

    @asynccontextmanager
    async def start_of(self, agent: AgentSettings) -> AsyncIterator[Opening]:
        """Wait until no other run of this agent is starting.

        Real agents share files in the home folder, and some fail when two start at once.
        """
        if is_plain(agent):
            # Nobody could tell when it has started.
            yield Opening(anyio.Semaphore(0))
            return
        gate = self._starts.setdefault(agent.name, anyio.Semaphore(1))
        await gate.acquire()
        opening = Opening(gate)
        try:
            yield opening
        finally:
            opening.done()

    def of(self, run: RunId) -> Met | None:
        """The conversation of a run, while there is one."""
        return self._by_run.get(run)

    def begin(self, run: RunId, met: Met) -> None:
        """A run is spoken with from now on."""
        self._by_run[run] = met

    def end(self, run: RunId) -> None:
        """Nobody speaks with it any more."""
        self._by_run.pop(run, None)
