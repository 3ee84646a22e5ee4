"""Moving single tasks and runs by their tables; what every part of the engine shares."""

from __future__ import annotations

from attrs import evolve

from sennit.core.engine.commands import StopRun
from sennit.core.engine.draft import Draft
from sennit.core.engine.rows import Ending, QuestionEnd, QuestionRow, RunRow, TaskRow, TimerRow
from sennit.core.engine.transitions import (
    RUNS,
    TASKS,
    RunSignal,
    TaskSignal,
    next_state,
)
from sennit_protocol.states import FINAL_TASK_STATES, Flag, RunState, TaskState
from sennit_protocol.views import Failure

ENDING_SIGNALS = {
    TaskState.COMPLETED: TaskSignal.COMPLETE,
    TaskState.PARTIAL: TaskSignal.PART,
    TaskState.FAILED: TaskSignal.FAIL,
    TaskState.CANCELLED: TaskSignal.CANCEL,
    TaskState.INTERRUPTED: TaskSignal.INTERRUPT,
    TaskState.BLOCKED: TaskSignal.BLOCK,
}


def is_final(task: TaskRow) -> bool:
    """Whether nothing more becomes of the task."""
    return task.state in FINAL_TASK_STATES


def move_task(draft: Draft, task: TaskRow, signal: TaskSignal) -> TaskRow:
    """Move a task and drop what it waited for."""
    moved = evolve(
        task, state=next_state(TASKS, task.state, signal), queued_for=None, waiting_for=None
    )
    draft.put(moved)
    return draft.task(task.ticket, task.id)


def end_task(
    draft: Draft, task: TaskRow, state: TaskState, failure: Failure | None = None
) -> TaskRow:
    """Bring a task to a final state, tell the story why, and close what hangs on it."""
    moved = move_task(draft, task, ENDING_SIGNALS[state])
    draft.put(evolve(moved, failure=failure or moved.failure, ending=None))
    reason = f": {failure.message}" if failure else ""
    draft.note(task.ticket, task.id, f"{state.value}{reason}")
    close_questions(draft, task, "the task has ended")
    return draft.task(task.ticket, task.id)


def move_run(draft: Draft, run: RunRow, signal: RunSignal) -> RunRow:
    """Move a run by its table."""
    draft.put(evolve(run, state=next_state(RUNS, run.state, signal)))
    return draft.the(RunRow, run.id)


def stop(draft: Draft, run: RunRow) -> None:
    """Let the stop ladder end the run, unless it is at that already."""
    task = draft.task(run.ticket, run.task)
    close_questions(draft, task, "the run is being stopped")
    if run.state is not RunState.STOPPING:
        run = move_run(draft, run, RunSignal.STOP)
    if run.stop is None:
        draft.put(evolve(run, stop=draft.issue(StopRun(run.id))))


def close_questions(draft: Draft, task: TaskRow, reason: str) -> None:
    """Close all open questions of a task; nobody waits for the answers any more."""
    for question in draft.open_questions(task):
        draft.put(evolve(question, closed=QuestionEnd(reason)))
        draft.note(question.ticket, question.task, f"{question.id}: {reason}")
        forget_question_timer(draft, question)
    resume(draft, draft.task(task.ticket, task.id))


def forget_question_timer(draft: Draft, question: QuestionRow) -> None:
    """Let the deadline of a question pass unheard."""
    draft.delete(TimerRow, f"question:{question.id}")


def resume(draft: Draft, task: TaskRow) -> None:
    """Let a task that has no open question any more go on; a final one stays as it is."""
    if task.state is TaskState.WAITING and draft.open_question(task) is None:
        move_task(draft, task, TaskSignal.RESUME)


def plan_ending(draft: Draft, task: TaskRow, ending: Ending) -> TaskRow:
    """Say how a task ends once its run has; the first word counts."""
    if task.ending is None:
        draft.put(evolve(task, ending=ending))
    return draft.task(task.ticket, task.id)


def is_active(run: RunRow) -> bool:
    """Whether the run's program may be there."""
    return run.state in {RunState.STARTING, RunState.RUNNING, RunState.STOPPING}


def flag(draft: Draft, task: TaskRow, what: Flag) -> TaskRow:
    """Flag a task as it is now."""
    now = draft.task(task.ticket, task.id)
    if what not in now.flags:
        draft.put(evolve(now, flags=(*now.flags, what)))
    return draft.task(task.ticket, task.id)


def run_and_task(draft: Draft, run: str) -> tuple[RunRow, TaskRow]:
    """A run and the task that it works for."""
    row = draft.the(RunRow, run)
    return row, draft.task(row.ticket, row.task)
