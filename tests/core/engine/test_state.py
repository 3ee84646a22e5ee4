from __future__ import annotations

import pytest

from sennit.core.engine.draft import Draft
from sennit.core.engine.indexes import INDEXES, OPEN_TASKS, OPEN_TICKETS, READY_TASKS
from sennit.core.engine.rows import TaskRow, TicketRow
from sennit.core.engine.state import State
from sennit.core.engine.step_values import Delete, Put
from sennit_protocol.states import TaskState
from tests.core.engine.builders import TICKET, a_task, a_ticket
from tests.core.engine.world import a_world


def a_draft() -> Draft:
    world = a_world(a_ticket(a_task("a"), a_task("b"), a_task("c")), limit=1)
    return Draft(world.state, 1, 1, 9)


def names(rows: tuple[TaskRow, ...]) -> set[str]:
    return {row.id for row in rows}


def test_an_index_follows_what_is_applied() -> None:
    world = a_world(a_ticket(a_task("a"), a_task("b")), limit=1)
    assert names(world.state.find(READY_TASKS, TICKET)) == {"b"}

    world.finish("a")
    assert names(world.state.find(READY_TASKS, TICKET)) == set()
    assert names(world.state.find(OPEN_TASKS, TICKET)) == {"b"}
    world.state.apply([Delete(TaskRow, world.task("b").key), Delete(TaskRow, "none")])

    assert world.state.find(OPEN_TASKS, TICKET) == ()


def test_a_state_that_is_built_from_rows_has_its_indexes() -> None:
    world = a_world(a_ticket(a_task("a"), a_task("b")), limit=1)
    built = State({table: dict(rows) for table, rows in world.state.tables.items()})
    loaded = State()
    loaded.apply([Put(row) for rows in world.state.tables.values() for row in rows.values()])

    for state in (built, loaded):
        assert state == world.state
        for index in INDEXES:
            values = {index.of(row) for row in state.rows(index.table)}
            for value in values - {None}:
                expected = [row for row in state.rows(index.table) if index.of(row) == value]
                assert sorted(state.find(index, value), key=repr) == sorted(expected, key=repr)


def test_a_draft_finds_what_it_has_changed() -> None:
    draft = a_draft()
    task = draft.task(TICKET, "b")

    draft.put(TaskRow(TICKET, "b", 1, TaskState.CANCELLED, task.spec, None))
    draft.put(TaskRow(TICKET, "d", 3, TaskState.QUEUED, task.spec))

    assert names(draft.find(READY_TASKS, TICKET)) == {"c", "d"}
    assert {row.id for row in draft.rows(TaskRow)} == {"a", "b", "c", "d"}
    draft.delete(TaskRow, draft.task(TICKET, "c").key)
    assert names(draft.find(READY_TASKS, TICKET)) == {"d"}
    assert {row.id for row in draft.rows(TaskRow)} == {"a", "b", "d"}


def test_a_draft_changes_nothing_outside() -> None:
    draft = a_draft()
    before = {table: dict(rows) for table, rows in draft.state.tables.items()}

    draft.delete(TicketRow, TICKET)

    assert draft.state.tables == before
    assert draft.finish().changes == (Delete(TicketRow, TICKET),)


def test_what_was_made_and_removed_in_one_step_is_no_change() -> None:
    draft = a_draft()
    task = draft.task(TICKET, "a")
    row = TaskRow(TICKET, "z", 9, TaskState.QUEUED, task.spec)

    draft.put(row)
    draft.delete(TaskRow, row.key)
    draft.delete(TaskRow, "none")
    draft.put(task)

    assert draft.finish().changes == ()


def test_a_missing_row_is_a_bug() -> None:
    with pytest.raises(KeyError, match="TicketRow"):
        State().the(TicketRow, "t_none")
    assert State().find(OPEN_TICKETS, value=True) == ()
