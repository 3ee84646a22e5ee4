"""Applications are intended, carried out, settled by comparing, and undone."""

from __future__ import annotations

from typing import Any

import pytest

from sennit.core.disk_application import Intention
from sennit.core.engine.commands import (
    RunApplication,
)
from sennit.core.engine.events import (
    ApplicationSettled,
    Dropped,
)
from sennit.core.engine.reviewing import (
    Intended,
    Overtaken,
)
from sennit.core.engine.rows import (
    ApplicationRow,
    FileOutcome,
)
from sennit.core.views import ticket_sequence
from sennit_protocol.ids import ApplicationId
from sennit_protocol.states import (
    ApplicationState,
    Decision,
    Target,
)
from sennit_protocol.views import Notice
from tests.core.engine.builders import (
    OTHER_REPOSITORY,
    TICKET,
    an_application,
)
from tests.core.engine.reviewed import (
    APPLIED,
    APPLYING,
    FAILED,
    NO,
    PARTLY,
    UNDONE,
    UNKNOWN,
    YES,
    applied_world,
    apply,
    decide,
    intend,
    not_intended,
    row_of,
    settle,
    settled_world,
)
from tests.core.engine.world import World


def test_an_application_is_intended_before_it_is_carried_out() -> None:
    world = settled_world()
    decide(world, ("u1", YES), ("u2", NO))

    each = apply(world)

    assert each.issued.once
    assert row_of(world).state is APPLYING
    assert world.revision("a").application is APPLYING


@pytest.mark.parametrize(
    ("state", "units"), [(APPLIED, ("u1",)), (PARTLY, ("u1",)), (FAILED, ()), (UNKNOWN, ())]
)
def test_what_was_observed_is_kept(state: ApplicationState, units: tuple[str, ...]) -> None:
    world = settled_world()
    decide(world, ("u1", YES), ("u2", NO))
    intention = Intention(
        id="a_one", work_tree=b"/repo", folder=b"/stage", new_folders=(), steps=()
    )
    apply(world, intention=intention, notices=(Notice("one"),))

    settle(world, state, observed=(FileOutcome(b"f", state),), notices=(Notice("two"),))

    row = row_of(world)
    assert row.state is state
    assert row.intention == (intention if state is UNKNOWN else None)
    assert row.observed == (FileOutcome(b"f", state),)
    assert row.notices == (Notice("one"), Notice("two"))
    assert world.revision("a").application is state
    assert world.revision("a").applied_units == units


def test_what_was_settled_stays_so() -> None:
    world = settled_world()
    apply(world)
    settle(world, FAILED)

    world.tell(ApplicationSettled, application="a_one", state=APPLIED)

    assert row_of(world).state is FAILED


def test_an_unknown_application_may_be_settled_later() -> None:
    world = settled_world()
    decide(world, ("u1", YES))
    apply(world)
    settle(world, UNKNOWN)

    world.tell(ApplicationSettled, application="a_one", state=APPLIED)

    assert row_of(world).state is APPLIED
    assert world.revision("a").applied_units == ("u1",)


def test_what_settles_late_does_not_speak_for_a_newer_application() -> None:
    world = settled_world()
    apply(world)
    settle(world, UNKNOWN)
    apply(world, "a_two")
    settle(world, APPLIED)

    world.tell(ApplicationSettled, application="a_one", state=FAILED)

    assert row_of(world).state is FAILED
    assert world.revision("a").application is APPLIED


def test_which_application_is_newer_is_not_a_matter_of_clocks() -> None:
    world = settled_world()
    apply(world)
    settle(world, UNKNOWN)
    # The clock is set back.
    world.at -= 3_600_000
    apply(world, "a_two")
    settle(world, APPLIED)

    world.tell(ApplicationSettled, application="a_one", state=FAILED)

    assert [row.id for row in world.state.applications(TICKET)] == ["a_one", "a_two"]
    assert world.revision("a").application is APPLIED


def test_one_application_at_a_time_in_a_repository() -> None:
    world = settled_world()
    apply(world)

    assert not_intended(intend(world, "a_two"), "a_one is under way in the same repository")
    assert world.state.get(ApplicationRow, "a_two") is None
    other = intend(world, "a_three", repository=OTHER_REPOSITORY)
    assert other == Intended(ApplicationId("a_three"))
    for each in world.pending(RunApplication):
        world.answer(each)
    assert intend(world, "a_two") == Intended(ApplicationId("a_two"))


def test_what_another_application_has_overtaken_does_not_begin() -> None:
    world = settled_world()
    seen = world.sequence
    apply(world)
    assert intend(world, "a_two", seen=seen) == Overtaken()
    began = world.sequence
    settle(world, APPLIED)

    assert intend(world, "a_three", seen=began) == Overtaken()
    assert world.state.get(ApplicationRow, "a_three") is None
    elsewhere = intend(world, "a_four", repository=OTHER_REPOSITORY, seen=seen)
    assert elsewhere == Intended(ApplicationId("a_four"))
    again = intend(world, "a_five", seen=world.sequence)
    assert again == Intended(ApplicationId("a_five"))
    patch = intend(world, "a_six", target=Target.PATCH, seen=seen)
    assert patch == Intended(ApplicationId("a_six"))


@pytest.mark.parametrize(
    ("accepted", "stands"),
    [((("u1", YES), ("u2", NO)), APPLIED), ((("u1", YES), ("u2", YES)), PARTLY)],
)
def test_what_was_applied_before_stands_when_a_later_try_fails(
    accepted: tuple[tuple[str, Decision], ...], stands: ApplicationState
) -> None:
    world = settled_world()
    decide(world, *accepted)
    apply(world)
    settle(world, stands, observed=(FileOutcome(b"f", APPLIED),))
    apply(world, "a_two")

    settle(world, FAILED)

    assert row_of(world, "a_two").state is FAILED
    assert world.revision("a").application is stands


