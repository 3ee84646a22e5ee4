from __future__ import annotations

import anyio
import pytest

from sennit.core.engine.step_values import Delete, Put
from sennit.runtime.subscribers import Batch, Subscribers
from tests.adapters.store.examples import CounterRow

pytestmark = pytest.mark.anyio


async def test_a_slow_reader_gets_the_newest_state_of_each_row_in_one_batch() -> None:
    subscribers = Subscribers()
    with subscribers.subscribe() as batches:
        for number in range(1, 1001):
            subscribers.offer(number, (Put(CounterRow("n", number)),), foreign=False)
        subscribers.offer(1001, (Put(CounterRow("m", 1)),), foreign=True)
        subscribers.offer(1002, (Delete(CounterRow, "m"),), foreign=False)
        assert await anext(batches) == Batch(
            1002, (Put(CounterRow("n", 1000)), Delete(CounterRow, "m")), foreign=True
        )
        subscribers.offer(1003, (Put(CounterRow("n", 0)),), foreign=False)
        assert await anext(batches) == Batch(1003, (Put(CounterRow("n", 0)),), foreign=False)


async def test_nothing_changed_is_nothing_told() -> None:
    subscribers = Subscribers()
    with subscribers.subscribe() as batches, anyio.move_on_after(0.01) as scope:
        subscribers.offer(1, (), foreign=False)
        await anext(batches)
    assert scope.cancelled_caught


async def test_a_closed_stream_delivers_what_waits_and_ends() -> None:
    subscribers = Subscribers()
    with subscribers.subscribe() as batches:
        subscribers.offer(1, (Put(CounterRow("n", 1)),), foreign=False)
        subscribers.close()
        assert [batch.sequence async for batch in batches] == [1]


async def test_who_has_left_is_told_nothing() -> None:
    subscribers = Subscribers()
    with subscribers.subscribe() as first, subscribers.subscribe() as second:
        subscribers.offer(1, (Put(CounterRow("n", 1)),), foreign=False)
        assert await anext(first) == await anext(second)
    assert subscribers._subscriptions == []
