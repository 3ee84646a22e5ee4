"""What the runtime needs of the outside: a store of steps, a clock, effects."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, ClassVar, Protocol

from sennit.core.engine.step_values import Issued, Step
from sennit.core.stored import Committed, Foreign, OutboxEntry, StoreProblem


class Event(Protocol):
    """An event of the engine; ``at`` is in milliseconds since 1970 UTC."""

    TYPE: ClassVar[str]
    VERSION: ClassVar[int]

    @property
    def at(self) -> int:
        """When it happened."""

    @property
    def cause(self) -> str | None:
        """The id of the command that it ends, if it ends one."""


class Store(Protocol):
    """Where steps are made durable, each in one transaction, shared with other processes."""

    async def transact(
        self, event: Event, decide: Callable[[int], Step[Any]], seen: int
    ) -> Committed | Foreign | StoreProblem:
        """Store the step that ``decide`` makes, unless others have committed after ``seen``."""

    async def catch_up(self, seen: int) -> Foreign | StoreProblem | None:
        """What others have committed after ``seen``."""

    async def outbox(self) -> tuple[OutboxEntry, ...] | StoreProblem:
        """The commands of all servers that have not ended."""


class Clock(Protocol):
    """The wall clock, which may jump, and one that only goes forward."""

    def now_ms(self) -> int:
        """Milliseconds since 1970 UTC."""

    def monotonic(self) -> float:
        """Seconds since some time; never jumps."""

    async def sleep_until(self, monotonic: float) -> None:
        """Return when ``monotonic()`` has reached that value."""


Report = Callable[[object], None]
"""Takes a sign of progress of a command, which is shown and not stored."""

Effect = Callable[[Issued, Report], Awaitable[Event]]
"""Carries out a command and gives the one event that ends it, whose ``cause`` is the command's id.

An effect may raise: that is a bug or a broken machine, and the runtime makes the event.
"""

Effects = Mapping[type, Effect]
