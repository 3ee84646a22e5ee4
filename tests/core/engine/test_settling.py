from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from attrs import evolve

from sennit.core.engine.commands import OfferRevision, PrepareWorkspace, Reconcile
from sennit.core.engine.events import AnswerGiven, CancelRequested, QuestionAsked
from sennit.core.engine.rows import TaskRow, TicketRow
from sennit.core.engine.settling import in_order, verdict
from sennit.core.engine.transitions import TicketSignal
from sennit_protocol.ids import ServerId, TicketId
from sennit_protocol.states import (
    FailureKind,
    Integration,
    Offer,
    QueuedFor,
    TaskState,
    TicketState,
)
from sennit_protocol.tasks import BaseKind
from tests.core.engine.builders import (
    HERE,
    OTHER_REPOSITORY,
    REPOSITORY,
    TICKET,
    a_failure,
    a_task,
    a_ticket,
)
from tests.core.engine.chains import CHAIN, prepared
from tests.core.engine.world import World, a_world

# Dependencies.


def test_a_dependent_starts_when_its_prerequisite_is_merged() -> None:
    world = a_world(a_ticket(*CHAIN))
    world.to_running("a")
    world.to_end("a")
    world.to_captured("a")
    assert world.states()["b"] is TaskState.QUEUED
    assert world.task("b").queued_for is QueuedFor.DEPENDENCY

    world.merge()

    assert world.states()["b"] is TaskState.PREPARING
    assert world.states()["c"] is TaskState.QUEUED


def test_a_dependent_is_given_all_prerequisites_in_the_order_of_the_merge() -> None:
    tasks = (a_task("d", "c", "b"), a_task("c", "a"), a_task("b"), a_task("a"))
    world = a_world(a_ticket(*tasks))
    for name in ("a", "b", "c"):
        world.finish(name)

    handed = world.the(PrepareWorkspace, "d").command.prerequisites

    assert [each.task for each in handed] == ["b", "a", "c"]
    assert [each.tree for each in handed] == ["tree-of-b", "tree-of-a", "tree-of-c"]
    assert [each.base_tree for each in handed] == ["tree-repo"] * 3


def test_a_prerequisite_of_another_repository_is_waited_for_and_not_handed_over() -> None:
    world = a_world(a_ticket(a_task("a", repository=OTHER_REPOSITORY), a_task("b", "a")))
    assert prepared(world) == ["a"]

    world.finish("a")

    assert world.the(PrepareWorkspace, "b").command.prerequisites == ()


def test_a_prerequisite_that_changed_nothing_is_as_good_as_a_merged_one() -> None:
    world = a_world(a_ticket(*CHAIN))
    world.to_running("a")
    world.to_end("a")

    world.to_captured("a", tree="tree-repo")

    assert world.states()["b"] is TaskState.PREPARING
    assert world.asked_for(Reconcile) == []


@pytest.mark.parametrize(
    ("integration", "why"),
    [
        (Integration.CONFLICT, "conflicts with the tasks before it"),
        (Integration.FAILED, "could not be merged"),
    ],
)
def test_a_prerequisite_that_does_not_merge_blocks(integration: Integration, why: str) -> None:
    world = a_world(a_ticket(*CHAIN))
    world.to_running("a")
    world.to_end("a")
    world.to_captured("a")

    world.merge(a=integration)

    assert world.states() == {
        "a": TaskState.COMPLETED,
        "b": TaskState.BLOCKED,
        "c": TaskState.BLOCKED,
    }
    failure = world.task("b").failure
    assert failure is not None
    assert why in failure.message


@pytest.mark.parametrize("order", [CHAIN, CHAIN[::-1]])
def test_a_failure_blocks_to_the_end_of_the_chain_in_one_step(order: tuple[Any, ...]) -> None:
    world = a_world(a_ticket(*order))
    world.to_running("a")
    world.to_end("a", failure=a_failure())

    world.to_captured("a", tree="tree-repo")

    assert world.states() == {
        "a": TaskState.FAILED,
        "b": TaskState.BLOCKED,
        "c": TaskState.BLOCKED,
    }
    assert world.verdict() is TicketState.FAILED
    failure = world.task("b").failure
    assert failure is not None
    assert "depends on a, which has failed" in failure.message
    failure = world.task("c").failure
    assert failure is not None
    assert failure.kind is FailureKind.SETUP
    assert "depends on b, which is blocked" in failure.message


def test_retained_work_is_nothing_to_build_on() -> None:
    world = a_world(a_ticket(*CHAIN))
    world.to_running("a")
    world.to_end("a", failure=a_failure())

    world.to_captured("a")

    assert world.revision("a").integration is Integration.RETAINED
    assert world.states()["b"] is TaskState.BLOCKED


