"""Steps of a task's work: workspace, start, end, capture, time limits, cancel."""

from __future__ import annotations

from attrs import evolve, frozen
from sennit_protocol.ids import IdKind, ProposalId, RevisionId, ServerId, TicketId
from sennit_protocol.states import (
    FINAL_TICKET_STATES,
    FailureKind,
    Flag,
    Integration,
    Phase,
    RunState,
    Stopped,
    TaskState,
    TicketState,
)
from sennit_protocol.tasks import ExpectChanges
from sennit_protocol.views import Failure

from sennit.core.engine.commands import CaptureRun, StartRun, StopRun
from sennit.core.engine.draft import Draft
from sennit.core.engine.events import (
    CancelRequested,
    Captured,
    CaptureFailed,
    RunEnded,
    RunStalled,
    RunStarted,
    WorkspaceFailed,
    WorkspaceReady,
)
from sennit.core.engine.moves import (
    close_question,
    end_task,
    is_active,
    is_final,
    move_run,
    move_task,
    plan_ending,
)
from sennit.core.engine.rows import (
    Ending,
    MailRow,
    ProposalRow,
    RevisionRow,
    RunRow,
    TaskRow,
    TicketRow,
    TimerRow,
)
from sennit.core.engine.settling import go_on, reconcile
from sennit.core.engine.transitions import (
    TICKETS,
    RunSignal,
    TaskSignal,
    TicketSignal,
    next_state,
)


def workspace_ready(draft: Draft, event: WorkspaceReady) -> None:
    """Start the agent, unless the task was ended meanwhile."""
    run, task = _run_and_task(draft, event.run)
    run = evolve(run, folder=event.folder, base_commit=event.base_commit, base_tree=event.base_tree)
    draft.put(run)
    draft.put(evolve(task, notices=(*task.notices, *event.notices)))
    if task.ending is not None:
        _end_without_work(draft, run, task)
    else:
        draft.issue(StartRun(run.id, run.ticket, run.task))


def workspace_failed(draft: Draft, event: WorkspaceFailed) -> None:
    """Fail the task: its agent was not started, nobody else is touched."""
    run, task = _run_and_task(draft, event.run)
    draft.put(evolve(run, failure=event.failure))
    plan_ending(draft, task, Ending(TaskState.FAILED, event.failure))
    _end_without_work(draft, draft.the(RunRow, run.id), draft.task(run.ticket, run.task))


def _end_without_work(draft: Draft, run: RunRow, task: TaskRow) -> None:
    ended = move_run(draft, run, RunSignal.END)
    draft.put(evolve(ended, ended_at=draft.at))
    ending = task.ending or Ending(TaskState.INTERRUPTED)
    end_task(draft, task, ending.state, ending.failure)
    go_on(draft, task.ticket)


def run_started(draft: Draft, event: RunStarted) -> None:
    """The agent works; its time begins to count."""
    run, task = _run_and_task(draft, event.run)
    draft.put(evolve(move_run(draft, run, RunSignal.BEGIN), started_at=event.at))
    task = move_task(draft, task, TaskSignal.BEGIN)
    draft.note(task.ticket, task.id, f"runs {task.spec.agent.name} as {run.id}")
    if task.spec.deadline_ms is not None:
        due = event.at + task.spec.deadline_ms
        draft.put(TimerRow(f"deadline:{run.id}", due, task.ticket))
    if task.ending is not None:
        stop(draft, draft.the(RunRow, run.id))


def run_ended(draft: Draft, event: RunEnded) -> None:
    """Take what the run left, unless something of it may still be writing."""
    run, task = _run_and_task(draft, event.run)
    draft.delete(TimerRow, f"deadline:{run.id}")
    close_question(draft, task, "the agent has ended")
    signal = RunSignal.QUARANTINE if event.survivors else RunSignal.END
    run = evolve(
        move_run(draft, run, signal),
        ended_at=event.at,
        failure=event.failure,
        output_bytes=event.output_bytes,
        output_truncated=event.output_truncated,
        survivors=event.survivors,
    )
    draft.put(run)
    if event.output_truncated:
        _flag(draft, task, Flag.OUTPUT_TRUNCATED)
    if event.survivors:
        _quarantine(draft, run, draft.task(task.ticket, task.id))
    elif not event.ran:
        plan_ending(draft, task, Ending(TaskState.FAILED, event.failure))
        task = draft.task(task.ticket, task.id)
        ending = task.ending or Ending(TaskState.FAILED, event.failure)
        end_task(draft, task, ending.state, ending.failure)
        go_on(draft, task.ticket)
    else:
        capture(draft, run)


def capture(draft: Draft, run: RunRow) -> None:
    """Ask for what the run left as a revision."""
    task = draft.task(run.ticket, run.task)
    draft.issue(
        CaptureRun(
            run=run.id,
            ticket=run.ticket,
            task=run.task,
            repository=task.spec.repository,
            base_commit=run.base_commit or "",
            base_tree=run.base_tree or "",
        )
    )


def _quarantine(draft: Draft, run: RunRow, task: TaskRow) -> None:
    pids = ", ".join(map(str, run.survivors))
    failure = Failure(
        FailureKind.REFUSED,
        f"processes of the run {run.id} could not be ended: {pids}. Its workspace is kept and not"
        " read, since they may still write. End them; the workspace stays until you drop it.",
    )
    _flag(draft, task, Flag.QUARANTINED)
    end_task(draft, draft.task(task.ticket, task.id), TaskState.FAILED, failure)
    go_on(draft, task.ticket)


