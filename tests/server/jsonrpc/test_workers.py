"""Tasks that are used again keep one piece of work from the next."""

from __future__ import annotations

import asyncio

import anyio
import pytest

from sennit.server.jsonrpc.workers import MOST_IDLE, Workers

pytestmark = pytest.mark.anyio


async def test_a_task_that_is_done_with_its_work_gets_the_next() -> None:
    tasks: list[object] = []

    async def work() -> None:
        tasks.append(asyncio.current_task())

    with anyio.fail_after(5):
        async with anyio.create_task_group() as root:
            workers = Workers(root)
            for count in range(1, 4):
                workers.start(work)
                while len(tasks) < count:
                    await anyio.lowlevel.checkpoint()
            root.cancel_scope.cancel()
    assert len(tasks) == 3
    assert len(set(tasks)) == 1


async def test_pieces_of_work_run_side_by_side_and_few_tasks_are_kept() -> None:
    count = 3 * MOST_IDLE
    all_there, may_end = anyio.Event(), anyio.Event()
    running = 0

    async def work() -> None:
        nonlocal running
        running += 1
        if running == count:
            all_there.set()
        await may_end.wait()

    before = len(anyio.get_running_tasks())
    async with anyio.create_task_group() as root:
        workers = Workers(root)
        for _ in range(count):
            workers.start(work)
        with anyio.fail_after(5):
            await all_there.wait()
            may_end.set()
            while len(anyio.get_running_tasks()) > before + MOST_IDLE:
                await anyio.lowlevel.checkpoint()
        assert len(anyio.get_running_tasks()) == before + MOST_IDLE
        root.cancel_scope.cancel()


async def test_what_cancelled_one_piece_does_not_reach_the_next() -> None:
    scopes = [anyio.CancelScope() for _ in range(4)]
    ends: list[bool] = []
    done = anyio.Event()

    async def cancelled(scope: anyio.CancelScope) -> None:
        with scope:
            await anyio.sleep_forever()
        ends.append(scope.cancelled_caught)

    async def plain() -> None:
        await anyio.lowlevel.checkpoint()
        done.set()

    with anyio.fail_after(5):
        async with anyio.create_task_group() as root:
            workers = Workers(root)
            for scope in scopes:
                workers.start(lambda scope=scope: cancelled(scope))  # type: ignore[misc]
                await anyio.lowlevel.checkpoint()
                scope.cancel()
                await anyio.lowlevel.checkpoint()
            workers.start(plain)
            await done.wait()
            root.cancel_scope.cancel()
    assert ends == [True] * 4


async def test_work_that_comes_after_the_end_of_its_group_is_no_error() -> None:
    async def work() -> None:
        pass

    async def late() -> None:
        try:
            await anyio.sleep_forever()
        finally:
            workers.start(work)

    async with anyio.create_task_group() as root:
        workers = Workers(root)
        workers.start(work)
        await anyio.lowlevel.checkpoint()
        root.start_soon(late)
        await anyio.lowlevel.checkpoint()
        root.cancel_scope.cancel()
