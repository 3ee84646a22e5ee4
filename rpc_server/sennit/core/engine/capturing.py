"""Steps after a run's end: what it left becomes a revision, and its task ends."""

from __future__ import annotations

from attrs import evolve

from sennit.core.engine.again import is_again, merged_before, outdated
from sennit.core.engine.commands import CaptureRun
from sennit.core.engine.decisions import review_of
from sennit.core.engine.draft import Draft
from sennit.core.engine.events import Captured, CaptureFailed
from sennit.core.engine.following import followed_revision
from sennit.core.engine.moves import end_task, flag, move_run, move_task, run_and_task
from sennit.core.engine.rows import (
    Ending,
    ProposalRow,
    RevisionRow,
    RunReport,
    RunRow,
    TaskRow,
    TicketRow,
    TimerRow,
)
from sennit.core.engine.settling import go_on, reconcile
from sennit.core.engine.transitions import RunSignal, TaskSignal
from sennit.core.retry import backoff_ms, is_passing
from sennit_protocol.ids import IdKind, ProposalId, RevisionId, UnitId
from sennit_protocol.states import (
    ApplicationState,
    FailureKind,
    Flag,
    Integration,
    QueuedFor,
    TaskState,
)
from sennit_protocol.tasks import ExpectChanges
from sennit_protocol.views import Failure, Notice


def capture(draft: Draft, run: RunRow) -> None:
    """Ask for what the run left as a revision."""
    task = draft.task(run.ticket, run.task)
    follows = followed_revision(draft, task)
    draft.issue(
        CaptureRun(
            run=run.id,
            ticket=run.ticket,
            task=run.task,
            repository=task.spec.repository,
            base_commit=run.base_commit or "",
            base_tree=run.base_tree or "",
            begun=run.begun,
            follows=None if follows is None else follows.id,
        )
    )


def captured(draft: Draft, event: Captured) -> None:
    """Make the proposal and end the task as its run ended."""
    run, task = run_and_task(draft, event.run)
    moved = move_run(draft, run, RunSignal.CAPTURE)
    draft.put(evolve(moved, uncaptured=event.incomplete, whole=event.whole))
    unchanged = event.tree == (run.base_tree if run.begun is None else run.begun.tree)
    is_empty = event.tree == run.base_tree
    ending = _ending(task, run, unchanged=unchanged)
    if unchanged and _is_retried(task, run, ending):
        again(draft, task, ending.failure)
        return
    done = ending.state is TaskState.COMPLETED
    if unchanged and done and task.spec.expect_changes is ExpectChanges.FLAG:
        flag(draft, task, Flag.UNCHANGED)
    kept = _conflict_left(draft, run, is_empty=is_empty, unchanged=unchanged) if done else None
    if kept is not None:
        _leave(draft, task, kept)
    elif done or not unchanged:
        integration = Integration.PENDING if done else Integration.RETAINED
        _propose(draft, event, run, Integration.NO_CHANGES if is_empty else integration)
    task = end_task(draft, draft.task(task.ticket, task.id), ending.state, ending.failure)
    if done and not is_empty and kept is None:
        reconcile(draft, draft.the(TicketRow, task.ticket), task.spec.repository)
    go_on(draft, task.ticket)


def _conflict_left(
    draft: Draft, run: RunRow, *, is_empty: bool, unchanged: bool
) -> RevisionRow | None:
    """The first try, where a task that was done again has not brought it together with the rest.

    An empty proposal, or one without the files in conflict, would take that work out of review.
    """
    task = draft.task(run.ticket, run.task)
    left = is_empty or (unchanged and bool(run.unmerged))
    return followed_revision(draft, task) if is_again(task) and left else None


def _leave(draft: Draft, task: TaskRow, kept: RevisionRow) -> None:
    """Tell that the first try stays as it was; the task has no proposal of its own."""
    row = draft.task(task.ticket, task.id)
    told = Notice(_LEFT.format(kept=kept))
    draft.put(evolve(row, notices=(*row.notices, told)))
    draft.note(task.ticket, task.id, f"leaves {kept.proposal} of {kept.task} as it was")


_LEFT = (
    "The second turn has brought nothing together, so the proposal {kept.proposal} of {kept.task}"
    " stays as it was. To settle its conflict: `sennit resolve {kept.ticket}/{kept.task}`."
)


def _is_retried(task: TaskRow, run: RunRow, ending: Ending) -> bool:
    """Whether a run that left nothing is done again: nothing it did could be done twice."""
    if ending.state is not TaskState.FAILED or ending.failure is None:
        return False
    if len(task.runs) > task.spec.retries or len(task.runs) >= task.spec.most_runs:
        return False
    report = run.report or RunReport()
    safe = task.spec.retry_safe or not report.acted
    return safe and is_passing(ending.failure, given=report.given)


def again(draft: Draft, task: TaskRow, failure: Failure | None) -> None:
    """Queue a task for another run, after a while."""
    wait_ms = backoff_ms(len(task.runs), draft.chance)
    moved = move_task(draft, task, TaskSignal.RETRY)
    draft.put(evolve(moved, queued_for=QueuedFor.RETRY, ending=None))
    draft.put(TimerRow(f"retry:{task.key}", draft.at + wait_ms, task.ticket))
    why = failure.message if failure else "it failed"
    draft.note(task.ticket, task.id, f"is tried again in {wait_ms} ms, because: {why}")
    go_on(draft, task.ticket)


def retry_is_due(draft: Draft, task: TaskRow) -> None:
    """Let a task that waited for its retry take part again."""
    if task.state is TaskState.QUEUED and task.queued_for is QueuedFor.RETRY:
        draft.put(evolve(task, queued_for=QueuedFor.SLOT))
        go_on(draft, task.ticket)


