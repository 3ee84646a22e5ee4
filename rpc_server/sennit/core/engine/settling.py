"""What goes on after any change: tasks that can start, merges that are due, the ticket's end."""

from __future__ import annotations

from attrs import evolve, frozen

from sennit.core.engine.again import (
    anything_due,
    do_again,
    in_order,
    in_order_of_merging,
    is_again,
    is_due,
    is_in_hand,
    merged_before,
    ordered,
    standing,
    standing_for,
)
from sennit.core.engine.commands import (
    Arrived,
    EarlierWork,
    OfferRevision,
    PrepareWorkspace,
    Prerequisite,
    Reconcile,
)
from sennit.core.engine.draft import Draft
from sennit.core.engine.following import followed_revision, is_newest
from sennit.core.engine.indexes import (
    DEPENDENT_TASKS,
    HELD,
    HELD_TASKS,
    IN_A_SLOT,
    OPEN_TASKS,
    OPEN_TICKETS,
    READY,
    READY_TASKS,
    TASKS_IN_SLOTS_OF,
)
from sennit.core.engine.moves import end_task, is_final, move_task
from sennit.core.engine.rows import (
    TURN_OF_TICKETS,
    BaseRow,
    RepositoryRef,
    RevisionRow,
    RunRow,
    TaskRow,
    TicketRow,
)
from sennit.core.engine.slots import Room
from sennit.core.engine.transitions import TICKETS, TaskSignal, TicketSignal, next_state
from sennit.core.named_limits import LimitOf, NamedLimit
from sennit_protocol.following import Begin
from sennit_protocol.ids import IdKind, RunId, ServerId, TicketId
from sennit_protocol.states import (
    FINAL_TICKET_STATES,
    FailureKind,
    Integration,
    Offer,
    QueuedFor,
    RunState,
    TaskState,
    TicketState,
)
from sennit_protocol.tasks import BaseKind
from sennit_protocol.views import Failure

__all__ = ["IN_A_SLOT", "go_on", "in_order", "offer", "reconcile", "start_tasks"]

GOOD_TO_BUILD_ON = frozenset({
    Integration.CLEAN, Integration.NO_CHANGES, Integration.ALREADY_PRESENT,
})  # fmt: skip
# A merge that failed may succeed when what it builds on is settled or done again.
TAKES_PART = frozenset({
    Integration.PENDING, Integration.CLEAN, Integration.CONFLICT, Integration.ALREADY_PRESENT,
    Integration.FAILED,
})  # fmt: skip


def go_on(draft: Draft, ticket: TicketId) -> None:
    """Do all that has become possible for the ticket, and for its server's other tickets.

    A ticket that was dropped meanwhile is left alone: the ends of its last commands come late.
    """
    row = draft.ticket(ticket)
    if row is not None:
        # What is blocked has ended, which may be what others waited for to be done again.
        _look_at_dependents(draft, row)
        if do_again(draft, row):
            row = draft.the(TicketRow, ticket)
            _look_at_dependents(draft, row)
        settle(draft, row)
        start_tasks(draft, row.owner)


# Dependencies.


@frozen
class _Blocked:
    by: TaskRow
    why: str
    remedy: str

    def said_of(self, task: TaskRow) -> str:
        """Why a task is blocked, and how it is started once that is mended."""
        return (
            f"depends on {self.by.id}, which {self.why}. {self.remedy}, apply {self.by.id}, and"
            f" start this one by `sennit follow {task.ticket}/{task.id}`."
        )


def _look_at_dependents(draft: Draft, ticket: TicketRow) -> None:
    waiting = {task.id: task for task in draft.find(DEPENDENT_TASKS, ticket.id)}
    # Dependencies first, so that one look carries a failure through to the last dependent.
    for name in ordered(sorted(waiting.values(), key=lambda task: task.order)):
        _look_at_dependent(draft, ticket, waiting[name])


def _look_at_dependent(draft: Draft, ticket: TicketRow, task: TaskRow) -> None:
    blocked = _blocked(draft, ticket, task)
    if blocked is not None:
        failure = Failure(FailureKind.SETUP, blocked.said_of(task))
        end_task(draft, task, TaskState.BLOCKED, failure)
        return
    if not _prerequisites_done(draft, ticket, task):
        draft.put(evolve(task, queued_for=QueuedFor.DEPENDENCY))
    elif task.queued_for not in READY:
        draft.put(evolve(task, queued_for=QueuedFor.SLOT))


def _blocked(draft: Draft, ticket: TicketRow, task: TaskRow) -> _Blocked | None:
    for name in task.spec.depends_on:
        before = standing_for(draft, ticket.id, name)
        revision = draft.revision_of(before)
        if is_final(before) and before.state is not TaskState.COMPLETED:
            why = _ENDS.get(before.state, f"is {before.state.value}")
            return _Blocked(before, why, _redo(before))
        if is_due(draft, ticket, before):
            continue
        if revision is not None and revision.integration is Integration.CONFLICT:
            settle = f"Settle that (`sennit resolve {revision.proposal}`)"
            return _Blocked(before, "conflicts with the tasks before it", settle)
        failed = revision is not None and revision.integration is Integration.FAILED
        if failed and not _builds_on_what_is_in_hand(draft, ticket, before):
            return _Blocked(before, "could not be merged", _redo(before))
    return None


