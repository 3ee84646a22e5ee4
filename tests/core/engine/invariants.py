"""What holds after every step, whatever has happened before it."""

from __future__ import annotations

from sennit.core.engine.again import anything_due, is_due, standing, standing_for
from sennit.core.engine.commands import (
    CaptureRun,
    DeliverAnswer,
    OfferRevision,
    PrepareWorkspace,
    Reconcile,
    RecoverRun,
    RemoveWorkspaces,
    StartRun,
    StopRun,
    TakeBase,
)
from sennit.core.engine.draft import Draft
from sennit.core.engine.indexes import INDEXES
from sennit.core.engine.rows import (
    ApplicationRow,
    QuestionRow,
    RevisionRow,
    RunRow,
    ServerRow,
    TaskRow,
    TicketRow,
    TimerRow,
)
from sennit.core.engine.settling import settle, start_tasks
from sennit.core.engine.slots import free_slots
from sennit.core.engine.state import State
from sennit.core.named_limits import LimitOf
from sennit_protocol.ids import ServerId
from sennit_protocol.states import (
    FINAL_TASK_STATES,
    FINAL_TICKET_STATES,
    ApplicationState,
    Integration,
    QueuedFor,
    RunState,
    TaskState,
    TicketState,
)
from tests.core.engine.world import Open, World

# After a task's end: what is left of its stop, its folders, its answers. And what is no task's.
AFTER_THE_END = (RemoveWorkspaces, DeliverAnswer, OfferRevision, Reconcile)


def check(world: World) -> None:
    """Everything that holds of one state alone."""
    if world.sequence % 10 == 0:
        check_indexes(world.state)
    for ticket in world.state.rows(TicketRow):
        check_ticket(world, ticket)
    check_questions(world.state)
    check_applications(world)


def check_indexes(state: State) -> None:
    fresh = State({table: dict(rows) for table, rows in state.tables.items()})
    for index in INDEXES:
        for value in {index.of(row) for row in state.rows(index.table)} - {None}:
            kept, built = state.find(index, value), fresh.find(index, value)
            assert {row.key: row for row in kept} == {row.key: row for row in built}


def check_ticket(world: World, ticket: TicketRow) -> None:
    tasks, revisions = world.state.tasks(ticket), standing(world.state, ticket)
    final = all(task.state in FINAL_TASK_STATES for task in tasks)
    pending = any(revision.integration is Integration.PENDING for revision in revisions)
    waits = pending or anything_due(world.state, ticket)
    assert (ticket.state in FINAL_TICKET_STATES) == (final and not waits)
    assert (ticket.ended_at is not None) == (ticket.state in FINAL_TICKET_STATES)
    if not is_orphan(world, ticket):
        check_merges(world, revisions)
    for task in tasks:
        assert (task.queued_for is not None) == (task.state is TaskState.QUEUED)
        assert (task.waiting_for is not None) == (task.state is TaskState.WAITING)
        if task.state in FINAL_TASK_STATES:
            check_final(world, task)
        elif not is_orphan(world, ticket):
            assert moves_on(world, ticket, task), f"{task.key} is stuck: {task}"


def check_merges(world: World, revisions: tuple[RevisionRow, ...]) -> None:
    """Whatever is not merged yet has its verdict coming, from a merge that still counts."""
    for revision in revisions:
        if revision.integration is Integration.PENDING:
            merges = [
                world.open[base.reconcile].command
                for base in world.state.bases(revision.ticket)
                if base.repository == revision.repository and base.reconcile in world.open
            ]
            arrived = {one.revision for merge in merges for one in merge.arrived}
            assert revision.id in arrived


def check_final(world: World, task: TaskRow) -> None:
    assert world.state.open_question(task) is None
    assert task.ending is None
    run = world.state.last_run(task)
    if run is not None:
        assert run.state in {RunState.CAPTURED, RunState.QUARANTINED, RunState.ENDED}
        assert world.state.get(TimerRow, f"deadline:{run.id}") is None


def is_orphan(world: World, ticket: TicketRow) -> bool:
    """Whether the next look of a server takes the ticket over."""
    return world.state.server(ticket.owner) is None


def moves_on(world: World, ticket: TicketRow, task: TaskRow) -> bool:
    """Whether something is under way that brings the task on."""
    if task.state is TaskState.QUEUED:
        return queue_moves_on(world, ticket, task)
    run = world.state.last_run(task)
    assert run is not None
    mine = [each.command for each in world.open.values() if _run_of(each) == run.id]
    followed = any(isinstance(each, (StartRun, RecoverRun)) for each in mine)
    if run.state is RunState.ENDED:
        return any(isinstance(each, CaptureRun) for each in mine)
    if run.folder is None:
        return any(isinstance(each, PrepareWorkspace) for each in mine)
    question = world.state.open_question(task)
    asks = question is not None and world.state.get(TimerRow, f"question:{question.id}") is not None
    return followed and (asks if task.state is TaskState.WAITING else True)


def queue_moves_on(world: World, ticket: TicketRow, task: TaskRow) -> bool:
    base = world.state.base(ticket.id, task.spec.repository, task.spec.base)
    if base.commit is None:
        return any(
            isinstance(each.command, TakeBase) and each.command.base == base.id
            for each in world.open.values()
        )
    if task.queued_for is QueuedFor.DEPENDENCY:
        # A prerequisite that is done has a merge under way, which check_ticket looks at.
        before = [standing_for(world.state, ticket.id, name) for name in task.spec.depends_on]
        revisions = [world.state.revision_of(each) for each in before]
        under_way = any(each.state not in FINAL_TASK_STATES for each in before) or any(
            each is not None and each.integration is Integration.PENDING for each in revisions
        )
        # One that is to be done again waits until those before it have ended.
        return under_way or any(is_due(world.state, ticket, each) for each in before)
    return True


