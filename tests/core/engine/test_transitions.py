from __future__ import annotations

import re

import pytest

from sennit.core.engine.transitions import (
    RUNS,
    TASKS,
    TICKETS,
    ImpossibleTransitionError,
    RunSignal,
    TaskSignal,
    TicketSignal,
    diagram,
    next_state,
)
from sennit_protocol.states import (
    FINAL_TASK_STATES,
    FINAL_TICKET_STATES,
    RunState,
    TaskState,
    TicketState,
)

# Nothing leads there yet: `skipped` needs hooks.
LATER = {TaskState.SKIPPED}


def test_a_final_state_has_no_way_out() -> None:
    assert not FINAL_TASK_STATES & TASKS.keys()
    assert not FINAL_TICKET_STATES & TICKETS.keys()
    assert not {RunState.CAPTURED, RunState.QUARANTINED} & RUNS.keys()


def test_every_state_that_is_not_final_has_a_way_out() -> None:
    assert set(TaskState) - FINAL_TASK_STATES == TASKS.keys()
    assert set(TicketState) - FINAL_TICKET_STATES == TICKETS.keys()


def test_every_state_can_be_reached() -> None:
    assert {TaskState.QUEUED} | {to for row in TASKS.values() for to in row.values()} == (
        set(TaskState) - LATER
    )
    runs = {RunState.STARTING} | {to for row in RUNS.values() for to in row.values()}
    assert runs == set(RunState)
    tickets = {TicketState.RUNNING} | {to for row in TICKETS.values() for to in row.values()}
    assert tickets == set(TicketState)


def test_every_signal_is_used() -> None:
    assert {signal for row in TASKS.values() for signal in row} == set(TaskSignal)
    assert {signal for row in RUNS.values() for signal in row} == set(RunSignal)
    assert {signal for row in TICKETS.values() for signal in row} == set(TicketSignal)


@pytest.mark.parametrize("state", list(TaskState))
@pytest.mark.parametrize("signal", list(TaskSignal))
def test_a_missing_row_is_the_error(state: TaskState, signal: TaskSignal) -> None:
    if signal in TASKS.get(state, {}):
        assert next_state(TASKS, state, signal) is TASKS[state][signal]
    else:
        with pytest.raises(ImpossibleTransitionError, match=f"{signal} in the state {state}"):
            next_state(TASKS, state, signal)


def test_the_diagram_shows_every_row() -> None:
    arrows = re.findall(r"^  (\w+) --> (\w+): (.*)$", diagram(), re.MULTILINE)

    shown = sum(len(signals.split(", ")) for _, _, signals in arrows)

    assert shown == sum(len(row) for table in (TASKS, RUNS, TICKETS) for row in table.values())
    assert diagram().count("```mermaid") == 3
