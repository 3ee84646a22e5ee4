"""Tells others inside this process what has changed, without ever waiting for them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import anyio
from attrs import define, field, frozen

from sennit.core.engine.step_values import Change, Delete, Put


@frozen
class Batch:
    """What has changed since the last batch: each row once, as it is after ``sequence``.

    ``foreign`` if other processes had a part in it.
    """

    sequence: int
    changes: tuple[Change, ...]
    foreign: bool


@define(eq=False)
class Subscription:
    """A stream of batches. A slow reader gets fewer and larger ones: the newest state of each row.

    What waits is bounded by the number of rows, not by the number of steps.
    """

    _pending: dict[tuple[type, str], Change] = field(factory=dict, init=False)
    _sequence: int = field(default=0, init=False)
    _foreign: bool = field(default=False, init=False)
    _closed: bool = field(default=False, init=False)
    _arrived: anyio.Event = field(factory=anyio.Event, init=False)

    def offer(self, sequence: int, changes: Iterable[Change], *, foreign: bool) -> None:
        """Add to the next batch."""
        for change in changes:
            identity = _identity(change)
            # A row that changes again takes the later place.
            self._pending.pop(identity, None)
            self._pending[identity] = change
        self._sequence = sequence
        self._foreign = self._foreign or foreign
        self._arrived.set()

    def close(self) -> None:
        """End the stream; what waits is still delivered."""
        self._closed = True
        self._arrived.set()

    def __aiter__(self) -> Subscription:
        return self

    async def __anext__(self) -> Batch:
        await self._arrived.wait()
        if not self._pending and self._closed:
            raise StopAsyncIteration
        batch = Batch(self._sequence, tuple(self._pending.values()), self._foreign)
        self._pending.clear()
        self._foreign = False
        if not self._closed:
            self._arrived = anyio.Event()
        return batch


@define(eq=False)
class Subscribers:
    """All subscriptions of a loop."""

    _subscriptions: list[Subscription] = field(factory=list, init=False)

    @contextmanager
    def subscribe(self) -> Iterator[Subscription]:
        """A stream of what changes from now on."""
        subscription = Subscription()
        self._subscriptions.append(subscription)
        try:
            yield subscription
        finally:
            self._subscriptions.remove(subscription)

    def offer(self, sequence: int, changes: tuple[Change, ...], *, foreign: bool) -> None:
        """Tell everyone."""
        if changes:
            for subscription in self._subscriptions:
                subscription.offer(sequence, changes, foreign=foreign)

    def close(self) -> None:
        """End every stream."""
        for subscription in self._subscriptions:
            subscription.close()


def _identity(change: Change) -> tuple[type, str]:
    match change:
        case Put(row=row):
            return type(row), row.key
        case Delete(table=table, key=key):
            return table, key
