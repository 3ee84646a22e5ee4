"""What goes on after any change: tasks that can start, merges that are due, the ticket's end."""

from __future__ import annotations

from attrs import evolve, frozen
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
from sennit_protocol.views import Failure

from sennit.core.engine.commands import (
    Arrived,
    OfferRevision,
    PrepareWorkspace,
    Prerequisite,
    Reconcile,
)
from sennit.core.engine.draft import Draft
from sennit.core.engine.moves import end_task, is_final, move_task
from sennit.core.engine.rows import BaseRow, RevisionRow, RunRow, ServerRow, TaskRow, TicketRow
from sennit.core.engine.state import Tables
from sennit.core.engine.transitions import TICKETS, TaskSignal, TicketSignal, next_state

GOOD_TO_BUILD_ON = frozenset({
    Integration.CLEAN, Integration.NO_CHANGES, Integration.ALREADY_PRESENT,
})  # fmt: skip
TAKES_PART = frozenset({
    Integration.PENDING, Integration.CLEAN, Integration.CONFLICT, Integration.ALREADY_PRESENT,
})  # fmt: skip
IN_A_SLOT = frozenset({TaskState.PREPARING, TaskState.RUNNING})


def go_on(draft: Draft, ticket: TicketId) -> None:
    """Do all that has become possible for the ticket, and for its server's other tickets."""
    row = draft.the(TicketRow, ticket)
    settle(draft, row)
    start_tasks(draft, row.owner)


def start_tasks(draft: Draft, server: ServerId) -> None:
    """Start what can start, oldest ticket first, in task order, while there are free slots."""
    mine = [
        ticket
        for ticket in draft.rows(TicketRow)
        if ticket.owner == server and ticket.state not in FINAL_TICKET_STATES
    ]
    for ticket in sorted(mine, key=lambda row: (row.created_at, row.id)):
        for task in draft.tasks(ticket):
            if task.state is TaskState.QUEUED:
                _consider(draft, ticket, draft.task(ticket.id, task.id))
        settle(draft, draft.the(TicketRow, ticket.id))


def free_slots(tables: Tables) -> int:
    """How many more tasks may run on this machine: the lowest limit of all servers counts."""
    limit = min((server.limit_tasks for server in tables.rows(ServerRow)), default=0)
    taken = 0
    for ticket in tables.rows(TicketRow):
        if ticket.state not in FINAL_TICKET_STATES:
            taken += sum(task.state in IN_A_SLOT for task in tables.tasks(ticket))
    return limit - taken


@frozen
class _Blocked:
    by: str
    why: str


def _consider(draft: Draft, ticket: TicketRow, task: TaskRow) -> None:
    blocked = _blocked(draft, ticket, task)
    base = draft.base(ticket.id, task.spec.repository, task.spec.base)
    if blocked is not None:
        failure = Failure(
            FailureKind.SETUP,
            f"depends on {blocked.by}, which {blocked.why}. Mend or redo {blocked.by} first.",
        )
        end_task(draft, task, TaskState.BLOCKED, failure)
    elif not _prerequisites_done(draft, ticket, task):
        draft.put(evolve(task, queued_for=QueuedFor.DEPENDENCY))
    elif base.commit is None or free_slots(draft) < 1 or _ticket_is_full(draft, ticket):
        draft.put(evolve(task, queued_for=QueuedFor.SLOT))
    else:
        _prepare(draft, ticket, task, base)


def _blocked(draft: Draft, ticket: TicketRow, task: TaskRow) -> _Blocked | None:
    for name in task.spec.depends_on:
        before = draft.task(ticket.id, name)
        revision = draft.revision_of(before)
        if is_final(before) and before.state is not TaskState.COMPLETED:
            return _Blocked(name, f"is {before.state.value}")
        if revision is not None and revision.integration is Integration.CONFLICT:
            return _Blocked(name, "conflicts with the tasks before it")
        if revision is not None and revision.integration is Integration.FAILED:
            return _Blocked(name, "could not be merged")
    return None


def _prerequisites_done(draft: Draft, ticket: TicketRow, task: TaskRow) -> bool:
    for name in task.spec.depends_on:
        before = draft.task(ticket.id, name)
        revision = draft.revision_of(before)
        if before.state is not TaskState.COMPLETED:
            return False
        if revision is not None and revision.integration not in GOOD_TO_BUILD_ON:
            return False
    return True


def _ticket_is_full(draft: Draft, ticket: TicketRow) -> bool:
    if ticket.max_concurrent is None:
        return False
    running = sum(task.state in IN_A_SLOT for task in draft.tasks(ticket))
    return running >= ticket.max_concurrent


