"""Steps of a task's work: workspace, start, end, time limits, cancel."""

from __future__ import annotations

from attrs import evolve, frozen

from sennit.core.engine.asking import park
from sennit.core.engine.capturing import capture, end_without_proposal
from sennit.core.engine.commands import RecoverRun, StartRun
from sennit.core.engine.draft import Draft
from sennit.core.engine.events import (
    BudgetSpent,
    CancelRequested,
    RunEnded,
    RunNoted,
    RunStalled,
    RunStarted,
    SessionKnown,
    StopTaken,
    WorkspaceFailed,
    WorkspaceReady,
)
from sennit.core.engine.moves import (
    close_questions,
    end_task,
    flag,
    is_active,
    is_final,
    move_run,
    move_task,
    plan_ending,
    run_and_task,
    stop,
)
from sennit.core.engine.rows import Ending, MailRow, RunRow, TaskRow, TicketRow, TimerRow
from sennit.core.engine.settling import go_on
from sennit.core.engine.taking_over import take_over
from sennit.core.engine.transitions import (
    TICKETS,
    RunSignal,
    TaskSignal,
    TicketSignal,
    next_state,
)
from sennit_protocol.ids import IdKind, TicketId
from sennit_protocol.states import (
    FINAL_TICKET_STATES,
    FailureKind,
    Flag,
    Phase,
    RunState,
    Stopped,
    TaskState,
    TicketState,
)
from sennit_protocol.views import Failure, Notice


def workspace_ready(draft: Draft, event: WorkspaceReady) -> None:
    """Start the agent, unless the task was ended meanwhile."""
    run, task = run_and_task(draft, event.run)
    run = evolve(
        run,
        folder=event.folder,
        base_commit=event.base_commit,
        base_tree=event.base_tree,
        begun=event.begun,
        unmerged=event.unmerged,
    )
    draft.put(run)
    draft.put(evolve(task, notices=(*task.notices, *event.notices)))
    task = draft.task(task.ticket, task.id)
    if task.ending is not None:
        _end_without_work(draft, run, task, task.ending)
    else:
        draft.issue(StartRun(run.id, run.ticket, run.task))


def workspace_failed(draft: Draft, event: WorkspaceFailed) -> None:
    """Fail the task: its agent was not started, nobody else is touched."""
    run, task = run_and_task(draft, event.run)
    ending = task.ending or Ending(TaskState.FAILED, event.failure)
    _end_without_work(draft, evolve(run, failure=event.failure), task, ending)


def _end_without_work(draft: Draft, run: RunRow, task: TaskRow, ending: Ending) -> None:
    draft.put(evolve(move_run(draft, run, RunSignal.END), ended_at=draft.at))
    end_task(draft, task, ending.state, ending.failure)
    go_on(draft, task.ticket)


def run_started(draft: Draft, event: RunStarted) -> None:
    """The agent works; its time begins to count."""
    run, task = run_and_task(draft, event.run)
    draft.put(evolve(move_run(draft, run, RunSignal.BEGIN), started_at=event.at))
    task = move_task(draft, task, TaskSignal.BEGIN)
    draft.note(task.ticket, task.id, f"runs {task.spec.agent.name} as {run.id}")
    if task.ending is not None:
        _stop_after_all(draft, draft.the(RunRow, run.id), task)
        return
    park(draft, task)
    if task.spec.deadline_ms is not None:
        due = event.at + task.spec.deadline_ms
        draft.put(TimerRow(f"deadline:{run.id}", due, task.ticket))


def _stop_after_all(draft: Draft, run: RunRow, task: TaskRow) -> None:
    """Stop a program that began after its end was asked for: the ladder may have found nothing."""
    if task.stopped is Stopped.NEVER_STARTED:
        draft.put(evolve(task, stopped=Stopped.IN_THE_MIDDLE))
    stop(draft, run)


def run_ended(draft: Draft, event: RunEnded) -> None:
    """Take what the run left, unless something of it may still be writing."""
    run, task = run_and_task(draft, event.run)
    signal = RunSignal.QUARANTINE if event.survivors else RunSignal.END
    run = evolve(
        move_run(draft, run, signal),
        ended_at=event.at,
        failure=event.failure,
        output_bytes=event.output_bytes,
        output_truncated=event.output_truncated,
        survivors=event.survivors,
        stop=None,
        report=event.report,
    )
    draft.put(run)
    task = _work_is_over(draft, task, run)
    if event.survivors:
        pids = ", ".join(map(str, run.survivors))
        _quarantine(draft, run, task, f"processes of the run {run.id} could not be ended: {pids}.")
    elif event.ran:
        if task.state is TaskState.PREPARING:
            move_task(draft, task, TaskSignal.BEGIN)
        capture(draft, run)
    else:
        ending = task.ending or Ending(TaskState.FAILED, event.failure)
        end_task(draft, task, ending.state, ending.failure)
        go_on(draft, task.ticket)


