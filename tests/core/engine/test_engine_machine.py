"""Any order of events: servers that come, end and die, answers, failures, cancels, questions."""

from __future__ import annotations

from typing import Any

import pytest
from attrs import evolve
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import invariant, precondition, rule

from sennit.core.engine.commands import CaptureRun, StartRun
from sennit.core.engine.events import (
    AnswerGiven,
    ApplicationIntended,
    CancelRequested,
    DecisionsMade,
    DispatchRequested,
    DriftSeen,
    Dropped,
    QuestionAsked,
    QuestionWithdrawn,
    RunStalled,
    RunStarted,
    TimerFired,
)
from sennit.core.engine.reviewing import Intended
from sennit.core.engine.rows import (
    ApplicationRow,
    QuestionRow,
    RevisionRow,
    RunRow,
    TicketRow,
    TimerRow,
)
from sennit_protocol.ids import ApplicationId, QuestionId, ServerId, UnitId
from sennit_protocol.states import Decision, Integration, Offer, RunState
from sennit_protocol.tasks import OnConflict
from tests.core.engine import invariants
from tests.core.engine.builders import (
    REPOSITORY,
    a_failure,
    a_ticket,
    an_application,
)
from tests.core.engine.servers_machine import (
    SETTLED,
    VERDICTS,
    ServersMachine,
    some_tasks,
    with_verdicts,
)
from tests.core.engine.world import Open


class EngineMachine(ServersMachine):
    """Everything that can happen to tickets, agents and reviews meanwhile."""

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
