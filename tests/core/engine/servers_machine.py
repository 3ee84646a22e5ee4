"""A machine of hypothesis in which servers come, end and die; what they do is for others to add."""

from __future__ import annotations

from typing import Any

from attrs import evolve
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from sennit.core.engine.events import (
    Event,
    Reconciled,
    ServerStarted,
    ServerStopped,
    ServerStopping,
    Tick,
)
from sennit.core.engine.rows import (
    ServerRow,
)
from sennit.core.engine.state import State
from sennit.core.engine.step import step
from sennit.core.named_limits import LimitOf, NamedLimit
from sennit_protocol.ids import ServerId
from sennit_protocol.states import ApplicationState, Integration
from sennit_protocol.tasks import BaseKind, ExpectChanges
from tests.core.engine import invariants
from tests.core.engine.builders import (
    AGENT,
    HERE,
    OTHER_REPOSITORY,
    REPOSITORY,
    a_task,
)
from tests.core.engine.world import Limits, World

VERDICTS = st.sampled_from([
    Integration.CLEAN, Integration.CLEAN, Integration.ALREADY_PRESENT, Integration.CONFLICT,
    Integration.FAILED,
])  # fmt: skip
AGENTS = (
    AGENT,
    evolve(AGENT, name="one", provider="us", model="large"),
    evolve(AGENT, name="two", provider="us"),
)
LIMITED = (
    (LimitOf.PROVIDER, "us"), (LimitOf.MODEL, "large"), (LimitOf.AGENT, "fixer"),
    (LimitOf.AGENT, "one"),
)  # fmt: skip
LIMITS = st.dictionaries(st.sampled_from(LIMITED), st.integers(1, 2)).map(
    lambda limits: tuple(NamedLimit(of, name, most) for (of, name), most in limits.items())
)
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
                agent=draw(st.sampled_from(AGENTS)),
                model=draw(st.sampled_from([None, None, "large"])),
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


class ServersMachine(RuleBasedStateMachine):
    """One state and up to three servers."""

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

    @initialize(limit=st.integers(1, 3), limits=LIMITS)
    def begin(self, limit: int, limits: Limits) -> None:
        self.world.begin(ServerId(self.name("s")), limit=limit, limits=limits)

    @precondition(lambda self: len(self.live()) < 2 and self.may_change_servers())
    @rule(limit=st.integers(1, 3), limits=LIMITS)
    def another_server_begins(self, limit: int, limits: Limits) -> None:
        self.changed = self.world.sequence
        self.world.begin(ServerId(self.name("s")), limit=limit, limits=limits)

    @rule(data=st.data(), limit=st.integers(1, 3), limits=LIMITS)
    def limits_are_set_anew(self, data: st.DataObject, limit: int, limits: Limits) -> None:
        server = self.a_live(data)
        row = self.world.state.the(ServerRow, server)
        limited = evolve(row, limit_tasks=limit, limits=limits)
        self.send(ServerStarted, server, server=limited)
        self.look(server)

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
