"""A durable step through the loop against a bare commit of SQLite with ``synchronous=FULL``.

Ours is what the server does for an event: the engine's function, an event, two rows and a line of
the story as JSON, one transaction, the hand-over to the store's thread and back, the state in
memory. The reference commits the same rows to tables like ours by the same library, values made
before, no thread; in turns with ours, so that a busy disk troubles both. Effects are not measured.
The second figure is the strictest reference there is: one row in one table.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

import anyio
import apsw
from anyio.abc import TaskGroup
from attrs import frozen

from benchmarks.ratio import Ratio
from sennit.adapters.store.codec import Codec
from sennit.adapters.store.writer import Store, open_store
from sennit.core.engine.state import State
from sennit.core.engine.step_values import Issued, JournalLine, Put, Step
from sennit.core.stored import StoreProblem
from sennit.runtime.clock import SystemClock
from sennit.runtime.loop import EffectEnd, Loop
from sennit.runtime.ports import Event
from sennit_protocol.ids import CommandId

ROUNDS = 1500
# Until the logs of all have reached the size at which SQLite begins to write them again from the
# start: a commit that makes its file longer takes twice as long.
WARM_UP = 1200
TARGET = 1.5
_US = 1_000_000
_FOLDER = b"/home/user/project/\xff"


@frozen
class TaskRow:
    """A row of about the size of a task's."""

    id: str
    state: str
    prompt: str
    folder: bytes
    sequence: int

    @property
    def key(self) -> str:
        """The task's id."""
        return self.id


@frozen
class RunRow(TaskRow):
    """A second table."""


@frozen
class Advanced:
    """An event of about the size of most."""

    TYPE: ClassVar[str] = "advanced"
    VERSION: ClassVar[int] = 1

    at: int
    task: str
    cause: CommandId | None = None


def step(_state: State, event: Advanced, sequence: int) -> Step[Any]:
    """Two rows and a line of the story."""
    prompt = "Rename the function and every use of it, then run the tests. " * 2
    task = TaskRow(event.task, "running", prompt, _FOLDER, sequence)
    run = RunRow(f"n_{event.task}", "running", "", _FOLDER, sequence)
    line = JournalLine("t_aaaaaaaaaa", event.task, "The run has started.")
    return Step((Put(task), Put(run)), outcome=sequence, journal=(line,))


def measure() -> tuple[Ratio, Ratio]:
    """Run them in turns and compare their lower quartiles."""
    with tempfile.TemporaryDirectory(prefix="sennit-bench-") as folder:
        ours, same, single = anyio.run(_race, Path(folder))
    return (
        Ratio("durable step / FULL commit of the same rows", ours, same, ours / same, TARGET),
        Ratio("durable step / FULL commit of one row", ours, single, ours / single, TARGET),
    )


async def _race(folder: Path) -> tuple[float, float, float]:
    same, single = _Bare(folder / "same.db", _SAME), _Bare(folder / "single.db", _SINGLE)
    store = await open_store(folder / "ours.db", Codec((TaskRow, RunRow), (Advanced,), ()), "s_b")
    if isinstance(store, StoreProblem):
        raise SystemExit(store.message)
    times: list[tuple[float, float, float]] = []
    async with anyio.create_task_group() as tasks:
        loop = _loop(store, tasks)
        for number in range(WARM_UP + ROUNDS):
            event = Advanced(number, f"a{number % 50}")
            begun = time.perf_counter()
            await loop.submit(event)
            stepped = time.perf_counter()
            same.commit(number)
            committed = time.perf_counter()
            single.commit(number)
            times.append((stepped - begun, committed - stepped, time.perf_counter() - committed))
    await store.close()
    same.close()
    single.close()
    ours, all_rows, one_row = (_quartile(each) * _US for each in zip(*times[WARM_UP:], strict=True))
    return ours, all_rows, one_row


def _quartile(times: Sequence[float]) -> float:
    """The lower quartile: neighbours on the same machine lengthen some commits tenfold."""
    return statistics.quantiles(times, n=4)[0]


def _loop(store: Store, tasks: TaskGroup) -> Loop:
    return Loop(
        state=State(),
        sequence=0,
        step=step,
        store=store,
        effects={},
        clock=SystemClock(),
        tasks=tasks,
        failed=_failed,
    )


def _failed(issued: Issued, _end: EffectEnd, _message: str) -> Event:
    return Advanced(0, "failed", issued.id)


_BODY = "x" * 250
_SINGLE = (("one", False),)
_SAME = (("event", False), ("task", True), ("run", True), ("story", False))


class _Bare:
    """A reference: one commit of one row to each of some tables, by plain statements.

    Tables that are marked so have fifty rows that are replaced in turn; the others grow.
    """

    def __init__(self, path: Path, tables: tuple[tuple[str, bool], ...]) -> None:
        self._connection = apsw.Connection(str(path))
        self._connection.execute("PRAGMA journal_mode = wal")
        self._connection.execute("PRAGMA synchronous = full")
        self._tables = tables
        for name, _ in tables:
            self._connection.execute(f"CREATE TABLE {name} (key INTEGER PRIMARY KEY, body TEXT)")

    def commit(self, number: int) -> None:
        """One durable commit."""
        self._connection.execute("BEGIN IMMEDIATE")
        for name, replaced in self._tables:
            values = (number % 50 if replaced else number, _BODY)
            self._connection.execute(f"REPLACE INTO {name} (key, body) VALUES (?, ?)", values)  # noqa: S608  a name from above
        self._connection.execute("COMMIT")

    def close(self) -> None:
        """Close the file."""
        self._connection.close()


if __name__ == "__main__":
    for figure in measure():
        print(figure)
