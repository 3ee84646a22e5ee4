"""Any order of events: servers that come, end and die, answers, failures, cancels, questions."""

from __future__ import annotations

from typing import Any

import pytest
from attrs import evolve
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from sennit.core.engine.commands import CaptureRun, StartRun
from sennit.core.engine.events import (
    AnswerGiven,
    ApplicationIntended,
    CancelRequested,
    DecisionsMade,
    DispatchRequested,
    DriftSeen,
    Dropped,
    Event,
    QuestionAsked,
    QuestionWithdrawn,
    Reconciled,
    RunStalled,
    RunStarted,
    ServerStopped,
    ServerStopping,
    Tick,
    TimerFired,
)
from sennit.core.engine.reviewing import Intended
from sennit.core.engine.rows import (
    ApplicationRow,
    QuestionRow,
    RevisionRow,
    RunRow,
    ServerRow,
    TicketRow,
    TimerRow,
)
from sennit.core.engine.state import State
from sennit.core.engine.step import step
from sennit_protocol.ids import ApplicationId, QuestionId, ServerId, UnitId
from sennit_protocol.states import ApplicationState, Decision, Integration, Offer, RunState
from sennit_protocol.tasks import BaseKind, ExpectChanges, OnConflict
from tests.core.engine import invariants
from tests.core.engine.builders import (
    HERE,
    OTHER_REPOSITORY,
    REPOSITORY,
    a_failure,
    a_task,
    a_ticket,
    an_application,
)
from tests.core.engine.world import Open, World

VERDICTS = st.sampled_from([
    Integration.CLEAN, Integration.CLEAN, Integration.ALREADY_PRESENT, Integration.CONFLICT,
    Integration.FAILED,
])  # fmt: skip
SETTLED = st.sampled_from([
    ApplicationState.APPLIED, ApplicationState.PARTLY_APPLIED, ApplicationState.FAILED,
    ApplicationState.UNKNOWN,
])  # fmt: skip


@st.composite
def some_tasks(draw: st.DrawFn) -> tuple[Any, ...]:
    """Tasks that depend on earlier ones, given in any order."""
    count = draw(st.integers(1, 5))
    tasks = []
    for place in range(count):
        before = [f"k{number}" for number in range(place)]
        depends_on = (
            draw(st.lists(st.sampled_from(before), unique=True, max_size=2)) if place else []
        )
        tasks.append(
            a_task(
                f"k{place}",
                *depends_on,
                repository=draw(st.sampled_from([REPOSITORY, OTHER_REPOSITORY])),
                base=draw(st.sampled_from([BaseKind.LIVE, BaseKind.LIVE, BaseKind.HEAD])),
                expect_changes=draw(st.sampled_from(ExpectChanges)),
                deadline_ms=draw(st.sampled_from([None, 500])),
            )
        )
    return tuple(draw(st.permutations(tasks)))


def with_verdicts(event: Any, last: Integration) -> Any:
    """A merge in which the last revision goes as said, and those before it go together."""
    if isinstance(event, Reconciled) and event.verdicts:
        *before, one = event.verdicts
        return evolve(event, verdicts=(*before, evolve(one, integration=last)))
    return event


class Watched(World):
    """A world that checks each step."""

    def send(self, event: Event, on: ServerId = HERE) -> Any:
        before = State({table: dict(rows) for table, rows in self.state.tables.items()})
        first = step(self.state, event, self.sequence + 1)
        assert step(self.state, event, self.sequence + 1) == first
        assert self.state == before
        ends = [name for name in first.done if name in self.open]
        assert len(ends) <= max(1, len(getattr(event, "outbox", ())))
        outcome = super().send(event, on)
        invariants.check_step(self, before)
        return outcome


