"""Two servers on one repository: what is unsaved in the other editor is left alone."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.desk import Desk, new_desk, start, states, told
from tests.e2e.editor import REVIEWS, Editor

pytestmark = pytest.mark.e2e
LINES = "one\ntwo\nthree\nfour\nfive\nsix\n"
SEEN_S = 0.2


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[tuple[Desk, Editor]]:
    repo = tmp_path / "repo"
    with start(REVIEWS, tmp_path / "m", repo) as mine, start(REVIEWS, tmp_path / "m") as other:
        yield new_desk(mine, repo, {"a": LINES, "b": LINES}), other


BOTH = "[sub(n, b'two', b'TWO') for n in ('a', 'b')]"


def test_a_file_that_is_unsaved_elsewhere_is_left_alone(pair: tuple[Desk, Editor]) -> None:
    made, other = pair
    ticket = made.changed(BOTH)
    uri = other.open(made.path("a"))
    other.type(uri, "six", "theirs")
    # The answer to a later request says that the change has arrived at the other server.
    other.ask("sennit/tickets", {})
    time.sleep(SEEN_S)
    view = made.apply(ticket)
    assert states(view) == {"a": "failed", "b": "applied"}
    assert "unsaved in another editor" in told(view)
    assert made.path("a").read_text() == LINES
    assert other.buffers[uri].text == LINES.replace("six", "theirs")
    other.save(uri)
    other.ask("sennit/tickets", {})
    time.sleep(SEEN_S)
    assert states(made.apply(ticket))["a"] == "applied"
    assert made.editor.text(made.path("a")) == LINES.replace("six", "theirs").replace("two", "TWO")


def test_a_file_that_is_unsaved_in_both_is_changed_here_with_a_notice(
    pair: tuple[Desk, Editor],
) -> None:
    made, other = pair
    ticket = made.changed(BOTH)
    mine = made.editor.open(made.path("a"))
    made.editor.type(mine, "five", "mine")
    theirs = other.open(made.path("a"))
    other.type(theirs, "six", "theirs")
    other.ask("sennit/tickets", {})
    time.sleep(SEEN_S)
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
    other.ask("sennit/tickets", {})
    time.sleep(SEEN_S)
    ticket = made.changed(BOTH)
    (base,) = made.editor.ask("sennit/ticket", {"ticket": ticket})["bases"]
    assert [(one["path"], one["reason"]) for one in base["leftOut"]] == [("a", "unsavedElsewhere")]


def test_closing_or_ending_the_other_editor_lets_the_file_go(pair: tuple[Desk, Editor]) -> None:
    made, other = pair
    ticket = made.changed(BOTH)
    uri = other.open(made.path("a"))
    other.type(uri, "six", "theirs")
    other.close(uri)
    other.ask("sennit/tickets", {})
    time.sleep(SEEN_S)
    assert set(states(made.apply(ticket)).values()) == {"applied"}
