"""Values of the engine's tests with everything filled in that a test does not care about."""

from __future__ import annotations

from typing import Any

from attrs import evolve

from sennit.core.agents import AgentKind, AgentSettings
from sennit.core.engine.events import DispatchRequested, NewTask
from sennit.core.engine.rows import ApplicationRow, RepositoryRef, ServerRow, TaskSpec
from sennit.core.named_limits import NamedLimit
from sennit.core.objects import Manifest
from sennit_protocol.ids import ApplicationId, ServerId, TicketId
from sennit_protocol.states import ApplicationState, FailureKind, Offer, Target
from sennit_protocol.views import Failure

HERE = ServerId("s_here")
THERE = ServerId("s_there")
TICKET = TicketId("t_one")
REPOSITORY = RepositoryRef("repo", b"/repo")
OTHER_REPOSITORY = RepositoryRef("other", b"/other")
AGENT = AgentSettings("fixer", AgentKind.COMMAND, ("fix",))


def a_failure(message: str = "it broke", kind: FailureKind = FailureKind.EXIT) -> Failure:
    return Failure(kind, message)


def a_manifest() -> Manifest:
    return Manifest(head="c0ffee", branch=b"main")


def a_server(server: ServerId = HERE, limit: int = 8, *limits: NamedLimit) -> ServerRow:
    return ServerRow(
        server, pid=1, start_time=2, boot_id="boot", since=0, limit_tasks=limit, limits=limits
    )


def a_task(name: str, *depends_on: str, **values: Any) -> NewTask:
    spec = TaskSpec(
        prompt=f"do {name}", agent=AGENT, repository=REPOSITORY, folder=b"/repo",
        depends_on=depends_on,
    )  # fmt: skip
    return NewTask(name, evolve(spec, **values))


def a_ticket(*tasks: NewTask, ticket: str = TICKET, **values: Any) -> DispatchRequested:
    event = DispatchRequested(
        at=0, ticket=TicketId(ticket), owner=HERE, tasks=tasks, offer=Offer.MANUAL,
        limit_tickets=100, ask_deadline_ms=60_000,
    )  # fmt: skip
    return evolve(event, **values)


def an_application(name: str = "a_one", **values: Any) -> ApplicationRow:
    row = ApplicationRow(
        id=ApplicationId(name), ticket=TICKET, repository=REPOSITORY, owner=HERE,
        target=Target.DISK, state=ApplicationState.APPLYING, at=1000, before_tree="t0",
        after_tree="t1", before_commit="c0", after_commit="c1", images=(),
    )  # fmt: skip
    return evolve(row, **values)