def _ending(task: TaskRow, run: RunRow, *, unchanged: bool) -> Ending:
    if task.ending is not None:
        return task.ending
    if run.failure is not None:
        return Ending(TaskState.FAILED, run.failure)
    if run.report is not None and run.report.unfitting is not None:
        why = f"The agent's result does not fit its schema: {run.report.unfitting}"
        return Ending(TaskState.PARTIAL, Failure(FailureKind.DELIVERY, why))
    if unchanged and task.spec.expect_changes is ExpectChanges.FAIL:
        return Ending(
            TaskState.FAILED,
            Failure(FailureKind.NO_CHANGES, "the agent changed nothing, and expectChanges is fail"),
        )
    return Ending(TaskState.COMPLETED)


def _propose(draft: Draft, event: Captured, run: RunRow, integration: Integration) -> None:
    """Make a proposal, or the next revision of the one that the task follows.

    Unfinished work never takes the place of what it follows: it is a proposal of its own.
    """
    task = draft.task(run.ticket, run.task)
    is_kept_only = integration is Integration.RETAINED
    before = None if is_kept_only else followed_revision(draft, task)
    proposal = ProposalId(draft.new_id(IdKind.PROPOSAL)) if before is None else before.proposal
    name = RevisionId(draft.new_id(IdKind.REVISION))
    draft.put(evolve(task, proposal=proposal, revision=name))
    draft.put(ProposalRow(proposal, run.ticket, run.task, task.order, name))
    revision = RevisionRow(
        id=name,
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
        notices=(*event.notices, *_on_top_of(draft, task), *_outdated(draft, run)),
    )
    draft.put(revision if before is None else _next_of(revision, before, event))
    if before is not None:
        _tell_who_built_on(draft, before)
    draft.note(run.ticket, run.task, f"proposes {proposal}, changed files: {event.counts.files}")


def _on_top_of(draft: Draft, task: TaskRow) -> tuple[Notice, ...]:
    """Tell of work that was done again with which other work it goes together."""
    ticket = draft.the(TicketRow, task.ticket)
    names = [row.task for row in merged_before(draft, ticket, task)] if is_again(task) else []
    return (Notice(_ON_TOP.format(names=", ".join(names))),) if names else ()


_ON_TOP = (
    "It was done again on top of {names}, with which the first try had conflicted: accept and apply"
    " them together."
)


def _tell_who_built_on(draft: Draft, before: RevisionRow) -> None:
    """Tell of proposals that were built on a revision which is not the newest one any more."""
    ticket = draft.ticket(before.ticket)
    for task in () if ticket is None else draft.tasks(ticket):
        run, revision = draft.last_run(task), draft.revision_of(task)
        if run is None or revision is None or before.id not in run.built_on:
            continue
        if revision.application is not ApplicationState.APPLIED:
            told = (one for one in _outdated(draft, run) if one not in revision.notices)
            draft.put(evolve(revision, notices=(*revision.notices, *told)))


def _outdated(draft: Draft, run: RunRow) -> tuple[Notice, ...]:
    return tuple(
        Notice(_OLDER.format(task=old.task, number=old.number, run=run, proposal=old.proposal))
        for old in outdated(draft, run)
    )


_OLDER = (
    "It was built on {task} as of revision {number}, and {task} was done again since: see whether"
    " it goes with the newer revision of {proposal}, or do it again"
    " (`sennit follow {run.ticket}/{run.task}`)."
)


def _next_of(revision: RevisionRow, before: RevisionRow, event: Captured) -> RevisionRow:
    """Let a revision follow another one, with the decisions that mean the same in both."""
    decided = dict(before.decisions)
    carried = {
        UnitId(f"{revision.id}{rest}"): decided[old]
        for old, rest in event.same_units
        if old in decided
    }
    lost = len(decided.keys() - {old for old, _ in event.same_units} - set(before.applied_units))
    notices = revision.notices
    if lost:
        notices = (*notices, Notice(_LOST.format(lost=lost, before=before.id)))
    if revision.integration is Integration.NO_CHANGES and not before.applied_units:
        notices = (*notices, Notice(_EMPTY.format(before=before.id, ticket=revision.ticket)))
    return evolve(
        revision,
        follows=before.id,
        number=before.number + 1,
        decisions=tuple(carried.items()),
        review=review_of(list(carried.values()), event.units),
        notices=notices,
    )


_LOST = (
    "Decisions about the earlier revision {before} that could not be carried over, since no single"
    " part of this one is the same: {lost}. What they were about is undecided again."
)
_EMPTY = (
    "Nothing of the earlier revision {before} is left in this one. That one is kept: dropping the"
    " ticket {ticket} brings it back into review."
)


def capture_failed(draft: Draft, event: CaptureFailed) -> None:
    """End the task without a proposal; its workspace is kept and named."""
    run, task = run_and_task(draft, event.run)
    run = move_run(draft, run, RunSignal.CAPTURE)
    draft.put(evolve(run, uncaptured=True))
    failure = event.failure
    if event.is_there:
        folder = (run.folder or b"").decode(errors="replace")
        failure = evolve(failure, message=f"{failure.message} What is there is kept: {folder}")
    end_without_proposal(draft, run, task, failure)


def end_without_proposal(draft: Draft, run: RunRow, task: TaskRow, failure: Failure) -> None:
    """End a task whose work could not be taken.

    It fails, unless it was to end otherwise anyway: then that counts, and this is a notice.
    """
    ending = task.ending or Ending(TaskState.FAILED, run.failure)
    if ending.failure is not None:
        task = evolve(task, notices=(*task.notices, Notice(failure.message)))
        draft.put(task)
    end_task(draft, task, ending.state, ending.failure or failure)
    go_on(draft, task.ticket)
