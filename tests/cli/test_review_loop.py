from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any

import pytest
from attrs import evolve
from rich.console import Console, RenderableType

from sennit.cli.client import Client
from sennit.cli.review_loop import accept_whole, fitting_units, review
from sennit.cli.terminal import Terminal
from sennit_protocol.conflicts import Take
from sennit_protocol.proposals import ProposalView, SettledView
from sennit_protocol.review import DecideParams, DecideResult
from sennit_protocol.states import Decision, Integration, Review
from sennit_protocol.texts import ContentParams, ContentResult
from tests.cli.builders import a_conflict, a_file, a_hunk, a_proposal

pytestmark = pytest.mark.anyio


class AnsweringTerminal(Terminal):
    """A person with prepared answers."""

    def __init__(self, answers: Sequence[str]) -> None:
        console = Console(file=io.StringIO(), width=100)
        super().__init__(console, console, interactive=True)
        self.answers = list(answers)

    async def ask(self, question: RenderableType) -> str | None:
        self.err.print(question)
        return self.answers.pop(0) if self.answers else None


class DecidingClient(Client):
    """Remembers decisions."""

    def __init__(self, views: Sequence[ProposalView]) -> None:
        self.views = {each.summary.id: each for each in views}
        self.decided: list[tuple[str, Decision, tuple[str, ...], bool]] = []

    async def ask(self, method: str, params: Any, *_: Any, **__: Any) -> Any:
        match params:
            case DecideParams():
                self.decided += [
                    (params.proposal, each.decision, each.units, each.all)
                    for each in params.choices
                ]
                return DecideResult(self.views[params.proposal])
            case ContentParams():
                return ContentResult("")
            case _:
                raise AssertionError(method)


ACCEPTED, REJECTED = Decision.ACCEPTED, Decision.REJECTED
TWO_FILES = a_proposal(
    "t",
    a_file("a", a_hunk("a1"), a_hunk("a2", 20), a_hunk("a3", 40)),
    a_file("b", a_hunk("b1")),
)


async def reviewed(
    answers: Sequence[str], *views: ProposalView
) -> tuple[list[tuple[str, Decision, tuple[str, ...], bool]], bool]:
    client = DecidingClient(views)
    result = await review(client, AnsweringTerminal(answers), views)
    assert [each.summary.id for each in result.views] == [each.summary.id for each in views]
    return client.decided, result.finished


async def test_yes_accepts_all_that_fits_and_no_rejects_everything() -> None:
    other = a_proposal("u", a_file("c", a_hunk("c1")))
    decided, finished = await reviewed(["y", "n"], TWO_FILES, other)
    assert decided == [
        ("p_t", ACCEPTED, ("a1", "a2", "a3", "b1"), False),
        ("p_u", REJECTED, (), True),
    ]
    assert finished


async def test_a_and_d_count_for_all_that_follow() -> None:
    views = [a_proposal(name, a_file(name, a_hunk(name))) for name in "xyz"]
    decided, _ = await reviewed(["n", "a"], *views)
    assert [each[:2] for each in decided] == [
        ("p_x", REJECTED),
        ("p_y", ACCEPTED),
        ("p_z", ACCEPTED),
    ]
    decided, _ = await reviewed(["d"], *views)
    assert [each[1] for each in decided] == [REJECTED] * 3


async def test_hunk_by_hunk_each_answer_counts_for_its_unit() -> None:
    decided, finished = await reviewed(["s", "y", "n", "j", "y"], TWO_FILES)
    assert [(d, u) for _, d, u, _ in decided] == [
        (ACCEPTED, ("a1",)),
        (REJECTED, ("a2",)),
        (ACCEPTED, ("b1",)),
    ]
    assert finished


async def test_a_file_that_was_settled_is_asked_about_once() -> None:
    [first, *rest] = TWO_FILES.files
    settled = evolve(first, settled=SettledView(Take.OURS))
    decided, finished = await reviewed(["s", "y", "n"], evolve(TWO_FILES, files=(settled, *rest)))
    assert [(d, u) for _, d, u, _ in decided] == [
        (ACCEPTED, ("a1", "a2", "a3")),
        (REJECTED, ("b1",)),
    ]
    assert finished


