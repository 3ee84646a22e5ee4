"""Answers that a dying server has not given, and servers that are ended: the truth is told."""

from __future__ import annotations

import os
import signal

import pytest

from tests.editors.neovim.neovim import Neovim
from tests.editors.neovim.scene import LINES, Scene, accept_all, applied, dispatch, done, sed
from tests.editors.neovim.shared import Shared
from tests.editors.neovim.test_questions import FREE
from tests.editors.neovim.test_server_ends import NEVER_TIRED

ONCE = """
vim.g.sennit = {
  trusted = true, restart_ms = { 50 }, restart_window_ms = 600000, stop_ms = 600000,
}
"""
"""A server may end by itself only once, and take its time when it is told to end."""
KILL_AFTER_EDIT = """
local apply, pid = require('sennit.apply'), ...
local handle = apply.handle
apply.handle = function(...)
  apply.handle = handle
  local result = handle(...)
  vim.uv.kill(pid, 'sigkill')
  return result
end
"""


@pytest.fixture
def scene(shared: Shared) -> Scene:
    return shared.scene


@pytest.fixture
def editor(shared: Shared, scene: Scene) -> Neovim:
    scene.write("a.txt", LINES)
    scene.commit()
    shared.editor.lua(NEVER_TIRED)
    shared.editor.edit(scene.path("a.txt"))
    return shared.editor


def _until_another_server(editor: Neovim, pid: int) -> None:
    def another() -> bool:
        answers = editor.lua(
            "local all = vim.lsp.get_clients({ name = 'sennit' });"
            " return #all == 1 and all[1].initialized"
        )
        # Between the end of one server and the start of the next there are none, or both.
        children = editor.children()
        return bool(answers) and len(children) == 1 and children != [pid]

    editor.until(another, "another server")


def test_of_an_application_without_an_answer_the_truth_is_told(
    scene: Scene, editor: Neovim
) -> None:
    accept_all(editor, done(editor, sed("s/one/ONE/", "a.txt")))
    editor.lua(KILL_AFTER_EDIT, editor.server_pid())
    editor.forget_notices()
    view = applied(editor)
    assert editor.text(scene.path("a.txt")) == LINES.replace("one", "ONE")
    editor.until_notice("ended before it answered", view["id"], "1 file")
    assert not [one for one in editor.notices() if "Nothing was applied" in one]
    editor.lua(KILL_AFTER_EDIT, editor.server_pid())
    editor.forget_notices()
    editor.sennit("undo")
    editor.until_notice("ended before it answered", "1 file")
    assert editor.text(scene.path("a.txt")) == LINES


def test_a_restart_is_no_failure_however_often(editor: Neovim) -> None:
    editor.lua(ONCE)
    done(editor, "true")
    editor.forget_notices()
    # One more than a server may end by itself.
    for _ in range(2):
        pid = editor.server_pid()
        editor.sennit("restart")
        _until_another_server(editor, pid)
    assert editor.notices() == []


def test_a_hanging_server_is_killed_and_said(editor: Neovim) -> None:
    editor.lua("vim.g.sennit = { trusted = true, stop_ms = 500 }")
    done(editor, "true")
    pid = editor.server_pid()
    os.kill(pid, signal.SIGSTOP)
    editor.sennit("restart")
    editor.until_notice("did not end within 0.5 s, so it was killed")
    _until_another_server(editor, pid)
    assert not [one for one in editor.notices() if "started again in" in one]


def test_tasks_whose_end_was_missed_do_not_run_for_ever(scene: Scene, editor: Neovim) -> None:
    dispatch(editor, [{"id": "held", "prompt": scene.gated("gate")}])
    editor.until(lambda: scene.has_begun("gate"), "the task")
    status = "return require('sennit').statusline()"
    editor.until(lambda: "1 running" in editor.lua(status), "the task in the status line")
    os.kill(editor.server_pid(), signal.SIGKILL)
    editor.until_notice("started again in")
    editor.until(lambda: "running" not in editor.lua(status), "its end in the status line")
    scene.open_gate("gate")


def test_an_answer_for_a_server_that_has_ended_is_kept_and_said(editor: Neovim) -> None:
    editor.lua("vim.ui.input = function(_, done) _G.give = done end")
    dispatch(editor, [{"id": "ask", "prompt": FREE}])
    editor.until_lua("return _G.give ~= nil")
    os.kill(editor.server_pid(), signal.SIGKILL)
    editor.until_notice("was killed by signal 9")
    editor.lua("_G.give('typed with care')")
    editor.until_notice("the answer for ask was not sent", "typed with care")
