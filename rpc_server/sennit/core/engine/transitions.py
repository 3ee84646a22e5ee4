"""The state machines of tasks, runs and tickets as tables. A missing row is the error."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import TypeVar

from sennit_protocol.states import RunState, TaskState, TicketState


class TaskSignal(StrEnum):
    """What moves a task."""

    PREPARE = "prepare"
    BEGIN = "begin"
    ASK = "ask"
    RESUME = "resume"
    COMPLETE = "complete"
    PART = "part"
    FAIL = "fail"
    CANCEL = "cancel"
    INTERRUPT = "interrupt"
    BLOCK = "block"
    RETRY = "retry"


class RunSignal(StrEnum):
    """What moves a run."""

    BEGIN = "begin"
    STOP = "stop"
    END = "end"
    CAPTURE = "capture"
    QUARANTINE = "quarantine"


class TicketSignal(StrEnum):
    """What moves a ticket."""

    CANCEL = "cancel"
    SETTLE_COMPLETED = "settleCompleted"
    SETTLE_PARTIAL = "settlePartial"
    SETTLE_FAILED = "settleFailed"
    SETTLE_INTERRUPTED = "settleInterrupted"
    SETTLE_CANCELLED = "settleCancelled"


TASKS: Mapping[TaskState, Mapping[TaskSignal, TaskState]] = MappingProxyType(
    {
        TaskState.QUEUED: {
            TaskSignal.PREPARE: TaskState.PREPARING,
            TaskSignal.FAIL: TaskState.FAILED,
            TaskSignal.CANCEL: TaskState.CANCELLED,
            TaskSignal.INTERRUPT: TaskState.INTERRUPTED,
            TaskSignal.BLOCK: TaskState.BLOCKED,
        },
        TaskState.PREPARING: {
            TaskSignal.BEGIN: TaskState.RUNNING,
            TaskSignal.FAIL: TaskState.FAILED,
            TaskSignal.CANCEL: TaskState.CANCELLED,
            TaskSignal.INTERRUPT: TaskState.INTERRUPTED,
        },
        TaskState.RUNNING: {
            TaskSignal.ASK: TaskState.WAITING,
            TaskSignal.RETRY: TaskState.QUEUED,
            TaskSignal.COMPLETE: TaskState.COMPLETED,
            TaskSignal.PART: TaskState.PARTIAL,
            TaskSignal.FAIL: TaskState.FAILED,
            TaskSignal.CANCEL: TaskState.CANCELLED,
            TaskSignal.INTERRUPT: TaskState.INTERRUPTED,
        },
        # What ends a waiting task closes its questions first, and so resumes it.
        TaskState.WAITING: {TaskSignal.RESUME: TaskState.RUNNING},
    }
)

RUNS: Mapping[RunState, Mapping[RunSignal, RunState]] = MappingProxyType(
    {
        RunState.STARTING: {
            RunSignal.BEGIN: RunState.RUNNING,
            RunSignal.STOP: RunState.STOPPING,
            RunSignal.END: RunState.ENDED,
            RunSignal.QUARANTINE: RunState.QUARANTINED,
        },
        RunState.RUNNING: {
            RunSignal.STOP: RunState.STOPPING,
            RunSignal.END: RunState.ENDED,
            RunSignal.QUARANTINE: RunState.QUARANTINED,
        },
        RunState.STOPPING: {
            RunSignal.BEGIN: RunState.STOPPING,
            RunSignal.END: RunState.ENDED,
            RunSignal.QUARANTINE: RunState.QUARANTINED,
        },
        RunState.ENDED: {RunSignal.CAPTURE: RunState.CAPTURED},
    }
)

_SETTLES = {
    TicketSignal.SETTLE_COMPLETED: TicketState.COMPLETED,
    TicketSignal.SETTLE_PARTIAL: TicketState.PARTIAL,
    TicketSignal.SETTLE_FAILED: TicketState.FAILED,
    TicketSignal.SETTLE_INTERRUPTED: TicketState.INTERRUPTED,
    TicketSignal.SETTLE_CANCELLED: TicketState.CANCELLED,
}

TICKETS: Mapping[TicketState, Mapping[TicketSignal, TicketState]] = MappingProxyType(
    {
        TicketState.RUNNING: {TicketSignal.CANCEL: TicketState.CANCELLING, **_SETTLES},
        TicketState.CANCELLING: {TicketSignal.SETTLE_CANCELLED: TicketState.CANCELLED},
    }
)

StateT = TypeVar("StateT", bound=StrEnum)
SignalT = TypeVar("SignalT", bound=StrEnum)


class ImpossibleTransitionError(Exception):
    """A signal came in a state that has no row for it: a bug of the engine."""


def next_state(
    table: Mapping[StateT, Mapping[SignalT, StateT]], state: StateT, signal: SignalT
) -> StateT:
    """Look up where the signal leads from the state; raises when there is no row."""
    try:
        return table[state][signal]
    except KeyError:
        raise ImpossibleTransitionError(f"{signal.value} in the state {state.value}") from None


def diagram() -> str:
    """The tables as state diagrams in Mermaid's notation."""
    return "\n\n".join(
        (_diagram("Task", TASKS), _diagram("Run", RUNS), _diagram("Ticket", TICKETS))
    )


def _diagram(title: str, table: Mapping[StateT, Mapping[SignalT, StateT]]) -> str:
    arrows: dict[tuple[str, str], list[str]] = {}
    for state, row in table.items():
        for signal, target in row.items():
            arrows.setdefault((state.value, target.value), []).append(signal.value)
    lines = [f"  {a} --> {b}: {', '.join(signals)}" for (a, b), signals in arrows.items()]
    head = ["```mermaid", "---", f"title: {title}", "---", "stateDiagram-v2"]
    return "\n".join([*head, *lines, "```"])
