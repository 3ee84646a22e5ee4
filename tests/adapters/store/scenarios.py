"""What is done while the killer counts, and what has to hold whenever it strikes."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from pathlib import Path

import anyio
import apsw
from attrs import frozen

from sennit.adapters.store.database import Database
from sennit.adapters.store.migrations import MIGRATIONS, Migration
from sennit.adapters.store.opening import Options, open_database
from sennit.adapters.store.writer import Store, open_store
from sennit.core.engine.state import State
from sennit.core.engine.step_values import Issued, Put
from sennit.core.stored import Loaded, StoreProblem
from sennit.runtime.clock import SystemClock
from sennit.runtime.loop import EffectEnd, Loop
from sennit.runtime.ports import Event, Report
from tests.adapters.store.examples import (
    Added,
    Asked,
    CounterRow,
    Ended,
    Failed,
    Fetch,
    Launch,
    Removed,
    codec,
    opened,
    started,
    step,
    store_step,
    value,
)

Say = Callable[[str], None]
STEPS = 1
BEFORE = 6


@frozen
class Scenario:
    """``prepare`` is not counted; ``work`` is; ``check`` raises if something does not hold.

    A control is wrong on purpose: its first failure is enough.
    """

    prepare: Callable[[Path], object]
    work: Callable[[Path, Say], Awaitable[None]]
    check: Callable[[Path, tuple[str, ...], Say], None]
    control: bool = False


def nothing(_folder: Path) -> None:
    """Start from an empty folder."""


def database_in(folder: Path) -> Path:
    return folder / "state" / "sennit.db"


def make_loop(store: Store, loaded: Loaded, tasks: anyio.abc.TaskGroup, say: Say) -> Loop:
    async def effect(issued: Issued, _report: Report) -> Event:
        say(f"effect {issued.id}")
        await anyio.lowlevel.checkpoint()
        return Ended(cause=issued.id)

    def failed(issued: Issued, end: EffectEnd, message: str) -> Event:
        return Failed(cause=issued.id, message=f"{end} {message}")

    state = State()
    state.apply(Put(row) for row in loaded.rows)
    return Loop(
        state=state,
        sequence=loaded.sequence,
        step=step,
        store=store,
        effects={Fetch: effect, Launch: effect},
        clock=SystemClock(),
        tasks=tasks,
        failed=failed,
    )


# Steps with effects, through the loop.


async def work_in_steps(folder: Path, say: Say) -> None:
    await work(folder, say, STEPS)


async def recover(folder: Path, say: Say) -> None:
    await work(folder, say, 0)


async def work(folder: Path, say: Say, steps: int) -> None:
    store = await open_store(database_in(folder), codec(), "s_a")
    assert not isinstance(store, StoreProblem), store
    loaded = await store.load()
    assert isinstance(loaded, Loaded)
    async with anyio.create_task_group() as tasks:
        loop = make_loop(store, loaded, tasks, say)
        await loop.recover(lambda _: True, started)
        for _ in range(steps):
            await loop.submit(Added())
            say(f"stored {value(loop.state)}")
            await loop.submit(Added(counter="passing"))
            await loop.submit(Removed(counter="passing"))
            for command in (Launch("x"), Fetch("y")):
                name = await loop.submit(Asked(command=command))
                say(f"issued {name}")
        await loop.wait_until(lambda _: not loop.running)
    await store.close()
    say("closed")


def check_steps(folder: Path, said: tuple[str, ...], _say: Say) -> None:
    database = opened(database_in(folder))
    events = read(database, "SELECT sequence, type, cause FROM events ORDER BY sequence")
    assert [row[0] for row in events] == list(range(1, len(events) + 1)), "a gap"
    added = sum(1 for row in events if row[1] == "added")
    stored = [int(line.split()[1]) for line in said if line.startswith("stored")]
    counters = counters_of(database)
    assert counters.get("n", 0) >= max(stored, default=0), "an acknowledged step is lost"
    assert counters.get("n", 0) + counters.get("passing", 0) <= added, "rows without their event"
    waiting = {str(row[0]) for row in read(database, "SELECT id FROM outbox")}
    ended = [str(row[2]) for row in events if row[1] == "ended"]
    assert len(set(ended)) == len(ended), "a command has ended twice"
    for line in said:
        kind, _, name = line.partition(" ")
        if kind in {"effect", "issued"}:
            assert name in waiting or name in ended, f"{line}, but nothing on disk tells of it"
            assert not (name in waiting and name in ended), f"{name} is open and ended"
    database.close()
    done_outside = [line for line in said if line.startswith("effect")]
    again: list[str] = []
    anyio.run(recover, folder, again.append)
    database = opened(database_in(folder))
    once = {str(row[0]) for row in read(database, _LAUNCHED)}
    repeated = {line for line in again if line in done_outside and line.split()[1] in once}
    assert not repeated, f"done twice: {repeated}"
    assert again[-1] == "closed"
    assert not read(database, "SELECT id FROM outbox"), "a command never ended"


_LAUNCHED = "SELECT 'c_' || sequence FROM events WHERE type = 'asked' AND instr(body, 'Launch') > 0"


def read(database: Database, query: str) -> list[tuple[object, ...]]:
    return [tuple(row) for row in database._connection.execute(query)]


def counters_of(database: Database) -> dict[str, int]:
    loaded = database.load()
    assert isinstance(loaded, Loaded)
    return {row.id: row.value for row in loaded.rows if isinstance(row, CounterRow)}


# The same without the order that makes it right: the control, which has to fail. Its database is
# there before, for what makes one has dozens of durable calls at which nothing can go wrong.


def create(folder: Path) -> None:
    opened(database_in(folder)).close()


async def acknowledge_first(folder: Path, say: Say) -> None:
    database, state = opened(database_in(folder)), State()
    for seen in range(STEPS):
        say(f"stored {seen + 1}")
        store_step(database, state, Added(), seen)


async def act_first(folder: Path, say: Say) -> None:
    database, state = opened(database_in(folder)), State()
    for seen in range(STEPS):
        say(f"effect c_{seen + 1}")
        store_step(database, state, Asked(command=Launch("x")), seen)


async def write_in_place(folder: Path, say: Say) -> None:
    for number in range(1, STEPS + 3):
        (folder / "state.json").write_text(json.dumps({"n": number, "text": "x" * 2000}))
        say(f"stored {number}")


def check_in_place(folder: Path, said: tuple[str, ...], _say: Say) -> None:
    stored = [int(line.split()[1]) for line in said]
    if stored:
        assert json.loads((folder / "state.json").read_text())["n"] >= max(stored)


# A new version, over a database with rows in it.


def _second(connection: apsw.Connection) -> None:
    connection.execute("CREATE TABLE extra (a); UPDATE row_counter SET made = made + 1")


SECOND = Options(migrations=(*MIGRATIONS, Migration(2, "an extra table", _second)))


def fill(folder: Path) -> None:
    database, state = opened(database_in(folder)), State()
    for seen in range(BEFORE):
        store_step(database, state, Added(counter=f"{seen}{'x' * 500}"), seen)
    database.close()


async def lead_forward(folder: Path, say: Say) -> None:
    opened(database_in(folder), options=SECOND).close()
    say("closed")


def check_led_forward(folder: Path, _said: tuple[str, ...], _say: Say) -> None:
    database = opened(database_in(folder), options=SECOND)
    assert len(counters_of(database)) == BEFORE
    assert database._connection.pragma("user_version") == 2
    assert not read(database, "SELECT * FROM extra")
    copy = apsw.Connection(str(database_in(folder).with_name("sennit.db.version-1")))
    assert copy.pragma("user_version") == 1
    assert copy.pragma("quick_check") == "ok"
    assert copy.execute("SELECT count(*) FROM row_counter").get == BEFORE


# A damaged database is put aside.


def fill_and_damage(folder: Path) -> None:
    fill(folder)
    path = database_in(folder)
    path.with_name("sennit.db.suspect").touch()
    with path.open("r+b") as file:
        file.seek(4096 * 5)
        file.write(b"\xa5" * 4096)
    (folder / "damaged").write_bytes(path.read_bytes())


async def put_aside(folder: Path, say: Say) -> None:
    found = open_database(database_in(folder), codec(), "s_a")
    assert isinstance(found, StoreProblem), "damage was not seen"
    opened(database_in(folder)).close()
    say("closed")


def check_put_aside(folder: Path, _said: tuple[str, ...], _say: Say) -> None:
    database = open_database(database_in(folder), codec(), "s_a")
    if isinstance(database, StoreProblem):
        database = opened(database_in(folder))
    store_step(database, State(), Added(), 0)
    damaged = (folder / "damaged").read_bytes()
    kept = [file.read_bytes() for file in database_in(folder).parent.glob("*.damaged-*")]
    assert damaged in kept, "the damaged file is gone"


SCENARIOS = {
    "steps": Scenario(nothing, work_in_steps, check_steps),
    "acknowledge first": Scenario(create, acknowledge_first, check_steps, control=True),
    "act first": Scenario(create, act_first, check_steps, control=True),
    "write in place": Scenario(nothing, write_in_place, check_in_place, control=True),
    "lead forward": Scenario(fill, lead_forward, check_led_forward),
    "put aside": Scenario(fill_and_damage, put_aside, check_put_aside),
}