_ENDS = {
    TaskState.FAILED: "has failed",
    TaskState.CANCELLED: "was cancelled",
    TaskState.PARTIAL: "is done in part",
}
"""How a task has ended, where its state is no word for that."""


def _builds_on_what_is_in_hand(draft: Draft, ticket: TicketRow, task: TaskRow) -> bool:
    """Whether something that a task builds on is done again, after which it may be merged."""
    return any(
        _is_open(draft, ticket, one) or _builds_on_what_is_in_hand(draft, ticket, one)
        for one in (draft.task(ticket.id, name) for name in task.spec.depends_on)
    )


def _is_open(draft: Draft, ticket: TicketRow, task: TaskRow) -> bool:
    revision = draft.revision_of(standing_for(draft, ticket.id, task.id))
    pending = revision is not None and revision.integration is Integration.PENDING
    return pending or is_in_hand(draft, ticket, task)


def _redo(task: TaskRow) -> str:
    return f"Do it again (`sennit follow {task.ticket}/{task.id}`)"


def _prerequisites_done(draft: Draft, ticket: TicketRow, task: TaskRow) -> bool:
    for name in task.spec.depends_on:
        before = standing_for(draft, ticket.id, name)
        revision = draft.revision_of(before)
        if before.state is not TaskState.COMPLETED:
            return False
        if revision is not None and revision.integration not in GOOD_TO_BUILD_ON:
            return False
    return True


# Starts.


def start_tasks(draft: Draft, server: ServerId) -> None:
    """Start what can start, oldest ticket first, in task order, while there are free slots."""
    here = draft.server(server)
    if here is None or here.stopping:
        return
    room = Room.of(draft)
    mine = [ticket for ticket in draft.find(OPEN_TICKETS, value=True) if ticket.owner == server]
    for ticket in sorted(mine, key=TURN_OF_TICKETS):
        if room.free < 1:
            break
        _start_tasks_of(draft, ticket, room)
    _let_go(draft, mine, room)


def _start_tasks_of(draft: Draft, ticket: TicketRow, room: Room) -> None:
    most = room.free
    if ticket.max_concurrent is not None:
        most = min(most, ticket.max_concurrent - len(draft.find(TASKS_IN_SLOTS_OF, ticket.id)))
    if most < 1 or all(base.commit is None for base in draft.bases(ticket.id)):
        return
    enough = room.free - most
    for task in sorted(draft.find(READY_TASKS, ticket.id), key=lambda row: row.order):
        if room.free <= enough:
            return
        holder = room.holder(task.spec)
        if holder is not None:
            # Those behind it are looked at all the same: they may share something else.
            _hold(draft, task, holder)
            continue
        base = draft.base(ticket.id, task.spec.repository, task.spec.base)
        if base.commit is not None:
            room.take(task.spec)
            _prepare(draft, ticket, task, base)


_QUEUED_FOR = {
    LimitOf.PROVIDER: QueuedFor.PROVIDER,
    LimitOf.MODEL: QueuedFor.MODEL,
    LimitOf.AGENT: QueuedFor.AGENT,
}


def _hold(draft: Draft, task: TaskRow, limit: NamedLimit) -> None:
    queued_for = _QUEUED_FOR[limit.of]
    if task.queued_for is not queued_for:
        draft.put(evolve(task, queued_for=queued_for))
    if task.queued_for not in HELD:
        draft.note(task.ticket, task.id, f"waits: {limit.key} lets {limit.most} run at once")


def _let_go(draft: Draft, mine: list[TicketRow], room: Room) -> None:
    """Tell those that no limit of their own holds any more that a slot is all they wait for."""
    here = {ticket.id for ticket in mine}
    for task in draft.find(HELD_TASKS, value=True):
        if task.ticket in here and room.holder(task.spec) is None:
            draft.put(evolve(task, queued_for=QueuedFor.SLOT))


def _prepare(draft: Draft, ticket: TicketRow, task: TaskRow, base: BaseRow) -> None:
    run = RunId(draft.new_id(IdKind.RUN))
    moved = move_task(draft, task, TaskSignal.PREPARE)
    draft.put(evolve(moved, runs=(*moved.runs, run)))
    place, before = task.spec.place, _prerequisites(draft, ticket, task)
    built_on = tuple(row.id for row in before)
    draft.put(
        RunRow(run, ticket.id, task.id, RunState.STARTING, draft.at, place=place, built_on=built_on)
    )
    draft.issue(
        PrepareWorkspace(
            run=run,
            ticket=ticket.id,
            task=task.id,
            repository=task.spec.repository,
            base_commit=base.commit or "",
            base_tree=base.tree or "",
            prerequisites=tuple(map(_prerequisite, before)),
            place=place,
            earlier=_earlier_work(draft, task),
        )
    )
    draft.note(ticket.id, task.id, f"prepares the workspace of the run {run}")