def _work_is_over(draft: Draft, task: TaskRow, run: RunRow) -> TaskRow:
    draft.delete(TimerRow, f"deadline:{run.id}")
    close_questions(draft, task, "the agent has ended")
    if run.report is not None and run.report.warnings:
        task = draft.task(task.ticket, task.id)
        warned = tuple(map(Notice, run.report.warnings))
        draft.put(evolve(task, notices=(*task.notices, *warned)))
    if run.output_truncated:
        flag(draft, task, Flag.OUTPUT_TRUNCATED)
    return draft.task(task.ticket, task.id)


def _quarantine(draft: Draft, run: RunRow, task: TaskRow, why: str) -> None:
    message = (
        f"{why} Its workspace is kept and not read, since something may still write there. End"
        " what is left of it; the workspace stays until you drop it."
    )
    task = flag(draft, task, Flag.QUARANTINED)
    end_without_proposal(draft, run, task, Failure(FailureKind.REFUSED, message))


def start_broke(draft: Draft, run: RunRow, failure: Failure) -> None:
    """Nobody follows the run any more: end what there is of it, and see what became of it."""
    plan_ending(draft, draft.task(run.ticket, run.task), Ending(TaskState.FAILED, failure))
    stop(draft, run)
    draft.issue(RecoverRun(run.id))


def recovery_broke(draft: Draft, run: RunRow, failure: Failure) -> None:
    """Quarantine a run of which nobody can tell whether it is gone."""
    run = evolve(move_run(draft, run, RunSignal.QUARANTINE), ended_at=draft.at, stop=None)
    draft.put(run)
    task = _work_is_over(draft, draft.task(run.ticket, run.task), run)
    why = f"whether the run {run.id} has ended is not known: {failure.message}"
    _quarantine(draft, run, task, why)


def stop_taken(draft: Draft, event: StopTaken) -> None:
    """The stop ladder is through. One that broke is told of; a cancel then tries again."""
    run = draft.get(RunRow, event.run)
    if run is None:
        return
    draft.put(evolve(run, stop=None))
    if event.failure is not None and is_active(run):
        task = draft.task(run.ticket, run.task)
        message = f"{event.failure.message} The run may still work; cancel it again."
        draft.put(evolve(task, notices=(*task.notices, Notice(message))))
        draft.note(run.ticket, run.task, message)


def session_known(draft: Draft, event: SessionKnown) -> None:
    """Keep by which name the agent may be able to go on, and tell whether it went on itself."""
    run = draft.get(RunRow, event.run)
    if run is None:
        return
    draft.put(evolve(run, session=event.session, resumed=event.resumed))
    if event.resumed is None or run.resumed is not None:
        return
    task = draft.task(run.ticket, run.task)
    said = _WENT_ON if event.resumed else _BEGAN_ANEW
    message = said.format(earlier=task.spec.session)
    draft.put(evolve(task, notices=(*task.notices, Notice(message))))
    draft.note(run.ticket, run.task, message)


_WENT_ON = "The agent went on with its earlier session {earlier}."
_BEGAN_ANEW = (
    "The agent could not go on with its earlier session {earlier}: it began a new one, and was told"
    " what had been done before."
)


def run_noted(draft: Draft, event: RunNoted) -> None:
    """Put something that happened in a run into the story of its task."""
    run = draft.get(RunRow, event.run)
    if run is not None:
        draft.note(run.ticket, run.task, event.text)


def budget_spent(draft: Draft, event: BudgetSpent) -> None:
    """Let the task end as partial, once its run has wrapped up or at once."""
    run = draft.get(RunRow, event.run)
    if run is None or not is_active(run):
        return
    task = draft.task(run.ticket, run.task)
    draft.note(run.ticket, run.task, event.text)
    failure = Failure(FailureKind.BUDGET, event.text)
    plan_ending(draft, task, Ending(TaskState.PARTIAL, failure))
    if event.stop:
        stop(draft, run)


