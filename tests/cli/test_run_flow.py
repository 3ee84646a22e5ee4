from __future__ import annotations

import pytest
from attrs import evolve

from sennit.cli.exits import Exit
from sennit.cli.run_flow import Outcome, exit_of
from sennit_protocol.applications import ApplicationView
from sennit_protocol.ids import ApplicationId, TicketId
from sennit_protocol.states import (
    ApplicationState,
    Integration,
    Review,
    Target,
    TaskState,
    TicketState,
)
from sennit_protocol.views import TaskView, TicketView
from tests.cli.builders import a_proposal

APPLIED = ApplicationView(
    ApplicationId("a_1"),
    ApplicationState.APPLIED,
    Target.DISK,
    "2020-01-01T00:00:00Z",
    TicketId("t_1"),
)


def an_outcome(
    state: TaskState = TaskState.COMPLETED,
    integration: Integration = Integration.CLEAN,
    review: Review = Review.OFFERED,
) -> Outcome:
    tasks = (TaskView("one", TaskState.COMPLETED, "fixer"), TaskView("two", state, "fixer"))
    ticket = TicketView(
        TicketId("t_1"), TicketState.PARTIAL, 1, "2020-01-01T00:00:00Z", tasks=tasks
    )
    made = (a_proposal("one"), a_proposal("two", integration=integration, review=review))
    return Outcome(ticket, made, None, interrupted=False)


@pytest.mark.parametrize(
    "outcome",
    [
        an_outcome(),
        an_outcome(integration=Integration.NO_CHANGES),
        an_outcome(integration=Integration.CONFLICT, review=Review.REJECTED),
        evolve(an_outcome(), application=APPLIED),
    ],
)
def test_all_that_ended_well_and_is_settled_is_fine(outcome: Outcome) -> None:
    assert exit_of(outcome) is Exit.FINE


@pytest.mark.parametrize(
    "outcome",
    [
        an_outcome(TaskState.FAILED),
        an_outcome(TaskState.PARTIAL, Integration.RETAINED, Review.ACCEPTED),
        an_outcome(integration=Integration.CONFLICT),
        an_outcome(integration=Integration.CONFLICT, review=Review.PARTLY_ACCEPTED),
        an_outcome(integration=Integration.FAILED),
        evolve(an_outcome(), application=evolve(APPLIED, state=ApplicationState.PARTLY_APPLIED)),
        evolve(an_outcome(), application=evolve(APPLIED, state=ApplicationState.FAILED)),
    ],
)
def test_what_failed_or_waits_for_a_person_is_not_all(outcome: Outcome) -> None:
    assert exit_of(outcome) is Exit.PARTLY


def test_an_interrupt_has_the_last_word() -> None:
    assert exit_of(evolve(an_outcome(), interrupted=True)) is Exit.INTERRUPTED
