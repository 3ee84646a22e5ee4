"""What is dropped is gone, and what is in use is not dropped."""

from __future__ import annotations

from sennit.core.engine.commands import (
    CaptureRun,
    Reconcile,
    RemoveWorkspaces,
    TakeBase,
)
from sennit.core.engine.events import (
    CancelRequested,
    DriftSeen,
    Dropped,
    QuestionAsked,
    WorkspacesRemoved,
)
from sennit.core.engine.reviewing import (
    DropDone,
)
from sennit.core.engine.rows import (
    ROWS,
    RepositoryRef,
)
from sennit_protocol.ids import ProposalId, TicketId
from sennit_protocol.states import (
    Flag,
    Integration,
    TaskState,
    TicketState,
)
from sennit_protocol.views import Notice
from tests.core.engine.builders import (
    HERE,
    OTHER_REPOSITORY,
    REPOSITORY,
    TICKET,
    a_failure,
    a_task,
    a_ticket,
)
from tests.core.engine.reviewed import APPLIED, apply, arrived, settle, settled_world
from tests.core.engine.world import World, a_world

# Drift.


def test_drift_is_shown_with_the_tasks_of_its_repository() -> None:
    world = a_world(a_ticket(a_task("a"), a_task("b", repository=OTHER_REPOSITORY)))

    for moved in (False, True, True):
        world.tell(
            DriftSeen, ticket=TICKET, repository=REPOSITORY, head_moved=moved, message="it moved"
        )

    assert world.task("a").flags == (Flag.SOURCE_DRIFT, Flag.HEAD_MOVED)
    assert world.task("b").flags == ()
    assert world.states()["a"] is TaskState.PREPARING


def test_drift_of_a_dropped_ticket_is_nothing() -> None:
    world = settled_world()
    world.tell(Dropped, tickets=(TICKET,))

    world.tell(
        DriftSeen, ticket=TICKET, repository=RepositoryRef("r", b"/"), head_moved=True, message=""
    )

    assert world.last.changes == ()


# Drop.


def drop(world: World, *proposals: str, tickets: tuple[str, ...] = ()) -> DropDone:
    outcome = world.tell(
        Dropped,
        proposals=tuple(ProposalId(name) for name in proposals),
        tickets=tuple(TicketId(name) for name in tickets),
    )
    assert isinstance(outcome, DropDone)
    return outcome


def test_a_dropped_proposal_is_discarded_with_its_workspace() -> None:
    world = settled_world()
    proposal = world.revision("a").proposal

    assert drop(world, proposal) == DropDone((proposal,), (), ())
    assert drop(world, proposal) == DropDone((proposal,), (), ())

    assert world.revision("a").integration is Integration.DISCARDED
    runs = world.task("a").runs
    removal = RemoveWorkspaces(TICKET, runs, (REPOSITORY,), places=runs)
    assert world.asked_for(RemoveWorkspaces) == [removal]
    assert world.verdict() is TicketState.COMPLETED


def test_what_runs_is_not_dropped() -> None:
    world = a_world(a_ticket(a_task("a"), a_task("b", "a")))
    world.finish("a")
    proposal = world.revision("a").proposal

    done = drop(world, proposal, tickets=(TICKET,))

    assert (done.proposals, done.tickets) == ((), ())
    assert "reject it" in done.kept[0]
    assert f"the ticket {TICKET} is running; cancel it first" in done.kept
    assert world.last.changes == ()


def test_what_is_being_applied_is_not_dropped() -> None:
    world = settled_world()
    apply(world)

    done = drop(world, world.revision("a").proposal, tickets=(TICKET,))

    assert (done.proposals, done.tickets) == ((), ())
    assert [one.split(" is ")[1] for one in done.kept] == [
        "being applied",
        "being applied; wait for that",
    ]


def test_what_is_not_there_is_named() -> None:
    done = drop(a_world(), "p_none", tickets=("t_none",))

    assert done.kept == ("there is no proposal p_none", "there is no ticket t_none")


def test_nothing_is_left_of_a_dropped_ticket() -> None:
    world = a_world(a_ticket(a_task("a"), a_task("b")))
    world.to_running("b")
    world.tell(QuestionAsked, run=world.run("b").id, question="q_one", text="Which?")
    world.to_end("b")
    world.fail(world.the(CaptureRun, "b"))
    world.finish("a")
    apply(world)
    settle(world, APPLIED)
    runs = {world.run("a").id, world.run("b").id}
    world.dispatch(a_ticket(a_task("a"), ticket="t_two"))

    assert drop(world, tickets=(TICKET,)) == DropDone((), (TICKET,), ())

    left = [row for table in ROWS for row in world.state.tables.get(table, {}).values()]
    assert {getattr(row, "ticket", "t_two") for row in left} == {"t_two"}
    removal = world.asked_for(RemoveWorkspaces)[-1]
    assert (set(removal.runs), removal.repositories) == (runs, (REPOSITORY,))
    world.the(TakeBase)


def test_a_merge_that_ends_after_the_drop_is_nothing() -> None:
    world = arrived("a", "b")
    older, newer = world.pending(Reconcile)
    world.answer(newer)
    drop(world, tickets=(TICKET,))

    world.answer(older)

    assert world.last.changes == ()


def test_folders_that_cannot_be_removed_are_told_of() -> None:
    world = settled_world()
    drop(world, world.revision("a").proposal)

    world.tell(WorkspacesRemoved, ticket=TICKET, failure=a_failure("a mount is in the way"))

    assert world.ticket().notices == (Notice("a mount is in the way"),)
    drop(world, tickets=(TICKET,))
    world.tell(WorkspacesRemoved, ticket=TICKET, failure=a_failure("still in the way"))
    assert world.story[-1] == "still in the way"
    world.tell(WorkspacesRemoved, ticket=TICKET)
    assert world.last.changes == ()


def test_a_cancelled_ticket_keeps_what_was_finished() -> None:
    world = a_world(a_ticket(a_task("a"), a_task("b")))
    world.finish("a")

    world.tell(CancelRequested, ticket=TICKET, tasks=("a", "b"), by=HERE)
    world.to_workspace("b")

    assert world.verdict() is TicketState.CANCELLED
    assert world.revision("a").integration is Integration.CLEAN
