"""What is said where nothing was applied."""

from __future__ import annotations

from pathlib import Path

import pytest
from attrs import evolve

from sennit.cli.unapplied import unapplied_lines
from sennit_protocol.ids import TicketId
from sennit_protocol.proposals import ProposalView
from sennit_protocol.states import Decision, Integration
from tests.cli.builders import a_file, a_hunk, a_proposal

TICKET = TicketId("t_1")
RETAINED = Integration.RETAINED
ACCEPTED, REJECTED = Decision.ACCEPTED, Decision.REJECTED


def made(*units: tuple[Decision, bool]) -> ProposalView:
    hunks = [
        a_hunk(f"u{number}", 1 + 20 * number, decision=decision, applied=applied)
        for number, (decision, applied) in enumerate(units)
    ]
    return a_proposal("one", a_file("a", *hunks))


ALL_KINDS = "1 accepted, 1 applied before, 1 rejected, 1 undecided"
OPEN, WAITS = (Decision.UNDECIDED, False), (ACCEPTED, False)
DECIDE, OTHERWISE = "To decide: sennit review t_1", "To decide otherwise: sennit review t_1"


@pytest.mark.parametrize(
    ("view", "said"),
    [
        (
            made(OPEN, OPEN),
            ["Nothing is accepted, and no file was changed.", DECIDE,
             "To apply all that fits: sennit apply t_1 --accept-all"],
        ),
        (
            evolve(made(OPEN), summary=evolve(made(OPEN).summary, integration=RETAINED)),
            ["Nothing is accepted, and no file was changed.", DECIDE],
        ),
        (
            made(WAITS, (ACCEPTED, True), (REJECTED, False), OPEN),
            [f"Changes: {ALL_KINDS}, and no file was changed.",
             "To apply what is accepted: sennit apply t_1", OTHERWISE],
        ),
        (
            made((REJECTED, False)),
            ["Changes: 1 rejected, and no file was changed.", OTHERWISE],
        ),
        (
            a_proposal("one", integration=Integration.NO_CHANGES),
            ["There is nothing to apply, and no file was changed."],
        ),
        (
            a_proposal("one", a_file("a", a_hunk()), integration=Integration.ALREADY_PRESENT),
            ["There is nothing to apply, and no file was changed."],
        ),
    ],
)  # fmt: skip
def test_what_waits_is_told_with_what_can_be_done(view: ProposalView, said: list[str]) -> None:
    assert list(unapplied_lines(TICKET, [view], None)) == said


def test_a_patch_that_was_wanted_is_named() -> None:
    [said] = unapplied_lines(TICKET, [], Path("x\x1b.patch"))
    assert said == "There is nothing to apply, and no patch was written to x\\x1b.patch."
