"""The workspace of work that is in the text as a whole goes, and no other one."""

from __future__ import annotations

import pytest

from sennit.core.engine.commands import RemoveWorkspaces
from sennit.core.engine.releasing import is_free
from sennit.core.engine.rows import Followed
from sennit_protocol.ids import TicketId
from sennit_protocol.states import ApplicationState, Target
from tests.core.engine.builders import REPOSITORY, TICKET, a_task, a_ticket
from tests.core.engine.reviewed import (
    APPLIED,
    FAILED,
    NO,
    PARTLY,
    UNKNOWN,
    YES,
    apply,
    decide,
    intend,
    settle,
)
from tests.core.engine.world import World, a_world


def finished(*, whole: bool = True) -> World:
    world = a_world(a_ticket(a_task("a")))
    world.to_running("a")
    world.to_end("a")
    world.to_captured("a", whole=whole)
    world.merge()
    return world


def released(world: World) -> list[tuple[str, ...] | None]:
    asked = world.asked_for(RemoveWorkspaces)
    assert all(one.only_free and one.runs == () for one in asked)
    assert all(one.repositories == (REPOSITORY,) for one in asked)
    return [one.places for one in asked]


def follow(world: World) -> None:
    row = world.task("a")
    followed = Followed(TicketId(TICKET), "a", row.proposal, row.revision)
    spec = a_task("a", following=followed, place=world.run("a").workspace)
    world.dispatch(a_ticket(spec, ticket="t_two"))
    world.take_bases()


def test_it_goes_once_all_of_it_is_accepted_and_applied() -> None:
    world = finished()
    decide(world, ("u1", YES), total=1)
    apply(world)
    assert released(world) == []

    settle(world, APPLIED)

    assert released(world) == [(world.run("a").id,)]
    world.answer(world.the(RemoveWorkspaces))
    assert world.ticket().notices == ()


def test_an_edit_that_was_confirmed_in_the_editor_is_decided_right_after_it() -> None:
    world = finished()
    apply(world, offered=True)
    settle(world, APPLIED)
    assert released(world) == []

    decide(world, ("u1", YES), total=1)

    assert released(world) == [(world.run("a").id,)]


@pytest.mark.parametrize("state", [PARTLY, FAILED, UNKNOWN])
def test_it_stays_where_not_all_is_known_to_be_applied(state: ApplicationState) -> None:
    world = finished()
    decide(world, ("u1", YES), total=1)
    apply(world)
    settle(world, state)
    assert released(world) == []


def test_it_stays_while_a_unit_is_not_accepted_or_not_applied() -> None:
    world = finished()
    decide(world, ("u1", YES), ("u2", NO))
    apply(world)
    settle(world, APPLIED)
    assert released(world) == []

    # Accepted by now, but not in the text yet.
    decide(world, ("u2", YES))
    assert released(world) == []


def test_a_patch_is_no_text_of_the_users() -> None:
    world = finished()
    decide(world, ("u1", YES), total=1)
    intend(world, "a_one", revisions=(world.revision("a").id,), target=Target.PATCH)
    assert released(world) == []


def test_it_stays_where_it_holds_what_is_nowhere_else() -> None:
    world = finished(whole=False)
    decide(world, ("u1", YES), total=1)
    apply(world)
    settle(world, APPLIED)
    assert released(world) == []


def test_it_stays_while_a_follow_up_is_to_work_in_it() -> None:
    world = finished()
    decide(world, ("u1", YES), total=1)
    place = world.run("a").workspace
    apply(world)
    assert is_free(world.state, place)
    follow(world)
    assert not is_free(world.state, place)
    settle(world, APPLIED)
    assert released(world) == []


def test_it_stays_where_processes_could_not_be_ended() -> None:
    world = a_world(a_ticket(a_task("a")))
    world.to_running("a")
    world.to_end("a", survivors=(7,))
    assert not is_free(world.state, world.run("a").workspace)
    assert not is_free(world.state, "r_nobodys")
