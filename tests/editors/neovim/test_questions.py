"""An agent asks, the user answers in the editor."""

from __future__ import annotations

import shlex

import pytest

from tests.editors.neovim.neovim import Neovim
from tests.editors.neovim.scene import PROGRAMS, Scene, accept_all, applied, dispatch, settled
from tests.editors.neovim.shared import Shared

ASK = shlex.quote(str(PROGRAMS / "sennit"))
WITH_OPTIONS = f"sh -c '{ASK} ask \"Which greeting?\" --option Hi --option Hello > a.txt'"
FREE = f"sh -c '{ASK} ask \"Which name?\" > a.txt'"


@pytest.fixture
def scene(shared: Shared) -> Scene:
    return shared.scene


@pytest.fixture
def editor(shared: Shared, scene: Scene) -> Neovim:
    scene.write("a.txt", "one\n")
    scene.commit()
    return shared.editor


def _answered(scene: Scene, editor: Neovim, ticket: str) -> str:
    settled(editor, ticket)
    accept_all(editor, ticket)
    applied(editor)
    text = editor.text(scene.path("a.txt"))
    return scene.path("a.txt").read_text() if text is None else text


def test_a_choice_is_asked_by_vim_ui_select(scene: Scene, editor: Neovim) -> None:
    editor.choose("Hello")
    ticket = dispatch(editor, [{"id": "ask", "prompt": WITH_OPTIONS}])
    assert _answered(scene, editor, ticket) == "Hello\n"
    assert editor.asked()[0] == {
        "prompt": "ask asks: Which greeting?",
        "items": ["Hi", "Hello", "Another answer …"],
    }


def test_words_are_asked_by_vim_ui_input(scene: Scene, editor: Neovim) -> None:
    editor.lua("vim.ui.input = function(options, done) _G.input = options.prompt; done('Ada') end")
    ticket = dispatch(editor, [{"id": "ask", "prompt": FREE}])
    assert _answered(scene, editor, ticket) == "Ada\n"
    assert editor.lua("return _G.input") == "ask asks: Which name? "


def test_who_types_is_not_interrupted(scene: Scene, editor: Neovim) -> None:
    editor.edit(scene.path("a.txt"))
    dispatched = dispatch(editor, [{"id": "ask", "prompt": WITH_OPTIONS}])
    editor.type("i")
    editor.until_notice("Which greeting?", ":Sennit answer")
    editor.lua("vim.wait(200)")
    assert editor.asked() == []
    editor.choose("Hi")
    editor.type("<Esc>")
    settled(editor, dispatched)
    assert editor.asked()[0]["prompt"] == "ask asks: Which greeting?"


def test_a_question_that_was_turned_away_is_answered_later(scene: Scene, editor: Neovim) -> None:
    ticket = dispatch(editor, [{"id": "ask", "prompt": WITH_OPTIONS}])
    editor.until(editor.asked, "the question")
    editor.until_lua(
        "local t = require('sennit.state').tasks(...)[1]; return t.state == 'waiting'", ticket
    )
    editor.sennit(f"answer {ticket} ask Good morning")
    editor.until_notice("ask has been answered")
    assert _answered(scene, editor, ticket) == "Good morning\n"


def test_a_task_is_cancelled_after_it_was_said_what_is_lost(scene: Scene, editor: Neovim) -> None:
    ticket = dispatch(editor, [{"id": "held", "prompt": scene.gated("gate")}])
    editor.until(lambda: scene.has_begun("gate"), "the task")
    editor.sennit(f"cancel {ticket}")
    editor.until(lambda: any("Cancel?" in one["prompt"] for one in editor.asked()), "the question")
    assert editor.asked()[-1]["items"] == [f"Cancel {ticket}", "Let it run"]
    editor.choose("Cancel")
    editor.sennit(f"cancel {ticket}")
    assert settled(editor, ticket) == "cancelled"


def test_the_output_is_shown_as_plain_text_while_it_comes(scene: Scene, editor: Neovim) -> None:
    prompt = scene.gated("gate", "printf 'after\\n'; printf 'bad\\n' >&2").replace(
        "sh -c ", "sh -c ", 1
    )
    prompt = prompt.replace("touch", 'printf "\\033[31mred\\033[0m\\n"; touch', 1)
    ticket = dispatch(editor, [{"id": "talk", "prompt": prompt}])
    editor.until(lambda: scene.has_begun("gate"), "the task")
    editor.sennit(f"output {ticket} talk")
    editor.until(lambda: "red" in editor.lines(), "the first line")
    scene.open_gate("gate")
    wanted = ["red", "after", "", "── standard error ──", "bad"]
    editor.until(lambda: editor.lines() == wanted, "all of the output")