def captured(draft: Draft, event: Captured) -> None:
    """Make the proposal and end the task as its run ended."""
    run, task = _run_and_task(draft, event.run)
    move_run(draft, run, RunSignal.CAPTURE)
    unchanged = event.tree == run.base_tree
    ending = _ending(task, run, unchanged=unchanged)
    done = ending.state is TaskState.COMPLETED
    if unchanged and done and task.spec.expect_changes is ExpectChanges.FLAG:
        _flag(draft, task, Flag.UNCHANGED)
    if done or not unchanged:
        integration = Integration.PENDING if done else Integration.RETAINED
        _propose(draft, event, run, Integration.NO_CHANGES if unchanged else integration)
    task = end_task(draft, draft.task(task.ticket, task.id), ending.state, ending.failure)
    revision = draft.revision_of(task)
    if revision is not None and revision.integration is Integration.PENDING:
        reconcile(draft, draft.the(TicketRow, task.ticket), revision)
    go_on(draft, task.ticket)


def _ending(task: TaskRow, run: RunRow, *, unchanged: bool) -> Ending:
    if task.ending is not None:
        return task.ending
    if run.failure is not None:
        return Ending(TaskState.FAILED, run.failure)
    if unchanged and task.spec.expect_changes is ExpectChanges.FAIL:
        return Ending(
            TaskState.FAILED,
            Failure(FailureKind.NO_CHANGES, "the agent changed nothing, and expectChanges is fail"),
        )
    return Ending(TaskState.COMPLETED)


def _propose(draft: Draft, event: Captured, run: RunRow, integration: Integration) -> None:
    task = draft.task(run.ticket, run.task)
    proposal = ProposalId(draft.new_id(IdKind.PROPOSAL))
    revision = RevisionId(draft.new_id(IdKind.REVISION))
    draft.put(evolve(task, proposal=proposal))
    draft.put(ProposalRow(proposal, run.ticket, run.task, task.order, revision))
    draft.put(
        RevisionRow(
            id=revision,
            proposal=proposal,
            ticket=run.ticket,
            task=run.task,
            repository=task.spec.repository,
            base_commit=run.base_commit or "",
            base_tree=run.base_tree or "",
            commit=event.commit,
            tree=event.tree,
            counts=event.counts,
            created_at=event.at,
            integration=integration,
            notices=event.notices,
        )
    )
    draft.note(run.ticket, run.task, f"proposes {proposal}: {event.counts.files} files")


def capture_failed(draft: Draft, event: CaptureFailed) -> None:
    """Fail the task; its workspace is kept and named."""
    run, task = _run_and_task(draft, event.run)
    move_run(draft, run, RunSignal.CAPTURE)
    folder = (run.folder or b"").decode(errors="replace")
    failure = evolve(
        event.failure, message=f"{event.failure.message} The workspace is kept: {folder}"
    )
    end_task(draft, task, TaskState.FAILED, failure)
    go_on(draft, task.ticket)


def run_stalled(draft: Draft, event: RunStalled) -> None:
    """End a run that shows no sign of life."""
    run, task = _run_and_task(draft, event.run)
    if is_active(run):
        message = f"no sign of life for {event.idle_ms} ms; idleMs is {task.spec.idle_ms}"
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


def stop(draft: Draft, run: RunRow) -> None:
    """Let the stop ladder end the run."""
    if run.state is not RunState.STOPPING:
        move_run(draft, run, RunSignal.STOP)
        draft.issue(StopRun(run.id))


@frozen
class Cancelled:
    """What a cancel did, per task; ``forwarded`` when another server carries the ticket."""

    tasks: tuple[tuple[str, Stopped], ...]
    forwarded: bool = False


def cancel(draft: Draft, event: CancelRequested) -> None:
    """Cancel tasks here, or write to the server that carries the ticket."""
    ticket = draft.the(TicketRow, event.ticket)
    foreign = ticket.owner != event.by and draft.server(ticket.owner) is not None
    if foreign and ticket.state not in FINAL_TICKET_STATES:
        letter = draft.new_id(IdKind.COMMAND)
        draft.put(MailRow(letter, ticket.owner, ticket.id, event.tasks))
        stopped = tuple((name, would_stop(draft.task(ticket.id, name))) for name in event.tasks)
        draft.outcome = Cancelled(stopped, forwarded=True)
    else:
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
    if stopped is Stopped.ALREADY_ENDED:
        return stopped
    draft.put(evolve(task, stopped=task.stopped or stopped))
    interrupt_or_cancel(draft, draft.task(task.ticket, task.id), TaskState.CANCELLED)
    return stopped


def interrupt_or_cancel(draft: Draft, task: TaskRow, state: TaskState) -> None:
    """End a task from outside: at once when nothing runs, else once its run has ended."""
    run = draft.last_run(task)
    if task.state is TaskState.QUEUED or run is None:
        end_task(draft, task, state)
        return
    plan_ending(draft, task, Ending(state))
    if run.folder is not None and is_active(run):
        stop(draft, run)


def take_over(draft: Draft, ticket: TicketRow, owner: ServerId) -> None:
    """Make a server the one that carries the ticket."""
    draft.put(evolve(ticket, owner=owner))


def _flag(draft: Draft, task: TaskRow, flag: Flag) -> None:
    now = draft.task(task.ticket, task.id)
    if flag not in now.flags:
        draft.put(evolve(now, flags=(*now.flags, flag)))


def _run_and_task(draft: Draft, run: str) -> tuple[RunRow, TaskRow]:
    row = draft.the(RunRow, run)
    return row, draft.task(row.ticket, row.task)
