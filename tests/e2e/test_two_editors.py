"""Two servers on one repository: what is unsaved in the other editor is left alone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.desk import Desk, new_desk, start, states, told
from tests.e2e.editor import REVIEWS, Editor
from tests.wire_client import eventually

pytestmark = pytest.mark.e2e
LINES = "one\ntwo\nthree\nfour\nfive\nsix\n"


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[tuple[Desk, Editor]]:
    repo = tmp_path / "repo"
    with start(REVIEWS, tmp_path / "m", repo) as mine, start(REVIEWS, tmp_path / "m") as other:
        yield new_desk(mine, repo, {"a": LINES, "b": LINES}), other


BOTH = "[sub(n, b'two', b'TWO') for n in ('a', 'b')]"


def seen_elsewhere(made: Desk, *paths: str) -> None:
    """Wait until this server knows exactly these files as unsaved in another editor."""

    def known() -> set[str]:
        planned = made.editor.ask("sennit/preflight", {"tasks": [made.task("")]})
        left_out = [one for base in planned["bases"] for one in base["leftOut"]]
        return {one["path"] for one in left_out if one["reason"] == "unsavedElsewhere"}

    assert eventually(lambda: known() == {*paths}), known()


def test_a_file_that_is_unsaved_elsewhere_is_left_alone(pair: tuple[Desk, Editor]) -> None:
    made, other = pair
    ticket = made.changed(BOTH)
    uri = other.open(made.path("a"))
    other.type(uri, "six", "theirs")
    seen_elsewhere(made, "a")
    view = made.apply(ticket)
    assert states(view) == {"a": "failed", "b": "applied"}
    assert "unsaved in another editor" in told(view)
    assert made.path("a").read_text() == LINES
    assert other.buffers[uri].text == LINES.replace("six", "theirs")
    other.save(uri)
    seen_elsewhere(made)
    assert states(made.apply(ticket))["a"] == "applied"
    assert made.editor.text(made.path("a")) == LINES.replace("six", "theirs").replace("two", "TWO")


def test_a_file_that_is_unsaved_in_both_is_changed_here_with_a_notice(
    pair: tuple[Desk, Editor],
) -> None:
    made, other = pair
    ticket = made.changed(BOTH)
    theirs = other.open(made.path("a"))
    other.type(theirs, "six", "theirs")
    seen_elsewhere(made, "a")
    mine = made.editor.open(made.path("a"))
    made.editor.type(mine, "five", "mine")
    view = made.apply(ticket)
    assert states(view) == {"a": "applied", "b": "applied"}, told(view)
    assert "unsaved in another editor too" in told(view)
    assert made.editor.buffers[mine].text == LINES.replace("five", "mine").replace("two", "TWO")
    assert other.buffers[theirs].text == LINES.replace("six", "theirs")
    assert made.path("a").read_text() == LINES


def test_a_base_tells_what_is_unsaved_in_another_editor(pair: tuple[Desk, Editor]) -> None:
    made, other = pair
    uri = other.open(made.path("a"))
    other.type(uri, "six", "theirs")
    seen_elsewhere(made, "a")
    ticket = made.changed(BOTH)
    (base,) = made.editor.ask("sennit/ticket", {"ticket": ticket})["bases"]
    assert [(one["path"], one["reason"]) for one in base["leftOut"]] == [("a", "unsavedElsewhere")]
    (planned,) = made.editor.ask("sennit/preflight", {"tasks": [made.task("")]})["bases"]
    assert planned["leftOut"] == base["leftOut"]


def test_closing_or_ending_the_other_editor_lets_the_file_go(pair: tuple[Desk, Editor]) -> None:
    made, other = pair
    ticket = made.changed(BOTH)
    uri = other.open(made.path("a"))
    other.type(uri, "six", "theirs")
    seen_elsewhere(made, "a")
    other.close(uri)
    seen_elsewhere(made)
    assert set(states(made.apply(ticket)).values()) == {"applied"}