def _prepare(draft: Draft, ticket: TicketRow, task: TaskRow, base: BaseRow) -> None:
    run = RunId(draft.new_id(IdKind.RUN))
    moved = move_task(draft, task, TaskSignal.PREPARE)
    draft.put(evolve(moved, runs=(*moved.runs, run)))
    draft.put(RunRow(run, ticket.id, task.id, RunState.STARTING, draft.at))
    draft.issue(
        PrepareWorkspace(
            run=run,
            ticket=ticket.id,
            task=task.id,
            repository=task.spec.repository,
            base_commit=base.commit or "",
            base_tree=base.tree or "",
            prerequisites=_prerequisites(draft, ticket, task),
        )
    )
    draft.note(ticket.id, task.id, f"prepares the workspace of the run {run}")


def _prerequisites(draft: Draft, ticket: TicketRow, task: TaskRow) -> tuple[Prerequisite, ...]:
    needed: set[str] = set()
    open_names = list(task.spec.depends_on)
    while open_names:
        name = open_names.pop()
        if name not in needed:
            needed.add(name)
            open_names.extend(draft.task(ticket.id, name).spec.depends_on)
    revisions = [draft.revision_of(draft.task(ticket.id, name)) for name in in_order(draft, ticket)
                 if name in needed]  # fmt: skip
    return tuple(
        Prerequisite(revision.task, revision.base_tree, revision.tree)
        for revision in revisions
        if revision is not None and revision.repository == task.spec.repository
    )


def in_order(tables: Tables, ticket: TicketRow) -> tuple[str, ...]:
    """The ticket's tasks in the order of reconciliation: as given, dependencies first."""
    done: dict[str, None] = {}

    def visit(name: str) -> None:
        if name in done:
            return
        for before in tables.task(ticket.id, name).spec.depends_on:
            visit(before)
        done[name] = None

    for name in ticket.tasks:
        visit(name)
    return tuple(done)


def reconcile(draft: Draft, ticket: TicketRow, revision: RevisionRow) -> None:
    """Merge again all that has arrived in the revision's repository."""
    bases = [row for row in draft.bases(ticket.id) if row.repository == revision.repository]
    base = min(bases, key=lambda row: row.kind.value == "head")
    found = (draft.revision_of(draft.task(ticket.id, name)) for name in in_order(draft, ticket))
    arrived = tuple(
        Arrived(row.id, row.task, row.base_tree, row.tree)
        for row in found
        if row is not None
        and row.repository == revision.repository
        and row.integration in TAKES_PART
    )
    command = draft.issue(Reconcile(ticket.id, base.repository, base.tree or "", arrived))
    for row in bases:
        draft.put(evolve(row, reconcile=command))


def settle(draft: Draft, ticket: TicketRow) -> None:
    """Write the ticket's verdict when nothing is open any more."""
    if ticket.state in FINAL_TICKET_STATES:
        return
    tasks, revisions = draft.tasks(ticket), draft.revisions(ticket)
    if not all(is_final(task) for task in tasks):
        return
    if any(revision.integration is Integration.PENDING for revision in revisions):
        return
    signal = verdict(ticket, tasks, revisions)
    state = next_state(TICKETS, ticket.state, signal)
    draft.put(evolve(ticket, state=state, ended_at=draft.at))
    draft.note(ticket.id, None, f"settled: {state.value}")
    if ticket.offer is not Offer.MANUAL:
        offer(draft, revisions)


_UNHAPPY = frozenset({Integration.CONFLICT, Integration.FAILED, Integration.RETAINED})


def verdict(
    ticket: TicketRow, tasks: tuple[TaskRow, ...], revisions: tuple[RevisionRow, ...]
) -> TicketSignal:
    """How a ticket whose tasks are all final ends."""
    completed = [task.state is TaskState.COMPLETED for task in tasks]
    unhappy = any(revision.integration in _UNHAPPY for revision in revisions)
    if ticket.state is TicketState.CANCELLING:
        return TicketSignal.SETTLE_CANCELLED
    if all(completed) and not unhappy:
        return TicketSignal.SETTLE_COMPLETED
    if any(completed):
        return TicketSignal.SETTLE_PARTIAL
    if all(task.state is TaskState.INTERRUPTED for task in tasks):
        return TicketSignal.SETTLE_INTERRUPTED
    return TicketSignal.SETTLE_FAILED


def offer(draft: Draft, revisions: tuple[RevisionRow, ...]) -> None:
    """Offer what is clean and was not offered yet."""
    for revision in revisions:
        if revision.integration is Integration.CLEAN and not revision.offered:
            draft.put(evolve(revision, offered=True))
            draft.issue(OfferRevision(revision.id))