def test_undoing_an_application_that_found_all_there_leaves_the_first_one() -> None:
    world = applied_world()
    revision = world.revision("a").id
    intend(world, "a_two", revisions=(revision,), already_there=("u1",))
    settle(world, APPLIED)
    intend(world, "a_undo", undoes=ApplicationId("a_two"))

    settle(world, APPLIED)

    assert row_of(world, "a_two").state is UNDONE
    assert world.revision("a").application is APPLIED


def test_redoing_an_application_that_found_all_there_puts_nothing_in() -> None:
    world = applied_world()
    revision = world.revision("a").id
    intend(world, "a_two", revisions=(revision,), already_there=("u1",))
    settle(world, APPLIED)
    for name, undoes in (("a_undo", "a_two"), ("a_first", "a_one"), ("a_redo", "a_undo")):
        intend(world, name, undoes=ApplicationId(undoes))
        settle(world, APPLIED)

    assert row_of(world, "a_two").state is APPLIED
    assert world.revision("a").application is UNDONE
    assert world.revision("a").applied_units == ()


def test_a_patch_is_written_beside_anything_and_marks_nothing() -> None:
    world = settled_world()
    apply(world)
    before, known = world.revision("a"), ticket_sequence(world.state, world.ticket())

    outcome = intend(world, "a_patch", target=Target.PATCH, state=APPLIED, revisions=(before.id,))

    assert outcome == Intended(ApplicationId("a_patch"))
    assert world.last.commands == ()
    assert world.revision("a") == before
    # Who waits for a change of the ticket hears of it.
    assert ticket_sequence(world.state, world.ticket()) > known


@pytest.mark.parametrize("target", [Target.DISK, Target.PATCH])
def test_dropped_work_is_not_applied(target: Target) -> None:
    world = settled_world()
    revision = world.revision("a")
    world.tell(Dropped, proposals=(revision.proposal,))

    assert not_intended(intend(world, "a_one", revisions=(revision.id,), target=target), "dropped")
    assert not_intended(intend(world, "a_one", revisions=("r_none",), target=target), "dropped")


def undo(world: World, name: str, undoes: str, state: ApplicationState = APPLIED) -> None:
    outcome = intend(world, name, undoes=ApplicationId(undoes))
    assert outcome == Intended(ApplicationId(name))
    settle(world, state)


def test_an_undo_marks_what_it_has_undone() -> None:
    world = applied_world()

    undo(world, "a_two", "a_one")

    assert row_of(world).state is UNDONE
    assert row_of(world).undone_by == "a_two"
    assert world.revision("a").application is UNDONE
    assert world.revision("a").applied_units == ()


def test_what_is_undone_is_not_undone_again() -> None:
    world = applied_world()
    undo(world, "a_two", "a_one")

    outcome = intend(world, "a_three", undoes=ApplicationId("a_one"))

    assert not_intended(outcome, "a_one is undone; there is nothing to undo")


def test_an_undo_can_be_undone() -> None:
    world = applied_world()
    undo(world, "a_two", "a_one")

    undo(world, "a_three", "a_two")

    assert (row_of(world).state, row_of(world).undone_by) == (APPLIED, None)
    assert row_of(world, "a_two").state is UNDONE
    assert world.revision("a").application is APPLIED
    assert world.revision("a").applied_units == ("u1",)
    undo(world, "a_four", "a_three")
    assert (row_of(world).state, row_of(world).undone_by) == (UNDONE, "a_two")
    assert (row_of(world, "a_two").state, row_of(world, "a_two").undone_by) == (APPLIED, None)
    assert row_of(world, "a_three").undone_by == "a_four"
    assert world.revision("a").application is UNDONE
    undo(world, "a_five", "a_two")
    assert row_of(world).state is APPLIED


def test_an_application_that_was_partly_done_comes_back_as_that() -> None:
    world = settled_world()
    apply(world)
    settle(world, PARTLY, observed=(FileOutcome(b"f", APPLIED), FileOutcome(b"g", FAILED)))
    undo(world, "a_two", "a_one")

    undo(world, "a_three", "a_two")

    assert row_of(world).state is PARTLY


@pytest.mark.parametrize(
    ("state", "mark"), [(FAILED, APPLIED), (UNKNOWN, UNKNOWN), (PARTLY, PARTLY)]
)
def test_an_undo_that_did_not_go_well(state: ApplicationState, mark: ApplicationState) -> None:
    world = applied_world()

    undo(world, "a_two", "a_one", state)

    assert row_of(world).state is APPLIED
    assert world.revision("a").application is mark
    assert world.revision("a").applied_units == ("u1",)


@pytest.mark.parametrize(
    ("values", "why"),
    [
        ({"state": FAILED, "target": Target.DISK}, "is failed"),
        ({"state": APPLIED, "target": Target.PATCH}, "wrote a patch"),
    ],
)
def test_what_changed_no_file_is_not_undone(values: dict[str, Any], why: str) -> None:
    world = settled_world()
    row = an_application(**values)
    world.state.tables.setdefault(ApplicationRow, {})[row.key] = row

    assert not_intended(intend(world, "a_two", undoes=row.id), why)
    assert not_intended(intend(world, "a_two", undoes=ApplicationId("a_none")), "was dropped")
