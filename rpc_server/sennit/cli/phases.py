"""Where a task is, in words."""

from __future__ import annotations

from collections.abc import Mapping

from sennit.cli.safe_text import safe_line
from sennit_protocol.states import TaskState, TicketState
from sennit_protocol.views import TaskView


def phase_of(task: TaskView) -> str:
    """Say where a task is, in a few words."""
    match task.state:
        case TaskState.QUEUED:
            return f"queued for {task.queued_for}" if task.queued_for else "queued"
        case TaskState.WAITING:
            return f"waits for {task.waiting_for}" if task.waiting_for else "waits"
        case TaskState.RUNNING if task.progress is not None:
            return safe_line(task.progress.phase) or task.state.value
        case _:
            return task.state.value


def how_it_ended(state: TicketState) -> str:
    """Say of a ticket how it stands, in a few words that follow its name."""
    return _ENDS.get(state, f"is {state}")


_ENDS: Mapping[TicketState, str] = {
    TicketState.CANCELLED: "was cancelled",
    TicketState.PARTIAL: "is completed in part",
    TicketState.INTERRUPTED: "was interrupted",
    TicketState.FAILED: "has failed",
}
