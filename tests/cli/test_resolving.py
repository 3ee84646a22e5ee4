from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from attrs import evolve
from rich.console import Console, RenderableType

from sennit.cli.client import Client
from sennit.cli.collisions import MOST_LINES, collision_lines
from sennit.cli.diffs import proposal_lines
from sennit.cli.failures import NotNowError, RefusedError, UsageError
from sennit.cli.place import told_in_full
from sennit.cli.resolving import (
    listed_conflicts,
    next_steps,
    only_about,
    resolve,
    resolve_by_asking,
    standing,
)
from sennit.cli.review_loop import review
from sennit.cli.terminal import Terminal
from sennit_protocol.conflicts import (
    ConflictView,
    LineRange,
    RegionView,
    ResolutionView,
    SideView,
    SuggestionKind,
    SuggestionView,
    Sureness,
    Take,
)
from sennit_protocol.errors import ErrorCode, Problem, problems_error
from sennit_protocol.proposals import ProposalView
from sennit_protocol.review import ConflictChoice, DecideParams, DecideResult, ResolveParams
from sennit_protocol.states import Integration
from sennit_protocol.texts import ContentParams, ContentResult
from sennit_protocol.wire import unstructure
from tests.cli.builders import a_conflict, a_file, a_hunk, a_proposal

pytestmark = pytest.mark.anyio

TEXTS = {"base": "one\ntwo\nthree\n", "ours": "one\nTWO\x1b[2J\nthree\n", "theirs": "one\nthree\n"}
NOTHING_ELSE = "nor is anything else; take a side with --take, or use --text"
BOTH = SuggestionView(SuggestionKind.ADJACENT_EDITS, Sureness.LIKELY, "Take both.", "one\nboth\n")


class SettlingClient(Client):
    """Gives the texts of the sides; takes every choice, or refuses each with ``error``."""

    def __init__(
        self, after: ProposalView, texts: Mapping[str, str] = TEXTS, error: object = None
    ) -> None:
        self.after, self.texts, self.error = after, texts, error
        self.choices: list[ConflictChoice] = []

    async def ask(self, method: str, params: Any, *_: Any, **__: Any) -> Any:
        match params:
            case ContentParams():
                return ContentResult(self.texts[params.uri])
            case ResolveParams() if isinstance(self.error, RefusedError):
                raise self.error
            case ResolveParams():
                self.choices += params.choices
                return DecideResult(self.after)
            case DecideParams():
                return DecideResult(self.after)
            case _:
                raise AssertionError(method)


class Answering(Terminal):
    """A person with prepared answers, and all that was shown."""

    def __init__(self, *answers: str) -> None:
        self.seen = io.StringIO()
        console = Console(file=self.seen, width=200)
        super().__init__(console, console, interactive=True)
        self.answers = list(answers)

    async def ask(self, question: RenderableType) -> str | None:
        self.err.print(question)
        return self.answers.pop(0) if self.answers else None


def colliding(*paths: str) -> ProposalView:
    file = a_file("a", a_hunk("a1"))
    conflicts = tuple(a_clash(path) for path in paths)
    return a_proposal("second", file, integration=Integration.CONFLICT, conflicts=conflicts)


def a_clash(path: str) -> ConflictView:
    region = RegionView(base=LineRange(1, 1), ours=LineRange(1, 1), theirs=LineRange(1, 0))
    return evolve(
        a_conflict(path),
        base=SideView("100644", "b" * 40, "base"),
        ours=SideView("100644", "c" * 40, "ours"),
        theirs=SideView("100644", "d" * 40, "theirs"),
        regions=(region,),
        suggestions=(BOTH,),
    )


def settled() -> ProposalView:
    # What is settled names no task any more.
    one = evolve(a_conflict("a"), with_tasks=(), resolution=ResolutionView(Take.THEIRS))
    return evolve(a_proposal("second", a_file("a", a_hunk("a1"))), resolved=(one,))


def plain(lines: Sequence[Any]) -> list[str]:
    return [line.plain for line in lines]


async def test_a_place_is_shown_with_what_each_side_holds_there() -> None:
    view = colliding("a")
    assert plain(await collision_lines(SettlingClient(view), view, view.conflicts[0])) == [
        "  o  what is there (first)",
        "  b  what both began with",
        "  t  what is proposed (second)",
        "  at line 2:",
        "     │one",
        "  o  │TWO\\x1b[2J",
        "  b  │two",
        "  t   (no line)",
        "     │three",
    ]


async def test_a_long_side_is_cut_and_counted() -> None:
    region = RegionView(base=LineRange(0, 0), ours=LineRange(0, 99), theirs=LineRange(0, 1))
    view, clash = colliding("a"), evolve(a_clash("a"), regions=(region,))
    texts = {"base": "", "ours": "x\n" * 99, "theirs": "y" * 999}
    lines = plain(await collision_lines(SettlingClient(view, texts), view, clash))
    assert f"  o   … and {99 - MOST_LINES} more lines" in lines
    assert f"  t  │{'y' * 200}…" in lines


