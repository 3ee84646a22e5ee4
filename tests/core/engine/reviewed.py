"""Worlds with settled tickets, and what is decided about them."""

from __future__ import annotations

from typing import Any

from attrs import evolve

from sennit.core.engine.commands import (
    RunApplication,
)
from sennit.core.engine.events import (
    ApplicationIntended,
    DecisionsMade,
)
from sennit.core.engine.reviewing import (
    Intended,
    NotDecided,
    NotIntended,
)
from sennit.core.engine.rows import (
    ApplicationRow,
    FileOutcome,
)
from sennit_protocol.ids import ApplicationId, UnitId
from sennit_protocol.states import (
    ApplicationState,
    Decision,
)
from tests.core.engine.builders import (
    a_task,
    a_ticket,
    an_application,
)
from tests.core.engine.world import Open, World, a_world

YES, NO, OPEN = Decision.ACCEPTED, Decision.REJECTED, Decision.UNDECIDED
APPLIED, PARTLY = ApplicationState.APPLIED, ApplicationState.PARTLY_APPLIED
FAILED, UNKNOWN = ApplicationState.FAILED, ApplicationState.UNKNOWN
UNDONE, APPLYING = ApplicationState.UNDONE, ApplicationState.APPLYING


def settled_world(*names: str) -> World:
    tasks = names or ("a",)
    world = a_world(a_ticket(*(a_task(name) for name in tasks)))
    for name in tasks:
        world.finish(name)
    return world


# Verdicts of merges.


def arrived(*names: str) -> World:
    world = a_world(a_ticket(*(a_task(name) for name in names)))
    for name in names:
        world.to_running(name)
        world.to_end(name)
        world.to_captured(name)
    return world


# Decisions.


def decide(world: World, *said: tuple[str, Decision], total: int = 2) -> Any:
    decisions = tuple((UnitId(unit), decision) for unit, decision in said)
    return world.tell(
        DecisionsMade, revision=world.revision("a").id, decisions=decisions, total=total
    )


def not_decided(outcome: object, why: str) -> bool:
    return isinstance(outcome, NotDecided) and why in outcome.message


# Applications.


def intend(world: World, name: str, seen: int | None = None, **values: Any) -> Any:
    row = an_application(name, at=world.at + 1, **values)
    return world.tell(ApplicationIntended, application=row, seen=seen)


def apply(world: World, name: str = "a_one", **values: Any) -> Open:
    revision = world.revision("a").id
    assert intend(world, name, revisions=(revision,), units=("u1",), **values) == Intended(
        ApplicationId(name)
    )
    return world.the(RunApplication)


def settle(world: World, state: ApplicationState, **values: Any) -> None:
    each = world.the(RunApplication)
    event: Any = world.good_end(each)
    world.send(evolve(event, state=state, **values))


def row_of(world: World, name: str = "a_one") -> ApplicationRow:
    return world.state.the(ApplicationRow, name)


def not_intended(outcome: object, why: str) -> bool:
    return isinstance(outcome, NotIntended) and why in outcome.message


# Undo.


def applied_world() -> World:
    world = settled_world()
    decide(world, ("u1", YES), ("u2", NO))
    apply(world)
    settle(world, APPLIED, observed=(FileOutcome(b"f", APPLIED),))
    return world
