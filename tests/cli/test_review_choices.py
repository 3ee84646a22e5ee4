from __future__ import annotations

from pathlib import Path

import pytest

from sennit.cli.failures import UsageError
from sennit.cli.review_choices import Named, check_names, choices_of, contradiction
from sennit_protocol.proposals import ProposalView
from sennit_protocol.states import Decision, Integration
from tests.cli.builders import a_conflict, a_file, a_hunk, a_proposal

MADE = a_proposal("t", a_file("a", a_hunk("a1"), a_hunk("a2", 20)), a_file("b", a_hunk("b1")))
COLLIDES = a_proposal(
    "u",
    a_file("a", a_hunk("u1")),
    a_file("c", a_hunk("u2")),
    integration=Integration.CONFLICT,
    conflicts=(a_conflict("a"),),
)
ACCEPTED, REJECTED, UNDECIDED = Decision.ACCEPTED, Decision.REJECTED, Decision.UNDECIDED


def chosen(named: Named, view: ProposalView) -> list[tuple[Decision, tuple[str, ...], bool]]:
    return [(each.decision, each.units, each.all) for each in choices_of(named, view)]


def test_units_files_and_uris_can_be_named_and_rejecting_wins() -> None:
    named = Named(accept=("a", "file:///place/b"), reject=("a2",))
    assert chosen(named, MADE) == [
        (ACCEPTED, ("a1", "a2"), False),
        (ACCEPTED, ("b1",), False),
        (REJECTED, ("a2",), False),
    ]


def test_all_accepts_what_fits_and_rejects_everything() -> None:
    assert chosen(Named(accept=("all",)), COLLIDES) == [(ACCEPTED, ("u2",), False)]
    assert chosen(Named(reject=("all",)), COLLIDES) == [(REJECTED, ("u1", "u2"), False)]


def test_a_file_in_conflict_is_accepted_where_it_is_named() -> None:
    assert chosen(Named(accept=("a",)), COLLIDES) == [(ACCEPTED, ("u1",), False)]


@pytest.mark.parametrize(
    "named",
    [
        Named(accept=("all",), reset=True),
        Named(reject=("all",), reset=True),
        Named(accept=("a",), reject=("all",)),
        Named(accept=("all",), reject=("all",)),
        Named(accept=("a", "b"), reject=("c", "b")),
    ],
)
def test_what_cannot_be_meant_together_is_told(named: Named) -> None:
    assert contradiction(named)


@pytest.mark.parametrize(
    "named",
    [
        Named(),
        Named(reset=True),
        Named(accept=("a",), reset=True),
        Named(accept=("all",), reject=("a",)),
        Named(accept=("a",), reject=("a2",)),
    ],
)
def test_what_can_be_meant_together_is_not_refused(named: Named) -> None:
    assert contradiction(named) is None


def test_a_reset_comes_first() -> None:
    decided = chosen(Named(accept=("b1",), reset=True), MADE)
    assert [each[0] for each in decided] == [UNDECIDED, ACCEPTED]


def test_kept_work_of_a_run_that_did_not_complete_can_be_adopted() -> None:
    kept = a_proposal("t", a_file("a", a_hunk("a1")), integration=Integration.RETAINED)
    assert chosen(Named(accept=("all",)), kept) == [(ACCEPTED, ("a1",), False)]


def test_what_has_nothing_new_is_left_out_of_all() -> None:
    there = a_proposal("t", a_file("a", a_hunk("a1")), integration=Integration.ALREADY_PRESENT)
    assert chosen(Named(accept=("all",)), there) == []


def test_a_name_that_nothing_has_is_told_with_those_that_there_are() -> None:
    with pytest.raises(UsageError, match="There are: a, b, a1, a2, b1"):
        check_names(Named(accept=("nonsense",)), [MADE])


def test_a_file_that_several_proposals_change_is_accepted_in_none() -> None:
    with pytest.raises(UsageError, match="p_t, p_u"):
        check_names(Named(accept=("a",)), [MADE, COLLIDES])
    check_names(Named(accept=("all",), reject=("a",)), [MADE, COLLIDES])


INNER = a_proposal("v", a_file("inner/a", a_hunk("v1")), a_file("inner/b", a_hunk("v2")))


def test_a_file_is_named_from_the_folder_here_too() -> None:
    here = Path("/place/inner")
    assert chosen(Named(accept=("b",), here=here), INNER) == [(ACCEPTED, ("v2",), False)]
    assert chosen(Named(accept=("inner/b",), here=here), INNER) == [(ACCEPTED, ("v2",), False)]
    assert chosen(Named(accept=("../b",), here=here), MADE) == [(ACCEPTED, ("b1",), False)]


def test_a_name_of_two_files_is_refused_and_both_can_be_named() -> None:
    here = Path("/place/inner")
    with pytest.raises(UsageError, match=r"'\./a' for the one here"):
        check_names(Named(reject=("a",), here=here), [MADE, INNER])
    for name in ("./a", "../a", "inner/a"):
        check_names(Named(reject=(name,), here=here), [MADE, INNER])
    assert chosen(Named(reject=("./a",), here=here), MADE) == []
