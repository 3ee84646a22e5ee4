"""The database behind one thread of its own, so that a slow disk never stops the event loop."""

from __future__ import annotations

import asyncio
import queue
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, Generic, TypeVar

import anyio
from attrs import define

from sennit.adapters.store.codec import Codec
from sennit.adapters.store.database import Database, StoredEvent
from sennit.adapters.store.opening import Options, open_database
from sennit.core.engine.step_values import Step
from sennit.core.stored import (
    Committed,
    Foreign,
    Loaded,
    OutboxEntry,
    StoreCounts,
    StoreProblem,
    StoryPage,
)

ResultT = TypeVar("ResultT")


@define(eq=False)
class _Job(Generic[ResultT]):
    """Work for the thread, and the future that gets its result or its exception."""

    work: Callable[[], ResultT]
    future: asyncio.Future[ResultT]

    def run(self) -> Callable[[], None]:
        """Do the work; gives what tells the future, to be called by the loop."""
        try:
            result = self.work()
        except BaseException as error:  # noqa: BLE001  raised again where the result is awaited
            failure = error
            return lambda: self._tell(lambda: self.future.set_exception(failure))
        return lambda: self._tell(lambda: self.future.set_result(result))

    def _tell(self, settle: Callable[[], None]) -> None:
        # Nobody waits any more if the one who asked was cancelled.
        if not self.future.done():
            settle()


class WriterThread:
    """Runs functions one after the other in one thread.

    A hand-over is a good part of a commit, hence asyncio's own means here: those of anyio take half
    as long again, its pool of threads two to three times as long.
    """

    def __init__(self) -> None:
        self._jobs: queue.SimpleQueue[_Job[Any] | None] = queue.SimpleQueue()
        self._loop = asyncio.get_running_loop()
        self._thread = threading.Thread(target=self._work, name="sennit-store", daemon=True)
        self._thread.start()

    async def call(self, work: Callable[[], ResultT]) -> ResultT:
        """Run a function in the thread. It runs to its end even if nobody waits any more."""
        job = _Job(work, self._loop.create_future())
        self._jobs.put(job)
        result: ResultT = await job.future
        return result

    def end(self) -> None:
        """Let the thread finish what it has, and wait for it."""
        self._jobs.put(None)
        self._thread.join()

    def _work(self) -> None:
        while True:
            job = self._jobs.get()
            if job is None:
                return
            self._loop.call_soon_threadsafe(job.run())


class Store:
    """The methods of ``Database`` for the event loop."""

    def __init__(self, thread: WriterThread, database: Database) -> None:
        self._thread = thread
        self._database = database

    async def transact(
        self, event: StoredEvent, decide: Callable[[int], Step[Any]], seen: int
    ) -> Committed | Foreign | StoreProblem:
        """Store the step that ``decide`` makes of its sequence number, unless others came first.

        It is decided and spelled here, for the thread that has just run is faster than the one that
        has to be woken, and checked in the transaction: it holds if nothing came after ``seen``.
        """
        prepared = self._database.prepare(event, decide(seen + 1), seen + 1)
        return await self._thread.call(lambda: self._database.commit(prepared))

    async def catch_up(self, seen: int) -> Foreign | StoreProblem | None:
        """What others have committed after ``seen``."""
        return await self._thread.call(lambda: self._database.catch_up(seen))

    async def load(self) -> Loaded | StoreProblem:
        """All rows."""
        return await self._thread.call(self._database.load)

    async def outbox(self) -> tuple[OutboxEntry, ...] | StoreProblem:
        """The commands of all servers that have not ended."""
        return await self._thread.call(self._database.outbox)

    async def story(
        self, ticket: str, task: str | None = None, limit: int = 1000, before: int | None = None
    ) -> StoryPage | StoreProblem:
        """The newest lines of a ticket, or of one of its tasks."""
        return await self._thread.call(lambda: self._database.story(ticket, task, limit, before))

    async def counts(self) -> StoreCounts | StoreProblem:
        """How much there is."""
        return await self._thread.call(self._database.counts)

    async def prune(self, before: int, tickets: type) -> int | StoreProblem:
        """Forget what was before a time (milliseconds since 1970 UTC) and is of no ticket more."""
        return await self._thread.call(lambda: self._database.prune(before, tickets))

    async def close(self) -> None:
        """Close the database and end its thread, also when cancelled."""
        with anyio.CancelScope(shield=True):
            try:
                await self._thread.call(self._database.close)
            finally:
                self._thread.end()


async def open_store(
    path: Path, codec: Codec, owner: str, options: Options | None = None
) -> Store | StoreProblem:
    """Open the database in a thread of its own; see ``open_database``."""
    thread = WriterThread()
    try:
        # Shielded, or else a database could stay open that nobody knows of.
        with anyio.CancelScope(shield=True):
            database = await thread.call(lambda: open_database(path, codec, owner, options))
    except BaseException:
        thread.end()
        raise
    if isinstance(database, StoreProblem):
        thread.end()
        return database
    return Store(thread, database)