def test_a_ready_task_is_blocked_when_its_prerequisite_comes_into_conflict() -> None:
    world = a_world(a_ticket(a_task("a"), a_task("e"), a_task("b"), a_task("c", "b")), limit=1)
    # Two tasks go on after their questions, so that more run than may be started.
    for name in ("a", "e"):
        world.to_running(name)
        world.tell(QuestionAsked, run=world.run(name).id, question=f"q_{name}", text="Which?")
    world.to_running("b")
    world.to_end("b")
    world.to_captured("b")
    for name in ("a", "e"):
        world.tell(AnswerGiven, ticket=TICKET, task=name, question=f"q_{name}", answer="this")
    world.merge()
    assert world.task("c").queued_for is QueuedFor.SLOT
    world.to_end("a")
    world.to_captured("a")
    assert world.states()["c"] is TaskState.QUEUED

    world.merge(b=Integration.CONFLICT)

    assert world.states()["c"] is TaskState.BLOCKED


def test_unrelated_branches_go_on() -> None:
    world = a_world(a_ticket(a_task("a"), a_task("b", "a"), a_task("x"), a_task("y", "x")))
    world.fail(world.the(PrepareWorkspace, "a"))

    world.finish("x")

    assert world.states() == {
        "a": TaskState.FAILED,
        "b": TaskState.BLOCKED,
        "x": TaskState.COMPLETED,
        "y": TaskState.PREPARING,
    }


def test_a_chain_of_512_tasks_is_carried_to_its_end() -> None:
    names = [f"n{number}" for number in range(512)]
    tasks = [a_task(names[0])]
    tasks += [a_task(name, before) for before, name in pairwise(names)]
    world = a_world(a_ticket(*reversed(tasks)))
    for name in names[:3]:
        world.finish(name)

    assert in_order(world.state, world.ticket()) == tuple(names)
    assert prepared(world) == names[:4]
    world.fail(world.the(PrepareWorkspace, names[3]))
    assert world.verdict() is TicketState.PARTIAL
    assert world.states()["n511"] is TaskState.BLOCKED


def test_tasks_that_depend_on_each_other_are_a_bug_here() -> None:
    world = World()
    world.begin()
    world.dispatch(a_ticket(a_task("a", "b"), a_task("b", "a")))

    with pytest.raises(TypeError, match="depend on each other"):
        world.take_bases()


# Merges.


def test_a_merge_takes_all_that_has_arrived_in_order() -> None:
    world = a_world(a_ticket(a_task("a"), a_task("b"), a_task("c", repository=OTHER_REPOSITORY)))
    for name in ("b", "c", "a"):
        world.to_running(name)
        world.to_end(name)
        world.to_captured(name)

    merges = world.asked_for(Reconcile)

    assert [[one.task for one in each.arrived] for each in merges] == [["b"], ["c"], ["a", "b"]]
    assert [each.base_tree for each in merges] == ["tree-repo", "tree-other", "tree-repo"]


def test_the_base_of_a_merge_is_one_that_was_taken() -> None:
    world = World()
    world.begin()
    world.dispatch(a_ticket(a_task("a"), a_task("b", base=BaseKind.HEAD)))
    live, head = world.pending(object)
    world.answer(head)
    world.to_running("b")
    world.to_end("b")
    world.to_captured("b")
    assert world.asked_for(Reconcile)[-1].base_tree == "tree-repo"

    world.fail(live)
    world.merge()

    assert world.verdict() is TicketState.PARTIAL


# Verdicts.

DONE, FAILED, GONE = TaskState.COMPLETED, TaskState.FAILED, TaskState.CANCELLED
CUT, BLOCKED = TaskState.INTERRUPTED, TaskState.BLOCKED
CLEAN, CLASH, BROKEN = Integration.CLEAN, Integration.CONFLICT, Integration.FAILED
KEPT, SAME, THERE_ALREADY = (
    Integration.RETAINED,
    Integration.NO_CHANGES,
    Integration.ALREADY_PRESENT,
)
RUNNING, CANCELLING = TicketState.RUNNING, TicketState.CANCELLING


