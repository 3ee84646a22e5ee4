"""Small rows, events and commands, with an engine of a few lines over them."""

from __future__ import annotations

from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any, ClassVar

from attrs import frozen

from sennit.adapters.store.codec import Codec
from sennit.adapters.store.database import Database
from sennit.adapters.store.opening import Options, open_database
from sennit.core.engine.state import State
from sennit.core.engine.step_values import Delete, Issued, JournalLine, Put, Step
from sennit.core.stored import Committed, OutboxEntry, StoreProblem
from sennit_protocol.ids import CommandId


class Colour(StrEnum):
    RED = "red"
    BLUE = "blue"


@frozen
class Box:
    side: int


@frozen
class Ball:
    radius: int
    colour: Colour


@frozen
class ToyRow:
    id: str
    name: bytes
    shape: Box | Ball | None = None
    mixed: str | int | Box | tuple[bytes, ...] = 0
    tags: tuple[tuple[str, Colour], ...] = ()
    sequence: int = 0

    @property
    def key(self) -> str:
        return self.id


@frozen
class CounterRow:
    id: str
    value: int

    @property
    def key(self) -> str:
        return self.id


@frozen
class TimerRow:
    id: str
    due: int

    @property
    def key(self) -> str:
        return self.id


@frozen
class Fetch:
    """May be carried out any number of times."""

    what: str


@frozen
class Launch:
    """Must never be carried out twice."""

    what: str


@frozen(kw_only=True)
class _Event:
    VERSION: ClassVar[int] = 1

    at: int = 0
    cause: CommandId | None = None


@frozen(kw_only=True)
class Added(_Event):
    TYPE: ClassVar[str] = "added"

    counter: str = "n"


@frozen(kw_only=True)
class Removed(_Event):
    TYPE: ClassVar[str] = "removed"

    counter: str = "n"


@frozen(kw_only=True)
class Looked(_Event):
    """Changes nothing; its outcome is the counter's value."""

    TYPE: ClassVar[str] = "looked"

    counter: str = "n"


@frozen(kw_only=True)
class TimerSet(_Event):
    TYPE: ClassVar[str] = "timerSet"

    id: str
    due: int


@frozen(kw_only=True)
class TimerFired(_Event):
    TYPE: ClassVar[str] = "timerFired"

    id: str


@frozen(kw_only=True)
class Asked(_Event):
    TYPE: ClassVar[str] = "asked"

    command: Fetch | Launch


@frozen(kw_only=True)
class Ended(_Event):
    TYPE: ClassVar[str] = "ended"


@frozen(kw_only=True)
class Failed(_Event):
    TYPE: ClassVar[str] = "failed"

    message: str


@frozen(kw_only=True)
class Started(_Event):
    TYPE: ClassVar[str] = "started"

    found: tuple[Issued, ...]


@frozen(kw_only=True)
class Impossible(_Event):
    """The engine cannot take it."""

    TYPE: ClassVar[str] = "impossible"


ROWS = (ToyRow, CounterRow, TimerRow)
EVENTS = (
    Added,
    Removed,
    Looked,
    TimerSet,
    TimerFired,
    Asked,
    Ended,
    Failed,
    Started,
    Impossible,
)
COMMANDS = (Fetch, Launch)


def value(state: State, counter: str = "n") -> int:
    row = state.get(CounterRow, counter)
    return row.value if row is not None else 0


def step(state: State, event: Any, sequence: int) -> Step[Any]:  # noqa: C901, PLR0911  a line an event
    match event:
        case Added(counter=counter):
            row = CounterRow(counter, value(state, counter) + 1)
            line = JournalLine("t_a", counter, f"{counter} is {row.value}.")
            return Step((Put(row),), outcome=row.value, journal=(line,))
        case Removed(counter=counter):
            return Step((Delete(CounterRow, counter),))
        case Looked(counter=counter):
            return Step(outcome=value(state, counter))
        case TimerSet(id=name, due=due):
            return Step((Put(TimerRow(name, due)),))
        case TimerFired(id=name):
            fired = CounterRow(f"fired {name}", value(state, f"fired {name}") + 1)
            return Step((Delete(TimerRow, name), Put(fired)))
        case Asked(command=command):
            name = CommandId(f"c_{sequence}")
            issued = Issued(name, command, isinstance(command, Launch))
            return Step((), (issued,), outcome=name)
        case Ended(cause=cause):
            # On purpose without `done`: the loop sees to it.
            return Step((Put(CounterRow(f"ended {cause}", 1)),))
        case Failed(cause=cause, message=message):
            return Step((Put(CounterRow(f"{cause} {message}", 1)),))
        case Started(found=found):
            again = tuple(each for each in found if not each.once)
            never = tuple(each.id for each in found if each.once)
            rows = tuple(Put(CounterRow(f"lost {name}", 1)) for name in never)
            return Step(
                (Put(CounterRow("starts", value(state, "starts") + 1)), *rows), again, done=never
            )
        case _:
            raise ValueError(event)


@cache
def codec() -> Codec:
    return Codec(ROWS, EVENTS, COMMANDS)


def opened(path: Path, owner: str = "s_a", options: Options | None = None) -> Database:
    database = open_database(path, codec(), owner, options)
    assert not isinstance(database, StoreProblem), database.message
    return database


def refused(path: Path, options: Options | None = None) -> StoreProblem:
    database = open_database(path, codec(), "s_a", options)
    assert isinstance(database, StoreProblem)
    return database


def store_step(database: Database, state: State, event: Any, seen: int) -> int:
    """One step without a loop; others must not have been there."""
    prepared = database.prepare(event, step(state, event, seen + 1), seen + 1)
    committed = database.commit(prepared)
    assert isinstance(committed, Committed), committed
    state.apply(committed.step.changes)
    return committed.sequence


def started(found: tuple[OutboxEntry, ...]) -> Started:
    return Started(found=tuple(entry.issued for entry in found))