def run_stalled(draft: Draft, event: RunStalled) -> None:
    """End a run that shows no sign of life, unless it is the user that it waits for."""
    run = draft.get(RunRow, event.run)
    if run is None or not is_active(run):
        return
    task = draft.task(run.ticket, run.task)
    if task.state is not TaskState.WAITING:
        since = ", and not a word since it was prompted" if event.unanswered else ""
        message = f"no sign of life for {event.idle_ms} ms{since}; idleMs is {task.spec.idle_ms}"
        plan_ending(draft, task, Ending(TaskState.FAILED, Failure(FailureKind.STALLED, message)))
        stop(draft, run)


def deadline_passed(draft: Draft, run: RunRow) -> None:
    """End a run that took longer than its task allows."""
    task = draft.task(run.ticket, run.task)
    if is_active(run):
        message = f"took longer than deadlineMs, {task.spec.deadline_ms} ms"
        failure = Failure(FailureKind.TIMEOUT, message, Phase.RUNNING)
        plan_ending(draft, task, Ending(TaskState.FAILED, failure))
        stop(draft, run)


@frozen
class Cancelled:
    """What a cancel did, per task; ``forwarded`` when another server carries the ticket."""

    tasks: tuple[tuple[str, Stopped], ...]
    forwarded: bool = False


def cancel(draft: Draft, event: CancelRequested) -> None:
    """Cancel tasks here, or write to the server that carries the ticket.

    A ticket that was dropped meanwhile had ended; one that nobody carries is taken over.
    """
    ticket = draft.ticket(event.ticket)
    if ticket is None:
        draft.outcome = Cancelled(tuple((name, Stopped.ALREADY_ENDED) for name in event.tasks))
        return
    foreign = ticket.owner != event.by and ticket.state not in FINAL_TICKET_STATES
    if foreign and draft.server(ticket.owner) is not None:
        letter = draft.new_id(IdKind.COMMAND)
        draft.put(MailRow(letter, ticket.owner, ticket.id, event.tasks))
        stopped = tuple((name, would_stop(draft.task(ticket.id, name))) for name in event.tasks)
        draft.outcome = Cancelled(stopped, forwarded=True)
        return
    if foreign:
        take_over(draft, ticket, event.by)
    draft.outcome = Cancelled(cancel_tasks(draft, ticket.id, event.tasks))


def cancel_tasks(
    draft: Draft, ticket: TicketId, names: tuple[str, ...]
) -> tuple[tuple[str, Stopped], ...]:
    """Cancel tasks of a ticket that this server carries."""
    row = draft.the(TicketRow, ticket)
    if set(names) == set(row.tasks) and row.state is TicketState.RUNNING:
        state = next_state(TICKETS, row.state, TicketSignal.CANCEL)
        draft.put(evolve(row, state=state))
        draft.note(ticket, None, "is being cancelled")
    stopped = tuple((name, _cancel_task(draft, draft.task(ticket, name))) for name in names)
    go_on(draft, ticket)
    return stopped


def would_stop(task: TaskRow) -> Stopped:
    """How far a task has come, should it be cancelled now."""
    if is_final(task):
        return Stopped.ALREADY_ENDED
    if task.state in {TaskState.QUEUED, TaskState.PREPARING}:
        return Stopped.NEVER_STARTED
    return Stopped.IN_THE_MIDDLE


def _cancel_task(draft: Draft, task: TaskRow) -> Stopped:
    stopped = would_stop(task)
    if stopped is not Stopped.ALREADY_ENDED:
        draft.put(evolve(task, stopped=task.stopped or stopped))
        _end_from_outside(draft, draft.task(task.ticket, task.id), TaskState.CANCELLED)
    return stopped


def interrupt(draft: Draft, task: TaskRow) -> None:
    """End a task since its server ends; a run that has ended already keeps its own end."""
    run = draft.last_run(task)
    if run is None or run.state is not RunState.ENDED or task.state is TaskState.QUEUED:
        _end_from_outside(draft, task, TaskState.INTERRUPTED)


def _end_from_outside(draft: Draft, task: TaskRow, state: TaskState) -> None:
    """End a task at once when nothing runs, else once its run has ended."""
    run = draft.last_run(task)
    if task.state is TaskState.QUEUED or run is None:
        end_task(draft, task, state)
        return
    plan_ending(draft, task, Ending(state))
    # Without a folder nothing has been started yet: the workspace that comes is not used.
    if run.folder is not None and is_active(run):
        stop(draft, run)
