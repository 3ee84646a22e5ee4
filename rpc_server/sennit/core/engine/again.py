"""Tasks that are done again within their ticket, on what was merged before them.

With ``onConflict: follow`` a task whose proposal conflicts has one more turn, as a task of its own:
the first one has ended, and stays as it ended. Its place in the order, and for those that depend
on it, is that of the first.
"""

from __future__ import annotations

from collections.abc import Iterator

from attrs import evolve

from sennit.core.agent_abilities import abilities
from sennit.core.engine.draft import Draft
from sennit.core.engine.moves import is_final
from sennit.core.engine.rows import (
    Followed,
    ProposalRow,
    RevisionRow,
    RunRow,
    TaskRow,
    TaskSpec,
    TicketRow,
)
from sennit.core.engine.state import Tables
from sennit.core.graph import Cyclic, topological_order
from sennit_protocol.ids import TicketId
from sennit_protocol.states import Integration, QueuedFor, RunState, TaskState, TicketState
from sennit_protocol.tasks import OnConflict

LONGEST_NAME = 64
_AGAIN = "again"


def is_again(task: TaskRow) -> bool:
    """Whether a task is another one of its own ticket done again."""
    return task.spec.following is not None and task.spec.following.ticket == task.ticket


def names_of(task: TaskRow) -> tuple[str, ...]:
    """The names by which other tasks of its ticket may depend on a task."""
    if task.spec.following is None or not is_again(task):
        return (task.id,)
    return (task.id, task.spec.following.task)


def standing_for(tables: Tables, ticket: TicketId, name: str) -> TaskRow:
    """The task that does another one of its ticket again; that one itself where none does.

    Nor does one that has left the conflict as it was.
    """
    task = tables.task(ticket, name)
    if task.followed_by != ticket:
        return task
    row = tables.ticket(ticket)
    others = () if row is None else tables.tasks(row)
    again = next((one for one in others if is_again(one) and name in names_of(one)), task)
    return task if has_left_the_conflict(again) else again


def has_left_the_conflict(task: TaskRow) -> bool:
    """Whether a task that is done again is through, and the first try is still what there is."""
    return is_again(task) and task.state is TaskState.COMPLETED and task.proposal is None


def gone_on_with(tables: Tables, task: TaskRow) -> RevisionRow | None:
    """The revision that a follow-up of a task goes on with."""
    if task.spec.following is not None and has_left_the_conflict(task):
        return tables.revision_of(tables.task(task.ticket, task.spec.following.task))
    return tables.revision_of(task)


def in_order(tables: Tables, ticket: TicketRow) -> tuple[str, ...]:
    """The ticket's tasks in the order of reconciliation: as given, dependencies first."""
    return ordered(tables.tasks(ticket))


def ordered(tasks: list[TaskRow] | tuple[TaskRow, ...]) -> tuple[str, ...]:
    """Some tasks of a ticket as given, dependencies first.

    What depends on a task comes after that one is done again, too.
    """
    again = {name: task.id for task in tasks if is_again(task) for name in names_of(task)[1:]}
    order = topological_order(
        {
            task.id: tuple(
                name
                for before in (*task.spec.depends_on, *names_of(task)[1:])
                for name in (before, again.get(before, before))
                if name != task.id
            )
            for task in tasks
        }
    )
    if isinstance(order, Cyclic):
        # Validation has refused such calls before they came here.
        raise TypeError(f"tasks depend on each other: {order.cycles}")
    return order


def standing(tables: Tables, ticket: TicketRow) -> tuple[RevisionRow, ...]:
    """The revisions of a ticket in the order of its tasks, each proposal once in it."""
    found = (tables.revision_of(tables.task(ticket.id, name)) for name in in_order(tables, ticket))
    return tuple(row for row in found if row is not None and _stands(tables, row))


def _stands(tables: Tables, revision: RevisionRow) -> bool:
    newest = tables.get(ProposalRow, revision.proposal)
    return newest is None or newest.ticket != revision.ticket or newest.revision == revision.id


def merged_before(tables: Tables, ticket: TicketRow, task: TaskRow) -> tuple[RevisionRow, ...]:
    """What a task that is done again begins with: all that was merged before it, in that order."""
    following = task.spec.following
    mine = None if following is None else tables.get(RevisionRow, following.revision or "")
    if mine is None:
        return ()
    rows = in_order_of_merging(tables, ticket, (*standing(tables, ticket), mine))
    return tuple(
        row
        for row in rows[: rows.index(mine)]
        if row.integration is Integration.CLEAN and row.repository == mine.repository
    )