def _earlier_work(draft: Draft, task: TaskRow) -> EarlierWork | None:
    """What a follow-up goes on with, unless it is to begin with the user's text alone."""
    following, revision = task.spec.following, followed_revision(draft, task)
    if following is None or revision is None or following.begin is Begin.LIVE:
        return None
    return EarlierWork(revision.id, revision.base_tree, revision.tree, revision.resolutions)


def _prerequisites(draft: Draft, ticket: TicketRow, task: TaskRow) -> tuple[RevisionRow, ...]:
    if is_again(task):
        return merged_before(draft, ticket, task)
    if not task.spec.depends_on:
        return ()
    needed: dict[str, TaskRow] = {}
    open_names = list(task.spec.depends_on)
    while open_names:
        name = open_names.pop()
        if name not in needed:
            needed[name] = one = standing_for(draft, ticket.id, name)
            open_names.extend(one.spec.depends_on)
            # What was done again stands on all that was merged before it.
            met = merged_before(draft, ticket, one) if is_again(one) else ()
            open_names.extend(row.task for row in met)
    revisions = tuple(
        revision
        for revision in map(draft.revision_of, needed.values())
        if revision is not None and revision.repository == task.spec.repository
    )
    return in_order_of_merging(draft, ticket, revisions)


def _prerequisite(revision: RevisionRow) -> Prerequisite:
    return Prerequisite(revision.task, revision.base_tree, revision.tree, revision.resolutions)


# Merges.


def reconcile(draft: Draft, ticket: TicketRow, repository: RepositoryRef) -> None:
    """Merge again all that has arrived in a repository, on what the user sees if that is known."""
    bases = [row for row in draft.bases(ticket.id) if row.repository == repository]
    taken = [row for row in bases if row.tree is not None]
    base = min(taken, key=lambda row: row.kind is not BaseKind.LIVE)
    arrived = tuple(
        Arrived(row.id, row.task, row.base_tree, row.tree, row.resolutions)
        for row in standing(draft, ticket)
        if row.repository == repository and row.integration in TAKES_PART
    )
    command = draft.issue(
        Reconcile(ticket.id, base.repository, base.tree or "", arrived, ticket.order)
    )
    for row in bases:
        draft.put(evolve(row, reconcile=command))


def offer(draft: Draft, revisions: tuple[RevisionRow, ...]) -> None:
    """Offer what is clean, was not offered yet, and has not been followed by a newer revision."""
    for revision in revisions:
        is_new = not revision.offered and is_newest(draft, revision)
        if revision.integration is Integration.CLEAN and is_new:
            draft.put(evolve(revision, offered=True))
            draft.issue(OfferRevision(revision.id))


# The end of a ticket.


def settle(draft: Draft, ticket: TicketRow) -> None:
    """Write the ticket's verdict when nothing is open any more."""
    if ticket.state in FINAL_TICKET_STATES or draft.find(OPEN_TASKS, ticket.id):
        return
    if anything_due(draft, ticket):
        return
    tasks, revisions = draft.tasks(ticket), standing(draft, ticket)
    if any(revision.integration is Integration.PENDING for revision in revisions):
        return
    state = next_state(TICKETS, ticket.state, verdict(ticket, tasks, revisions))
    draft.put(evolve(ticket, state=state, ended_at=draft.at))
    draft.note(ticket.id, None, f"settled: {state.value}")
    if ticket.offer is not Offer.MANUAL:
        offer(draft, revisions)


_UNHAPPY = frozenset({Integration.CONFLICT, Integration.FAILED, Integration.RETAINED})


def verdict(
    ticket: TicketRow, tasks: tuple[TaskRow, ...], revisions: tuple[RevisionRow, ...]
) -> TicketSignal:
    """How a ticket whose tasks are all final ends.

    The work of a completed task is useful unless it could not be merged at all: a conflict can be
    resolved. Work of a run that did not complete is kept, and is no result.
    """
    states = {task.state for task in tasks}
    unhappy = any(revision.integration in _UNHAPPY for revision in revisions)
    if ticket.state is TicketState.CANCELLING or states == {TaskState.CANCELLED}:
        return TicketSignal.SETTLE_CANCELLED
    if states == {TaskState.COMPLETED} and not unhappy:
        return TicketSignal.SETTLE_COMPLETED
    failed = {row.task for row in revisions if row.integration is Integration.FAILED}
    useful = {TaskState.COMPLETED, TaskState.PARTIAL}
    if any(task.state in useful and task.id not in failed for task in tasks):
        return TicketSignal.SETTLE_PARTIAL
    if states == {TaskState.INTERRUPTED}:
        return TicketSignal.SETTLE_INTERRUPTED
    return TicketSignal.SETTLE_FAILED