def check_questions(state: State) -> None:
    timers = {row.id for row in state.rows(TimerRow) if row.id.startswith("question:")}
    assert timers == {f"question:{row.id}" for row in state.rows(QuestionRow) if row.closed is None}


def check_applications(world: World) -> None:
    for row in world.state.rows(ApplicationRow):
        if row.state is ApplicationState.APPLYING and world.state.server(row.owner) is not None:
            assert any(
                getattr(each.command, "application", None) == row.id for each in world.open.values()
            )


def check_step(world: World, before: State) -> None:
    """Everything that holds of the last step."""
    check_final_states_stay(before, world.state)
    check_verdicts(world, before)
    check_commands(world)
    started = [each for each in world.last.commands if isinstance(each.command, PrepareWorkspace)]
    if started:
        assert free_slots(world.state) >= 0
    for each in started:
        check_named_limits(world, each.command)
        ticket = world.state.the(TicketRow, each.command.ticket)
        if ticket.max_concurrent is not None:
            busy = [task for task in world.state.tasks(ticket) if _is_busy(task)]
            assert len(busy) <= ticket.max_concurrent


def check_named_limits(world: World, command: PrepareWorkspace) -> None:
    """What starts keeps to every limit that binds it, counted anew."""
    started = what_it_shares(world.state.task(command.ticket, command.task))
    for server in world.state.rows(ServerRow):
        for limit in server.limits:
            shared = (limit.of, limit.name)
            alike = [one for one in world.state.rows(TaskRow) if shared in what_it_shares(one)]
            assert shared not in started or len(list(filter(_is_busy, alike))) <= limit.most


def what_it_shares(task: TaskRow) -> set[tuple[LimitOf, str | None]]:
    agent = task.spec.agent
    return {
        (LimitOf.PROVIDER, agent.provider),
        (LimitOf.MODEL, task.spec.model or agent.model),
        (LimitOf.AGENT, agent.name),
    }


def check_final_states_stay(before: State, after: State) -> None:
    for task in before.rows(TaskRow):
        now = after.get(TaskRow, task.key)
        if task.state in FINAL_TASK_STATES and now is not None:
            assert now.state is task.state
    for ticket in before.rows(TicketRow):
        later = after.get(TicketRow, ticket.key)
        if ticket.state in FINAL_TICKET_STATES and later is not None:
            assert later.state is ticket.state


def check_verdicts(world: World, before: State) -> None:
    for ticket in world.state.rows(TicketRow):
        earlier = before.get(TicketRow, ticket.key)
        was_open = earlier is not None and earlier.state not in FINAL_TICKET_STATES
        if earlier is not None and was_open and ticket.state in FINAL_TICKET_STATES:
            said = any(
                line.ticket == ticket.id and line.message == "is being cancelled"
                for line in world.last.journal
            )
            cancelled = said or earlier.state is TicketState.CANCELLING
            expected = expected_verdict(world.state, ticket)
            assert ticket.state is (TicketState.CANCELLED if cancelled else expected)


def expected_verdict(state: State, ticket: TicketRow) -> TicketState:
    """The table of the protocol, spelled a second time."""
    ends = {task.id: task.state for task in state.tasks(ticket)}
    merges = {row.task: row.integration for row in standing(state, ticket)}
    bad = {Integration.CONFLICT, Integration.FAILED, Integration.RETAINED} & set(merges.values())
    useful = [
        name
        for name, end in ends.items()
        if end is TaskState.COMPLETED and merges.get(name) is not Integration.FAILED
    ]
    if set(ends.values()) == {TaskState.COMPLETED} and not bad:
        return TicketState.COMPLETED
    if useful:
        return TicketState.PARTIAL
    alike = {
        TaskState.INTERRUPTED: TicketState.INTERRUPTED,
        TaskState.CANCELLED: TicketState.CANCELLED,
    }
    first = next(iter(ends.values()))
    same = set(ends.values()) == {first}
    return alike.get(first, TicketState.FAILED) if same else TicketState.FAILED


def check_commands(world: World) -> None:
    for issued in world.last.commands:
        if isinstance(issued.command, AFTER_THE_END):
            continue
        run = world.state.get(RunRow, getattr(issued.command, "run", ""))
        if run is not None:
            task = world.state.task(run.ticket, run.task)
            assert task.state not in FINAL_TASK_STATES
            if isinstance(issued.command, (StartRun, StopRun, RecoverRun)):
                assert run.state in {RunState.STARTING, RunState.RUNNING, RunState.STOPPING}


def check_nothing_is_idle(world: World, server: ServerId) -> None:
    """A step that looks at a server's tickets has started all that it can."""
    draft = Draft(world.state, world.at, 12345, world.sequence + 1)
    start_tasks(draft, server)
    for ticket in world.state.rows(TicketRow):
        settle(draft, ticket)
    assert draft.finish().commands == ()


def check_the_end(world: World) -> None:
    """Everything that holds when nothing is under way any more."""
    for ticket in world.state.rows(TicketRow):
        assert ticket.state in FINAL_TICKET_STATES
    assert list(world.state.rows(TimerRow)) == []
    check_indexes(world.state)
    limit = min(row.limit_tasks for row in world.state.rows(ServerRow))
    assert free_slots(world.state) == limit


def _is_busy(task: TaskRow) -> bool:
    return task.state in {TaskState.PREPARING, TaskState.RUNNING}


def _run_of(each: Open) -> str | None:
    return getattr(each.command, "run", None)
