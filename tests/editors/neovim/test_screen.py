"""What a person sees on a real screen, and does with real keys and Neovim's own questions."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.editors.neovim.scene import LINES, Scene
from tests.editors.neovim.terminal import Terminal, is_there

pytestmark = pytest.mark.skipif(
    not is_there(), reason="issue 3: a real screen needs tmux, which CI installs"
)


@pytest.fixture
def terminal(scene: Scene) -> Iterator[Terminal]:
    scene.write("a.txt", LINES)
    scene.commit()
    (scene.root / "home").mkdir()
    sockets = Path(tempfile.mkdtemp(prefix="sennit-"))
    made = Terminal(scene.repo, scene.environment, sockets / "tmux")
    yield made
    made.close()
    shutil.rmtree(sockets)


def test_a_person_trusts_dispatches_reviews_applies_and_takes_back(
    scene: Scene, terminal: Terminal
) -> None:
    terminal.press(":edit a.txt", "Enter")
    terminal.until_text("three")
    terminal.press(":Sennit trust", "Enter")
    terminal.until_text("1: Trust it", "2: Do not trust it")
    terminal.press("1", "Enter")
    terminal.until_text("is trusted;")
    terminal.press("Enter", ":Sennit dispatch agent=command sed -i s/two/TWO/ a.txt", "Enter")
    terminal.until_text("1 to review")
    terminal.press("Enter", ":Sennit review", "Enter")
    screen = terminal.until_text("proposed by task-1", "[ ] undecided")
    assert "[ ] M a.txt" in screen
    assert "[ ] @2  +1 -1" in screen
    changed = next(line for line in screen.splitlines() if "TWO" in line)
    assert "two" in changed, screen
    terminal.press(":Sennit accept", "Enter")
    terminal.until_text("[x] accepted")
    terminal.press(":Sennit apply", "Enter")
    terminal.until(lambda shown: shown.count("TWO") >= 2 and "is applied" in shown, "the new text")
    terminal.press("Enter", ":Sennit undo", "Enter")
    terminal.until(lambda shown: shown.count("TWO") == 1, "the old text")
    assert scene.path("a.txt").read_text() == LINES


def test_a_person_sees_tickets_live_and_answers_a_question(
    scene: Scene, terminal: Terminal
) -> None:
    terminal.press(":Sennit trust grant", "Enter")
    terminal.until_text("is trusted;")
    terminal.press("Enter", ":Sennit tickets", "Enter")
    terminal.until_text("No tickets so far")
    sennit = scene.programs / "sennit"
    ask = f"{sennit} ask Which? --option Hi --option Hello"
    terminal.press(f":Sennit dispatch agent=command sh -c '{ask} > a.txt'", "Enter")
    terminal.until_text("task-1 asks: Which?", "1: Hi", "2: Hello")
    terminal.press("2", "Enter")
    screen = terminal.until_text("completed", "clean", "1 file +1 -6")
    assert "task-1" in screen
