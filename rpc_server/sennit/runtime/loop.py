"""The loop: one event at a time becomes one stored step, then its commands are carried out.

The state in memory follows the database: it changes only after the commit, and only here.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from contextlib import AbstractContextManager
from enum import StrEnum
from typing import Any, assert_never

import anyio
from anyio.abc import TaskGroup
from attrs import define, evolve, field

from sennit.core.engine.state import State
from sennit.core.engine.step_values import Issued, Step
from sennit.core.stored import Committed, Foreign, OutboxEntry, StoreProblem
from sennit.runtime.ports import Clock, Effects, Event, Store
from sennit.runtime.subscribers import Subscribers, Subscription
from sennit_protocol.ids import CommandId

_log = logging.getLogger(__name__)

_RETRY_S = 1.0


class EffectEnd(StrEnum):
    """Why an effect gave no event of its own."""

    RAISED = "raised"
    CANCELLED = "cancelled"
    MISSING = "missing"


StepFunction = Callable[[State, Any, int], Step[Any]]
Failed = Callable[[Issued, EffectEnd, str], Event]
Progress = Callable[[Issued, object], None]


class OnceRepeatedError(RuntimeError):
    """The engine has issued a ``once`` command again that an earlier process may have begun."""


def _ignore_progress(_issued: Issued, _value: object) -> None:
    """Progress that nobody looks at."""


def _ignore_problem(_problem: StoreProblem) -> None:
    """Problems are logged anyway."""


@define(eq=False, kw_only=True)
class Loop:
    """Turns events into steps, steps into effects, effects into events.

    ``state`` and ``sequence`` are what the store has loaded. ``failed`` makes the event that ends a
    command whose effect gave none. ``tasks`` is the task group that the effects run in: cancelling
    it stops them, and what they were about is found in the outbox by the next start.
    ``on_problem`` hears of every problem of the store that keeps an effect's event waiting.
    """

    state: State
    sequence: int
    _step: StepFunction
    _store: Store
    _effects: Effects
    _clock: Clock
    _tasks: TaskGroup
    _failed: Failed
    _on_progress: Progress = _ignore_progress
    _on_problem: Callable[[StoreProblem], None] = _ignore_problem
    _turn: anyio.Lock = field(factory=lambda: anyio.Lock(fast_acquire=True), init=False)
    _running: dict[CommandId, anyio.CancelScope] = field(factory=dict, init=False)
    _begun_elsewhere: set[CommandId] = field(factory=set, init=False)
    _subscribers: Subscribers = field(factory=Subscribers, init=False)

    async def submit(self, event: Event) -> object:
        """Store the step of an event, start its commands, and give the step's outcome.

        A ``StoreProblem`` instead means that nothing was stored and nothing has changed. Once its
        turn has come the step is carried through, also when the caller is cancelled.
        """
        return await self._submit(event, None)

    async def recover(
        self,
        is_dead: Callable[[str], bool],
        started: Callable[[tuple[OutboxEntry, ...]], Event],
    ) -> object:
        """Hand the engine the commands that were open when a server ended, ours or a dead one's.

        ``is_dead`` tells by the owner's id; ``started`` makes the event, which the engine answers
        by issuing idempotent commands again, and others for those that are ``once``. Call it before
        the first command of this process is issued.
        """

        async def event() -> Event | StoreProblem:
            found = await self._store.outbox()
            if isinstance(found, StoreProblem):
                return found
            open_ = tuple(e for e in found if e.issued.id not in self._running)
            orphaned = tuple(entry for entry in open_ if is_dead(entry.owner))
            self._begun_elsewhere.update(e.issued.id for e in orphaned if e.issued.once)
            return started(orphaned)

        return await self._in_turn(event, None)

    async def catch_up(self) -> StoreProblem | bool:
        """Take over what other processes have committed; whether there was anything."""
        async with self._turn:
            with anyio.CancelScope(shield=True):
                found = await self._store.catch_up(self.sequence)
                if isinstance(found, Foreign):
                    self._take_over(found)
        return found if isinstance(found, StoreProblem) else found is not None

    def changes(self) -> AbstractContextManager[Subscription]:
        """A stream of what changes in the state from now on."""
        return self._subscribers.subscribe()

    async def wait_until(self, predicate: Callable[[State], bool]) -> None:
        """Return as soon as the state fulfils the predicate; the caller limits the time."""
        with self.changes() as batches:
            if predicate(self.state):
                return
            async for _ in batches:
                if predicate(self.state):
                    return

    def cancel(self, command: CommandId) -> bool:
        """Stop the effect of a command, which then ends by ``failed``; False if none is running."""
        scope = self._running.get(command)
        if scope is None:
            return False
        scope.cancel()
        return True

    @property
    def running(self) -> frozenset[CommandId]:
        """The commands whose effects have not ended."""
        return frozenset(self._running)

    def close(self) -> None:
        """End the streams of all subscribers."""
        self._subscribers.close()

    # Steps.

    async def _submit(self, event: Event, ends: CommandId | None) -> object:
        async def same() -> Event:
            return event

        return await self._in_turn(same, ends)

    async def _in_turn(
        self, make: Callable[[], Awaitable[Event | StoreProblem]], ends: CommandId | None
    ) -> object:
        outcome: object = None
        async with self._turn:
            # What is on disk has to come into the state, whoever has been cancelled meanwhile.
            with anyio.CancelScope(shield=True):
                outcome = await self._carry_through(make, ends)
        return outcome

    async def _carry_through(
        self, make: Callable[[], Awaitable[Event | StoreProblem]], ends: CommandId | None
    ) -> object:
        while True:
            event = await make()
            if isinstance(event, StoreProblem):
                return event
            result = await self._store.transact(event, self._decision(event, ends), self.sequence)
            match result:
                case Foreign():
                    self._take_over(result)
                case Committed(step=step):
                    self._take(result)
                    return step.outcome
                case StoreProblem():
                    return result
                case _:
                    assert_never(result)

    def _decision(self, event: Event, ends: CommandId | None) -> Callable[[int], Step[Any]]:
        # It only reads the state, which is changed by whoever has the turn, after the commit.
        def decide(sequence: int) -> Step[Any]:
            step = self._step(self.state, event, sequence)
            for issued in step.commands:
                if issued.once and issued.id in self._begun_elsewhere:
                    raise OnceRepeatedError(f"{issued} may have been begun before the restart")
            if ends is not None and ends not in step.done:
                # Whatever the engine makes of the event, its command is over.
                step = evolve(step, done=(*step.done, ends))
            return step

        return decide

    def _take(self, committed: Committed) -> None:
        step = committed.step
        self.state.apply(step.changes)
        self.sequence = committed.sequence
        self._subscribers.offer(committed.sequence, step.changes, foreign=False)
        for issued in step.commands:
            self._running[issued.id] = anyio.CancelScope()
            self._tasks.start_soon(self._carry_out, issued)

    def _take_over(self, foreign: Foreign) -> None:
        self.state.apply(foreign.changes)
        self.sequence = foreign.sequence
        self._subscribers.offer(foreign.sequence, foreign.changes, foreign=True)

    # Effects.

    async def _carry_out(self, issued: Issued) -> None:
        try:
            event = await self._effect(issued, self._running[issued.id])
        finally:
            del self._running[issued.id]
        await self._end(issued, event)

    async def _effect(self, issued: Issued, scope: anyio.CancelScope) -> Event:
        effect = self._effects.get(type(issued.command))
        if effect is None:
            name = type(issued.command).__name__
            return self._failed(issued, EffectEnd.MISSING, f"this program cannot carry out {name}")
        event: Event | None = None
        try:
            with scope:
                event = await effect(issued, lambda value: self._on_progress(issued, value))
        except Exception as error:  # noqa: BLE001  where a bug of an effect becomes an event
            _log.exception("The effect of %s failed.", issued)
            return self._failed(issued, EffectEnd.RAISED, f"{type(error).__name__}: {error}")
        if event is None:
            return self._failed(issued, EffectEnd.CANCELLED, "it was cancelled")
        if event.cause != issued.id:
            _log.error("The effect of %s ended with the event of another: %s", issued, event)
            return self._failed(issued, EffectEnd.RAISED, "its effect gave the event of another")
        return event

    async def _end(self, issued: Issued, event: Event) -> None:
        try:
            await self._submit_at_last(issued, event)
        except Exception as error:  # noqa: BLE001  see below
            # A bug of the engine with this event; the plain failure is its second and last chance.
            _log.exception("The event that ends %s cannot be taken: %s", issued, event)
            message = f"{type(error).__name__}: {error}"
            await self._submit_at_last(issued, self._failed(issued, EffectEnd.RAISED, message))

    async def _submit_at_last(self, issued: Issued, event: Event) -> None:
        # The effect has happened: its event must not get lost, however long the disk is full.
        told = ""
        while True:
            result = await self._submit(event, issued.id)
            if not isinstance(result, StoreProblem):
                return
            if result.message != told:
                told = result.message
                _log.error("%s The end of %s waits for it.", told, issued.id)
            self._on_problem(result)
            await self._clock.sleep_until(self._clock.monotonic() + _RETRY_S)