def in_order_of_merging(
    tables: Tables, ticket: TicketRow, revisions: tuple[RevisionRow, ...]
) -> tuple[RevisionRow, ...]:
    """Some revisions of a ticket in the order in which they were merged, or would be."""
    names = {name: place for place, name in enumerate(in_order(tables, ticket))}

    def place(row: RevisionRow) -> int:
        return names[row.task] if row.place is None else row.place

    return tuple(sorted({row.id: row for row in revisions}.values(), key=place))


def outdated(tables: Tables, run: RunRow) -> Iterator[RevisionRow]:
    """Give the revisions that a run was built on and of which there are newer ones by now."""
    for name in run.built_on:
        revision = tables.get(RevisionRow, name)
        newest = None if revision is None else tables.get(ProposalRow, revision.proposal)
        if revision is not None and newest is not None and newest.revision != revision.id:
            yield revision


# Beginning.


def is_due(tables: Tables, ticket: TicketRow, task: TaskRow) -> bool:
    """Whether a task is to be done again, now or once those before it are through."""
    if ticket.on_conflict is not OnConflict.FOLLOW or ticket.state is not TicketState.RUNNING:
        return False
    server = tables.server(ticket.owner)
    if server is None or server.stopping or is_again(task) or task.followed_by is not None:
        return False
    revision = tables.revision_of(task)
    in_conflict = revision is not None and revision.integration is Integration.CONFLICT
    return in_conflict and task.state is TaskState.COMPLETED


def anything_due(tables: Tables, ticket: TicketRow) -> bool:
    """Whether some task of a ticket is to be done again."""
    return any(is_due(tables, ticket, task) for task in tables.tasks(ticket))


def is_in_hand(tables: Tables, ticket: TicketRow, task: TaskRow) -> bool:
    """Whether a task is being done again, or is to be, so that nobody has to do anything."""
    return is_due(tables, ticket, task) or not is_final(standing_for(tables, ticket.id, task.id))


def do_again(draft: Draft, ticket: TicketRow) -> bool:
    """Make the tasks whose turn it is: what is before them will not change any more.

    Tells whether there was any.
    """
    if ticket.on_conflict is not OnConflict.FOLLOW:
        return False
    names = tuple(_whose_turn_it_is(draft, ticket))
    for name in names:
        _make(draft, draft.the(TicketRow, ticket.id), draft.task(ticket.id, name))
    return bool(names)


def _whose_turn_it_is(draft: Draft, ticket: TicketRow) -> Iterator[str]:
    merging = {row.repository for row in draft.bases(ticket.id) if row.reconcile is not None}
    for name in in_order(draft, ticket):
        task = draft.task(ticket.id, name)
        if is_due(draft, ticket, task) and task.spec.repository not in merging:
            yield name
            return
        if not is_final(task):
            return


def _make(draft: Draft, ticket: TicketRow, task: TaskRow) -> None:
    name = _free_name(ticket, task.id)
    spec = _spec(draft, task)
    place = ticket.tasks.index(task.id) + 1
    tasks = (*ticket.tasks[:place], name, *ticket.tasks[place:])
    draft.put(evolve(ticket, tasks=tasks))
    queued_for = QueuedFor.DEPENDENCY if spec.depends_on else QueuedFor.SLOT
    draft.put(TaskRow(ticket.id, name, task.order, TaskState.QUEUED, spec, queued_for))
    draft.put(evolve(task, followed_by=ticket.id, revision=task.revision))
    draft.note(ticket.id, task.id, f"conflicts, and is done again as {name}")


def _free_name(ticket: TicketRow, task: str) -> str:
    number = 1
    while True:
        end = f"-{_AGAIN}" if number == 1 else f"-{_AGAIN}-{number}"
        name = f"{task[: LONGEST_NAME - len(end)]}{end}"
        if name not in ticket.tasks:
            return name
        number += 1


def _spec(draft: Draft, task: TaskRow) -> TaskSpec:
    run = draft.last_run(task)
    kept = run is None or run.uncaptured or run.state is RunState.QUARANTINED
    return evolve(
        task.spec,
        following=Followed(task.ticket, task.id, task.proposal, task.revision),
        session=_session(task, run),
        place=None if kept or run is None else run.workspace,
    )


def _session(task: TaskRow, run: RunRow | None) -> str | None:
    if run is None or not abilities(task.spec.agent).resumes:
        return None
    return run.session or task.spec.session