async def test_a_and_d_in_a_file_count_for_its_rest_only() -> None:
    decided, _ = await reviewed(["s", "n", "a", "d"], TWO_FILES)
    assert [(d, u) for _, d, u, _ in decided] == [
        (REJECTED, ("a1",)),
        (ACCEPTED, ("a2", "a3")),
        (REJECTED, ("b1",)),
    ]


async def test_q_keeps_what_was_decided_and_leaves_the_rest() -> None:
    decided, finished = await reviewed(["s", "y", "q"], TWO_FILES)
    assert [(d, u) for _, d, u, _ in decided] == [(ACCEPTED, ("a1",))]
    assert not finished


async def test_the_end_of_input_leaves_everything_undecided() -> None:
    assert await reviewed([], TWO_FILES) == ([], False)


async def test_help_tells_of_conflicts_only_where_there_are_some() -> None:
    collides = a_proposal("u", a_file("c", a_hunk("c1")), conflicts=(a_conflict("c"),))
    for view, is_told in ((TWO_FILES, False), (collides, True)):
        terminal = AnsweringTerminal(["?", "j"])
        await review(DecidingClient([view]), terminal, [view])
        assert isinstance(terminal.err.file, io.StringIO)
        assert ("settle its conflicts" in terminal.err.file.getvalue()) is is_told


async def test_an_unknown_letter_and_a_call_for_help_ask_again() -> None:
    decided, _ = await reviewed(["x", "?", "", "n"], TWO_FILES)
    assert [each[1] for each in decided] == [REJECTED]


async def test_proposals_with_nothing_to_decide_ask_nothing() -> None:
    nothing = a_proposal("t", integration=Integration.NO_CHANGES)
    present = a_proposal("u", a_file("a", a_hunk()), integration=Integration.ALREADY_PRESENT)
    assert await reviewed([], nothing, present) == ([], True)


async def test_a_file_in_conflict_is_never_accepted_as_part_of_the_whole() -> None:
    view = a_proposal(
        "t",
        a_file("a", a_hunk("a1")),
        a_file("b", a_hunk("b1"), a_hunk("b2", 9, conflict="the text changed")),
        integration=Integration.CONFLICT,
        conflicts=(a_conflict("a"),),
    )
    assert fitting_units(view) == ("b1",)
    decided, _ = await reviewed(["y"], view)
    assert decided == [("p_t", ACCEPTED, ("b1",), False)]


@pytest.mark.parametrize("integration", [Integration.CONFLICT, Integration.RETAINED])
async def test_accepting_everything_leaves_what_does_not_fit_whole_to_a_person(
    integration: Integration,
) -> None:
    summary = evolve(TWO_FILES.summary, integration=integration)
    view = evolve(TWO_FILES, summary=summary)
    client = DecidingClient([view])
    assert await accept_whole(client, AnsweringTerminal([]), view) is view
    assert client.decided == []


async def test_accepting_everything_leaves_rejected_what_was_rejected() -> None:
    view = a_proposal("t", a_file("a", a_hunk("a1", decision=REJECTED), a_hunk("a2", 20)))
    client = DecidingClient([view])
    await accept_whole(client, AnsweringTerminal([]), view)
    assert client.decided == [("p_t", ACCEPTED, ("a2",), False)]


async def test_what_is_applied_whole_asks_nothing() -> None:
    view = a_proposal("t", a_file("a", a_hunk("a1", applied=True)), review=Review.ACCEPTED)
    assert await reviewed([], view) == ([], True)


async def test_hunk_by_hunk_every_file_has_its_heading() -> None:
    terminal = AnsweringTerminal(["s", "j", "j", "j", "j"])
    with terminal.out.capture() as shown:
        await review(DecidingClient([TWO_FILES]), terminal, [TWO_FILES])
    headings = [line for line in shown.get().splitlines() if line.startswith("── ")]
    assert headings == ["── a", "── b"] * 2