async def test_a_conflict_about_whole_files_says_what_each_side_is() -> None:
    view = colliding("a")
    clash = evolve(a_clash("a"), kind="modifyDelete", regions=(), ours=SideView())
    lines = plain(await collision_lines(SettlingClient(view), view, clash))
    assert lines[0] == "  o  what is there (first): nothing"
    assert lines[2] == "  t  what is proposed (second): a file, dddddddddd"


async def test_each_conflict_is_asked_about_with_its_sides_and_numbered_suggestions() -> None:
    view, terminal = colliding("a", "b", "c"), Answering("?", "t", "1", "j")
    client = SettlingClient(settled())
    asked = await resolve_by_asking(client, terminal, view)
    assert asked.finished
    assert [(each.uri[-1], each.take) for each in client.choices] == [
        ("a", Take.THEIRS),
        ("b", Take.SUGGESTION),
    ]
    seen = terminal.seen.getvalue()
    assert "What settles a [o,t,b,1,j,q,?]?" in seen
    assert "  o  │TWO" in seen
    assert "  1  Take both." in seen


@pytest.mark.parametrize("answers", [["t", "q"], ["t"]])
async def test_leaving_keeps_what_was_settled_and_leaves_the_rest(answers: list[str]) -> None:
    client = SettlingClient(settled())
    asked = await resolve_by_asking(client, Answering(*answers), colliding("a", "b", "c"))
    assert not asked.finished
    assert [each.uri[-1] for each in client.choices] == ["a"]


async def test_q_among_the_conflicts_leaves_the_review_as_well() -> None:
    view = colliding("a")
    left = await review(SettlingClient(view), Answering("c", "q"), [view, view])
    assert (left.finished, len(left.views)) == (False, 2)


async def test_a_review_shows_what_was_settled_and_offers_what_is_still_in_conflict_again() -> None:
    view, terminal = colliding("a"), Answering("c", "j", "c", "t", "y")
    assert (await review(SettlingClient(settled()), terminal, [view])).finished
    seen = terminal.seen.getvalue()
    assert "second is still in conflict: a" in seen
    assert "settled: a (theirs)" in seen
    assert "Accept and apply it together with first" in seen


async def test_a_list_names_each_suggestion_once_and_numbers_none() -> None:
    view = colliding("a")
    lines = plain(await listed_conflicts(SettlingClient(view), view))
    assert [line for line in lines if "Take both." in line] == [
        "  suggestion adjacentEdits: Take both."
    ]
    assert "  o  │TWO\\x1b[2J" in lines


def test_what_comes_after_a_settled_conflict_is_said_with_the_proposals_it_belongs_to() -> None:
    assert plain(list(standing(settled()))) == ["  settled: a (theirs)", "second goes in now."]
    assert plain(list(next_steps(colliding("a"), settled()))) == [
        "To decide about it: sennit review p_second",
        "Accept and apply it together with first: alone, it goes in as it was proposed.",
        "Then apply them together: sennit apply t_1",
    ]


def test_what_is_still_in_conflict_names_its_commands() -> None:
    stale = ResolutionView(Take.OURS, counts=False)
    view = evolve(colliding(), conflicts=(evolve(a_clash("a"), resolution=stale),))
    ways = [
        "To settle it: sennit resolve p_second",
        "Or let its agent do it again: sennit follow t_1/second",
    ]
    assert plain(list(standing(view))) == ["second is still in conflict: a"]
    assert plain(list(next_steps(view, view))) == ways
    shown = plain(list(proposal_lines(view, {})))
    assert all(f"    {way}" in shown for way in ways)


def test_a_proposal_that_never_collided_has_no_conflict() -> None:
    view = a_proposal("second", a_file("a", a_hunk("a1")))
    assert plain(list(standing(view))) == ["second has no conflict."]
    assert plain(list(next_steps(view, view))) == ["To decide about it: sennit review p_second"]


@pytest.mark.parametrize(
    ("valid", "said"),
    [
        (("adjacentEdits",), "imports is not suggested here. Valid: adjacentEdits."),
        ((), f"imports is not suggested here, {NOTHING_ELSE}"),
    ],
)
async def test_a_suggestion_that_is_none_is_told_by_option_and_file(
    valid: tuple[str, ...], said: str
) -> None:
    problem = Problem("choices[0].suggestion", "imports is not suggested here", valid)
    made = problems_error(ErrorCode.INVALID_PARAMS, "Nothing was resolved", (problem,))
    error = RefusedError(made.code, made.message, unstructure(made.data))
    view = colliding("src/a.py")
    choice = ConflictChoice(view.conflicts[0].uri, Take.SUGGESTION, None, SuggestionKind.IMPORTS)
    with pytest.raises(RefusedError) as refused:
        await resolve(SettlingClient(view, error=error), view, [choice])
    assert told_in_full(refused.value) == (
        f"Nothing was resolved: --suggestion for src/a.py: {said}"
    )


def test_only_the_named_files_are_asked_about() -> None:
    view = a_proposal("t", conflicts=(a_conflict("a"), a_conflict("b")))
    assert [one.path for one in only_about(view, ("b",)).conflicts] == ["b"]
    assert only_about(view, ()) is view
    with pytest.raises(UsageError, match="In conflict are: a, b"):
        only_about(view, ("c",))
    with pytest.raises(NotNowError, match="has no conflict"):
        only_about(a_proposal("t"), ("a",))
