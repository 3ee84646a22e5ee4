from __future__ import annotations

import inspect
from types import ModuleType
from typing import get_args

import attrs
import pytest

from sennit.core.engine import commands, events, rows
from sennit.core.engine.commands import COMMANDS, Command
from sennit.core.engine.events import EVENTS, BaseTaken, Event, Tick
from sennit.core.engine.rows import ROWS
from sennit.core.engine.state import State
from sennit.core.engine.step import HANDLERS, step
from sennit.core.engine.step_values import Put
from tests.core.engine.builders import HERE, a_manifest, a_task, a_ticket
from tests.core.engine.world import World, a_world


def classes_of(module: ModuleType) -> set[type]:
    return {each for _, each in inspect.getmembers(module, inspect.isclass)}


def test_every_event_is_listed_and_has_a_handler() -> None:
    assert set(EVENTS) == {
        each for each in classes_of(events) if issubclass(each, Event) and each is not Event
    }
    assert HANDLERS.keys() == set(EVENTS)
    assert len({each.TYPE for each in EVENTS}) == len(EVENTS)


def test_every_command_is_listed_and_says_whether_it_is_done_once() -> None:
    listed = {each for each in classes_of(commands) if hasattr(each, "ONCE")}
    assert set(COMMANDS) == set(get_args(Command)) == listed
    assert {each.__name__ for each in COMMANDS if each.ONCE} == {  # type: ignore[attr-defined]
        "StartRun", "OfferRevision", "RunApplication",
    }  # fmt: skip


def test_every_row_is_listed() -> None:
    assert set(ROWS) == {
        each for each in classes_of(rows) if isinstance(vars(each).get("key"), property)
    }


def test_events_commands_and_rows_are_frozen_and_say_what_they_mean() -> None:
    for each in (*EVENTS, *COMMANDS, *ROWS):
        assert attrs.has(each)
        assert each.__setattr__ is not object.__setattr__
        assert (each.__doc__ or "").strip().endswith((".", "``"))


@pytest.mark.parametrize("table", ROWS)
def test_rows_of_a_table_have_keys_of_their_own(table: type) -> None:
    keys = [row.key for row in busy_world().state.tables.get(table, {}).values()]

    assert len(set(keys)) == len(keys)


def test_a_step_neither_mutates_the_state_nor_depends_on_anything_else() -> None:
    world = World()
    world.begin()
    event = a_ticket(a_task("a"), a_task("b", "a"))
    before = {table: dict(rows) for table, rows in world.state.tables.items()}

    first, second = (step(world.state, event, 7) for _ in range(2))

    assert first == second
    assert world.state.tables == before


def test_rows_carry_the_sequence_of_the_step_that_changed_them() -> None:
    world = a_world(a_ticket(a_task("a"), a_task("b")), limit=1)
    before = world.task("b").sequence
    world.to_running("a")

    assert world.task("a").sequence == world.sequence
    assert world.task("b").sequence == before


def test_the_command_that_an_event_ends_is_done() -> None:
    world = World()
    world.begin()
    world.dispatch(a_ticket(a_task("a")))
    (taking,) = world.open.values()

    world.answer(taking)

    assert world.last.done == (taking.id,)


def test_an_event_without_a_cause_ends_nothing() -> None:
    world = a_world()

    world.tell(
        BaseTaken, base="b_none", ticket="t_none", repository=None, commit="c", tree="t",
        manifest=a_manifest(),
    )  # fmt: skip

    assert world.last.done == ()


def test_an_unknown_event_is_a_bug() -> None:
    with pytest.raises(KeyError):
        step(State(), Event(at=1), 1)


def test_other_seeds_give_other_ids() -> None:
    state = State()
    state.apply([Put(row) for row in busy_world().state.rows(rows.ServerRow)])
    events_ = [attrs.evolve(a_ticket(a_task("a")), seed=seed) for seed in (1, 2)]

    first, second = (step(state, event, 1).commands[0].id for event in events_)

    assert first != second
    assert step(state, Tick(at=1, server=HERE), 1).commands == ()


def busy_world() -> World:
    world = a_world(a_ticket(a_task("a"), a_task("b", "a"), a_task("c")))
    world.dispatch(a_ticket(a_task("x"), ticket="t_two"))
    world.take_bases()
    world.finish("c")
    world.to_running("a")
    return world