class EngineMachine(RuleBasedStateMachine):
    """One state, up to three servers, everything that can happen to them."""

    def __init__(self) -> None:
        super().__init__()
        self.world = Watched()
        self.made = 0
        self.changed = 0

    # What there is.

    def name(self, prefix: str) -> str:
        self.made += 1
        return f"{prefix}_{self.made}"

    def live(self) -> list[ServerRow]:
        return list(self.world.state.rows(ServerRow))

    def one(self, data: st.DataObject, table: type) -> Any:
        return data.draw(st.sampled_from(sorted(self.world.state.rows(table), key=lambda r: r.key)))

    def has(self, table: type) -> bool:
        return next(self.world.state.rows(table), None) is not None

    def working(self) -> list[ServerId]:
        return [row.id for row in self.live() if not row.stopping]

    def may_change_servers(self) -> bool:
        """Servers come and go seldom enough for tasks to get somewhere between."""
        return bool(self.working()) and self.world.sequence - self.changed >= 15

    def a_live(self, data: st.DataObject) -> ServerId:
        return data.draw(st.sampled_from(sorted(row.id for row in self.live())))

    def owner(self, ticket: str) -> ServerId | None:
        """The server that carries a ticket, if it lives."""
        row = self.world.state.ticket(ticket)
        found = self.world.state.server(row.owner) if row is not None else None
        return found.id if found is not None else None

    def send(self, kind: type[Event], on: ServerId, **values: Any) -> Any:
        return self.world.send(self.world.now(kind, **values), on)

    # Servers.

    @initialize(limit=st.integers(1, 3))
    def begin(self, limit: int) -> None:
        self.world.begin(ServerId(self.name("s")), limit=limit)

    @precondition(lambda self: len(self.live()) < 2 and self.may_change_servers())
    @rule(limit=st.integers(1, 3))
    def another_server_begins(self, limit: int) -> None:
        self.changed = self.world.sequence
        self.world.begin(ServerId(self.name("s")), limit=limit)

    @precondition(lambda self: self.may_change_servers())
    @rule(data=st.data(), limit=st.integers(1, 3))
    def a_server_dies_and_the_next_one_begins(self, data: st.DataObject, limit: int) -> None:
        dead = self.a_live(data)
        self.changed = self.world.sequence
        self.world.begin(ServerId(self.name("s")), dead, limit=limit)

    @precondition(lambda self: len(self.live()) > 1 and self.may_change_servers())
    @rule(data=st.data())
    def a_server_dies_and_another_one_sees_it(self, data: st.DataObject) -> None:
        other = data.draw(st.sampled_from(self.working()))
        dead = next(row.id for row in self.live() if row.id != other)
        self.changed = self.world.sequence
        self.world.bury(dead, by=other)
        invariants.check_nothing_is_idle(self.world, other)

    @precondition(lambda self: len(self.working()) > 1 and self.may_change_servers())
    @rule(data=st.data())
    def a_server_begins_to_end(self, data: st.DataObject) -> None:
        server = data.draw(st.sampled_from(self.working()))
        self.changed = self.world.sequence
        self.send(ServerStopping, server, server=server)

    @precondition(lambda self: any(row.stopping for row in self.live()))
    @rule()
    def a_server_has_ended(self) -> None:
        server = next(row.id for row in self.live() if row.stopping)
        self.send(ServerStopped, server, server=server)
        for each in tuple(self.world.open.values()):
            if each.server == server:
                del self.world.open[each.id]

    @rule(data=st.data())
    def a_server_looks(self, data: st.DataObject) -> None:
        self.look(self.a_live(data))

    def look(self, server: ServerId) -> None:
        self.send(Tick, server, server=server)
        invariants.check_nothing_is_idle(self.world, server)

    # Tickets.

    @rule(
        data=st.data(),
        tasks=some_tasks(),
        offer=st.sampled_from(Offer),
        concurrent=st.sampled_from([None, None, 1]),
        operation=st.sampled_from([None, "op1"]),
        on_conflict=st.sampled_from(OnConflict),
    )
    def dispatch(
        self,
        data: st.DataObject,
        tasks: tuple[Any, ...],
        offer: Offer,
        concurrent: int | None,
        operation: str | None,
        on_conflict: OnConflict,
    ) -> None:
        event: DispatchRequested = a_ticket(
            *tasks, ticket=self.name("t"), owner=self.a_live(data), offer=offer,
            max_concurrent=concurrent, operation_id=operation, limit_tickets=4,
            on_conflict=on_conflict,
        )  # fmt: skip
        self.world.dispatch(event)

    @precondition(lambda self: self.has(TicketRow))
    @rule(data=st.data())
    def cancel(self, data: st.DataObject) -> None:
        ticket, server = self.one(data, TicketRow), self.a_live(data)
        some = data.draw(st.lists(st.sampled_from(ticket.tasks), unique=True, min_size=1))
        tasks = data.draw(st.sampled_from([ticket.tasks, tuple(some)]))
        self.send(CancelRequested, server, ticket=ticket.id, tasks=tasks, by=server)

    @precondition(lambda self: self.has(TicketRow))
    @rule(data=st.data(), moved=st.booleans())
    def drift(self, data: st.DataObject, moved: bool) -> None:  # noqa: FBT001  hypothesis gives it
        ticket = self.one(data, TicketRow)
        self.send(
            DriftSeen, ticket.owner, ticket=ticket.id, repository=REPOSITORY, head_moved=moved,
            message="it moved",
        )  # fmt: skip

    @precondition(lambda self: self.has(TicketRow))
    @rule(data=st.data())
    def drop(self, data: st.DataObject) -> None:
        server = self.a_live(data)
        if self.has(RevisionRow) and data.draw(st.booleans()):
            proposals = (self.one(data, RevisionRow).proposal,)
            self.send(Dropped, server, proposals=proposals)
        else:
            self.send(Dropped, server, tickets=(self.one(data, TicketRow).id,))

    # The ends of commands.

    @precondition(lambda self: self.world.open)
    @rule(data=st.data())
    def a_command_ends_well(self, data: st.DataObject) -> None:
        each = self.an_open(data)
        event: Any = with_verdicts(self.world.good_end(each), data.draw(VERDICTS))
        if isinstance(each.command, CaptureRun) and data.draw(st.booleans()):
            event = evolve(event, tree=each.command.base_tree)
        elif hasattr(event, "survivors"):
            event = evolve(
                event,
                survivors=data.draw(st.sampled_from([(), (), (), (9,)])),
                failure=data.draw(st.sampled_from([None, None, a_failure()])),
                ran=data.draw(st.sampled_from([True, True, False])),
            )
        elif hasattr(event, "observed"):
            event = evolve(event, state=data.draw(SETTLED))
        self.world.send(event, each.server)

    @precondition(lambda self: self.world.open)
    @rule(count=st.integers(3, 15), merged=VERDICTS)
    def things_go_on(self, count: int, merged: Integration) -> None:
        """Let tasks come far before something goes wrong."""
        for _ in range(count):
            if not self.world.open:
                break
            each = next(iter(self.world.open.values()))
            if each in self.starting():
                self.send(RunStarted, each.server, run=each.command.run)
            self.world.send(with_verdicts(self.world.good_end(each), merged), each.server)

    @precondition(lambda self: self.world.open)
    @rule(data=st.data())
    def a_command_breaks(self, data: st.DataObject) -> None:
        self.world.fail(self.an_open(data))

    @precondition(lambda self: self.starting())
    @rule()
    def all_agents_start(self) -> None:
        for each in self.starting():
            self.send(RunStarted, each.server, run=each.command.run)

    def an_open(self, data: st.DataObject) -> Open:
        return data.draw(st.sampled_from(list(self.world.open.values())))

    # Agents at work.

    def starting(self) -> list[Open]:
        found = self.world.pending(StartRun)
        runs = self.world.state
        return [
            each
            for each in found
            if runs.the(RunRow, each.command.run).started_at is None
            and self.owner(each.command.ticket) == each.server
        ]

    @precondition(lambda self: self.starting())
    @rule(data=st.data())
    def an_agent_starts(self, data: st.DataObject) -> None:
        each = data.draw(st.sampled_from(self.starting()))
        self.send(RunStarted, each.server, run=each.command.run)

    @precondition(lambda self: self.has(RunRow))
    @rule(data=st.data(), question=st.sampled_from(["q_1", "q_2", "q_3", "q_4", "q_5", "q_6"]))
    def an_agent_asks(self, data: st.DataObject, question: str) -> None:
        run = self.one(data, RunRow)
        owner = self.owner(run.ticket)
        if owner is not None:
            self.send(QuestionAsked, owner, run=run.id, question=QuestionId(question), text="?")

    @precondition(lambda self: self.has(QuestionRow))
    @rule(data=st.data(), text=st.sampled_from(["yes", "no"]))
    def the_user_answers(self, data: st.DataObject, text: str) -> None:
        row = self.one(data, QuestionRow)
        self.send(
            AnswerGiven, self.a_live(data), ticket=row.ticket, task=row.task, question=row.id,
            answer=text,
        )  # fmt: skip

    @precondition(lambda self: self.has(QuestionRow))
    @rule(data=st.data())
    def a_question_is_withdrawn(self, data: st.DataObject) -> None:
        row = self.one(data, QuestionRow)
        owner = self.owner(row.ticket)
        if owner is not None:
            self.send(QuestionWithdrawn, owner, question=row.id)

    @precondition(lambda self: self.has(RunRow))
    @rule(data=st.data())
    def an_agent_stalls(self, data: st.DataObject) -> None:
        run = self.one(data, RunRow)
        owner = self.owner(run.ticket)
        if owner is not None and run.state is not RunState.STARTING:
            self.send(RunStalled, owner, run=run.id, idle_ms=1000)

    @precondition(lambda self: self.has(TimerRow))
    @rule(data=st.data())
    def a_timer_fires(self, data: st.DataObject) -> None:
        timer = self.one(data, TimerRow)
        owner = self.owner(timer.ticket)
        if owner is not None:
            self.send(TimerFired, owner, timer=timer.id)
            assert self.world.state.get(TimerRow, timer.id) is None

    # Review.

    @precondition(lambda self: self.has(RevisionRow))
    @rule(data=st.data(), said=st.sampled_from(Decision))
    def decide(self, data: st.DataObject, said: Decision) -> None:
        revision = self.one(data, RevisionRow)
        decisions = ((UnitId(f"u-{revision.task}"), said),)
        self.send(
            DecisionsMade, self.a_live(data), revision=revision.id, decisions=decisions, total=1
        )

    @precondition(lambda self: self.has(RevisionRow))
    @rule(data=st.data())
    def apply(self, data: st.DataObject) -> None:
        revision, server = self.one(data, RevisionRow), self.a_live(data)
        self.intend(
            server, ticket=revision.ticket, repository=revision.repository,
            revisions=(revision.id,), units=(UnitId(f"u-{revision.task}"),),
        )  # fmt: skip

    @precondition(lambda self: self.has(ApplicationRow))
    @rule(data=st.data())
    def undo(self, data: st.DataObject) -> None:
        row, server = self.one(data, ApplicationRow), self.a_live(data)
        self.intend(server, ticket=row.ticket, repository=row.repository, undoes=row.id)

    def intend(self, server: ServerId, **values: Any) -> None:
        row = an_application(self.name("a"), owner=server, at=self.world.at, **values)
        outcome = self.send(ApplicationIntended, server, application=row)
        there = self.world.state.get(ApplicationRow, ApplicationId(row.id)) is not None
        assert there == isinstance(outcome, Intended)

    # What holds.

    @invariant()
    def everything_holds(self) -> None:
        invariants.check(self.world)

    def teardown(self) -> None:
        """Let everything that is under way end: then every ticket has settled."""
        if not self.live():
            return
        self.world.begin(ServerId("s_last"), *(row.id for row in self.live()), limit=2)
        for _ in range(1000):
            if not self.world.open:
                break
            self.world.answer(next(iter(self.world.open.values())))
        assert self.world.open == {}
        self.look(ServerId("s_last"))
        invariants.check(self.world)
        invariants.check_the_end(self.world)


pytestmark = [pytest.mark.slow, pytest.mark.timeout(400)]

EngineMachine.TestCase.settings = settings(
    max_examples=60,
    stateful_step_count=50,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
TestEngine = EngineMachine.TestCase