@pytest.mark.parametrize(
    ("state", "tasks", "expected"),
    [
        (RUNNING, [(DONE, CLEAN)], TicketSignal.SETTLE_COMPLETED),
        (RUNNING, [(DONE, SAME), (DONE, THERE_ALREADY)], TicketSignal.SETTLE_COMPLETED),
        (RUNNING, [(DONE, Integration.DISCARDED)], TicketSignal.SETTLE_COMPLETED),
        (RUNNING, [(DONE, CLEAN), (DONE, CLASH)], TicketSignal.SETTLE_PARTIAL),
        (RUNNING, [(DONE, CLEAN), (DONE, BROKEN)], TicketSignal.SETTLE_PARTIAL),
        (RUNNING, [(DONE, CLEAN), (FAILED, None)], TicketSignal.SETTLE_PARTIAL),
        (RUNNING, [(DONE, SAME), (FAILED, KEPT)], TicketSignal.SETTLE_PARTIAL),
        (RUNNING, [(DONE, CLEAN), (CUT, KEPT)], TicketSignal.SETTLE_PARTIAL),
        (RUNNING, [(DONE, CLEAN), (GONE, None)], TicketSignal.SETTLE_PARTIAL),
        (RUNNING, [(DONE, BROKEN)], TicketSignal.SETTLE_FAILED),
        (RUNNING, [(FAILED, KEPT)], TicketSignal.SETTLE_FAILED),
        (RUNNING, [(FAILED, None), (BLOCKED, None)], TicketSignal.SETTLE_FAILED),
        (RUNNING, [(CUT, None), (FAILED, None)], TicketSignal.SETTLE_FAILED),
        (RUNNING, [(GONE, None), (BLOCKED, None)], TicketSignal.SETTLE_FAILED),
        (RUNNING, [(CUT, KEPT), (CUT, None)], TicketSignal.SETTLE_INTERRUPTED),
        (RUNNING, [(GONE, KEPT), (GONE, None)], TicketSignal.SETTLE_CANCELLED),
        (CANCELLING, [(DONE, CLEAN), (DONE, CLEAN)], TicketSignal.SETTLE_CANCELLED),
        (CANCELLING, [(FAILED, None), (CUT, None)], TicketSignal.SETTLE_CANCELLED),
    ],
)
def test_the_verdict_of_a_ticket(
    state: TicketState,
    tasks: list[tuple[TaskState, Integration | None]],
    expected: TicketSignal,
) -> None:
    world = a_world(a_ticket(a_task("a")))
    world.finish("a")
    revision = world.revision("a")
    rows = tuple(
        TaskRow(TICKET, f"n{place}", place, how, world.task("a").spec)
        for place, (how, _) in enumerate(tasks)
    )
    revisions = tuple(
        evolve(revision, task=f"n{place}", integration=integration)
        for place, (_, integration) in enumerate(tasks)
        if integration is not None
    )

    assert verdict(evolve(world.ticket(), state=state), rows, revisions) is expected


def test_a_verdict_is_written_once() -> None:
    world = a_world(a_ticket(a_task("a")))
    world.finish("a")
    settled = world.ticket()

    world.tell(CancelRequested, ticket=TICKET, tasks=("a",), by=HERE)

    assert world.ticket() == settled
    assert settled.ended_at is not None


def test_a_ticket_does_not_settle_while_a_merge_is_due() -> None:
    world = a_world(a_ticket(a_task("a")))
    world.to_running("a")
    world.to_end("a")
    world.to_captured("a")
    assert world.states() == {"a": TaskState.COMPLETED}
    assert world.verdict() is TicketState.RUNNING

    world.merge()

    assert world.verdict() is TicketState.COMPLETED


# Offers.


@pytest.mark.parametrize(
    ("offer", "after_first", "after_all"),
    [(Offer.AUTO, ["a"], ["a", "b"]), (Offer.SETTLED, [], ["a", "b"]), (Offer.MANUAL, [], [])],
)
def test_proposals_are_offered_once_and_when_asked_for(
    offer: Offer, after_first: list[str], after_all: list[str]
) -> None:
    world = a_world(a_ticket(a_task("a"), a_task("b"), a_task("c"), offer=offer))

    def offered() -> list[str]:
        commands = world.asked_for(OfferRevision)
        ids = [each.revision for each in commands]
        tasks = (task for task in ("a", "b", "c") if world.task(task).proposal is not None)
        return [task for task in tasks for name in ids if world.revision(task).id == name]

    world.finish("a")
    assert offered() == after_first
    world.to_running("c")
    world.to_end("c")
    world.to_captured("c")
    world.merge(c=Integration.CONFLICT)
    world.to_running("b")
    world.to_end("b")
    world.to_captured("b")
    world.merge(c=Integration.CONFLICT)

    assert offered() == after_all
    assert len(world.asked_for(OfferRevision)) == len(after_all)
    assert world.verdict() is TicketState.PARTIAL


def test_rows_of_a_ticket_are_not_touched_by_another_ones_steps() -> None:
    world = a_world(a_ticket(a_task("a")))
    first = world.ticket()
    world.dispatch(a_ticket(a_task("a"), ticket="t_two"))
    world.take_bases()

    assert world.ticket() == first
    assert {row.id for row in world.state.rows(TicketRow)} == {TICKET, TicketId("t_two")}
    assert ServerId(HERE) == world.ticket().owner
    assert world.task("a").spec.repository == REPOSITORY
