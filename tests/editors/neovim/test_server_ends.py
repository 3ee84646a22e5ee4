"""The server dies, the editor leaves: nothing is lost and nothing is left."""

from __future__ import annotations

import os
import signal

import pytest

from tests.editors.neovim.neovim import Neovim
from tests.editors.neovim.scene import (
    MANY,
    Scene,
    accept_all,
    applied,
    dispatch,
    panel,
    proposals,
    review,
    sed,
    settled,
    undone,
)
from tests.editors.neovim.shared import Shared

IMPATIENT = "vim.g.sennit = { trusted = true, restart_ms = { 50, 100 } }"
NEVER_TIRED = "vim.g.sennit = { trusted = true, restart_ms = { 50 }, restart_window_ms = 0 }"
"""Each end of the server counts as its first, however many there were in other tests."""


@pytest.fixture
def scene(shared: Shared) -> Scene:
    return shared.scene


@pytest.fixture
def editor(shared: Shared, scene: Scene) -> Neovim:
    scene.write("many.txt", MANY)
    scene.commit()
    shared.editor.lua(NEVER_TIRED)
    return shared.editor


@pytest.fixture
def alone(own: Scene) -> tuple[Scene, Neovim]:
    """A machine whose editor may be closed or given up."""
    own.write("many.txt", MANY)
    own.commit()
    return own, own.start(IMPATIENT)


def _half_done(scene: Scene, editor: Neovim) -> str:
    """A ticket of which one task has ended and one stands still."""
    editor.edit(scene.path("many.txt"))
    tasks = [
        {"id": "done", "prompt": sed("s/line 5$/LINE 5/", "many.txt")},
        {"id": "held", "prompt": scene.gated("gate")},
    ]
    ticket = dispatch(editor, tasks)
    editor.until(lambda: scene.has_begun("gate"), "the second task")
    editor.until(
        lambda: "clean" in [one["integration"] for one in proposals(editor, ticket)],
        "the first proposal",
    )
    return ticket


def _kill_server(editor: Neovim) -> None:
    editor.lua(
        "_G.starts = 0; local group = vim.api.nvim_create_augroup('sennit.test', {});"
        " vim.api.nvim_create_autocmd('User', { pattern = 'SennitServerStarted', group = group,"
        " callback = function() _G.starts = _G.starts + 1 end })"
    )
    os.kill(editor.server_pid(), signal.SIGKILL)


def test_a_killed_server_is_started_again_and_its_proposals_are_still_there(
    scene: Scene, editor: Neovim
) -> None:
    ticket = _half_done(scene, editor)
    _kill_server(editor)
    editor.until_notice("was killed by signal 9", "started again in")
    editor.until_lua("return _G.starts == 1")
    scene.open_gate("gate")
    editor.until(
        lambda: "done" in {one["task"] for one in proposals(editor, ticket)}, "the proposal"
    )
    accept_all(editor, ticket)
    assert applied(editor)["state"] == "applied"
    assert editor.text(scene.path("many.txt")) == MANY.replace("line 5\n", "LINE 5\n")


def test_a_review_goes_on_after_the_server_was_killed(scene: Scene, editor: Neovim) -> None:
    ticket = _half_done(scene, editor)
    review(editor, ticket)
    _kill_server(editor)
    editor.until_lua("return _G.starts == 1")
    editor.sennit("accept hunk")
    editor.until(lambda: any("[x] @5" in line for line in panel(editor)), "the decision")
    scene.open_gate("gate")


def test_a_request_settles_when_its_server_dies(scene: Scene, editor: Neovim) -> None:
    ticket = _half_done(scene, editor)
    editor.lua(
        "require('sennit').request('sennit/wait', { ticket = ..., ['until'] = 'settled' },"
        " function(problem) _G.settled = problem end)",
        ticket,
    )
    editor.lua("vim.wait(100)")
    _kill_server(editor)
    problem = editor.until_lua("return _G.settled")
    assert problem["message"] == "The server ended before it answered."
    scene.open_gate("gate")


def test_a_request_settles_when_it_is_cancelled(scene: Scene, editor: Neovim) -> None:
    ticket = _half_done(scene, editor)
    editor.lua(
        "local client = vim.lsp.get_clients({ name = 'sennit' })[1];"
        " local sent = require('sennit.requests').send(client, 'sennit/wait',"
        " { ticket = ..., ['until'] = 'settled' }, function(problem) _G.got = problem end);"
        " sent.cancel()",
        ticket,
    )
    problem = editor.until_lua("return _G.got")
    assert problem["code"] == -32800
    scene.open_gate("gate")


def test_a_server_that_keeps_dying_is_given_up_with_a_word(alone: tuple[Scene, Neovim]) -> None:
    scene, editor = alone
    editor.edit(scene.path("many.txt"))
    settled(editor, dispatch(editor, [{"id": "one", "prompt": "true"}]))
    _kill_server(editor)
    for starts in (1, 2):
        editor.until_lua("return _G.starts == ...", starts)
        os.kill(editor.server_pid(), signal.SIGKILL)
    editor.until_notice("It has ended too often", ":Sennit restart")
    editor.sennit("restart")
    editor.until_lua("return _G.starts == 3")


def test_unsaved_text_is_known_to_the_server_that_was_started_again(
    scene: Scene, editor: Neovim
) -> None:
    _half_done(scene, editor)
    editor.lua("vim.api.nvim_buf_set_lines(0, 0, 1, true, { 'unsaved' })")
    _kill_server(editor)
    editor.until_lua("return _G.starts == 1")
    scene.open_gate("gate")
    ticket = dispatch(editor, [{"id": "see", "prompt": sed("s/unsaved/seen/", "many.txt")}])
    settled(editor, ticket)
    assert [one["linesAdded"] for one in proposals(editor, ticket)] == [1]


def test_leaving_in_the_middle_loses_nothing_and_leaves_no_process(
    alone: tuple[Scene, Neovim],
) -> None:
    scene, editor = alone
    ticket = _half_done(scene, editor)
    editor.close()
    assert scene.until_gone() == {}
    again = scene.start()
    again.edit(scene.path("many.txt"))
    accept_all(again, ticket)
    assert applied(again)["state"] == "applied"
    assert again.text(scene.path("many.txt")) == MANY.replace("line 5\n", "LINE 5\n")


def test_what_was_applied_before_is_undone_in_the_next_session(alone: tuple[Scene, Neovim]) -> None:
    scene, editor = alone
    path = scene.path("many.txt")
    ticket = dispatch(editor, [{"id": "one", "prompt": sed("s/line 5$/LINE 5/", "many.txt")}])
    settled(editor, ticket)
    accept_all(editor, ticket)
    applied(editor)
    editor.command("wall")
    editor.close()
    assert path.read_text() == MANY.replace("line 5\n", "LINE 5\n")
    again = scene.start()
    again.edit(path)
    assert undone(again)["state"] == "applied"
    assert again.text(path) == MANY


def test_a_crash_of_the_editor_loses_nothing_and_leaves_no_process(
    alone: tuple[Scene, Neovim],
) -> None:
    scene, editor = alone
    ticket = _half_done(scene, editor)
    editor.kill()
    assert scene.until_gone() == {}
    again = scene.start()
    assert proposals(again, ticket)[0]["integration"] == "clean"


def test_stop_ends_the_server_for_good(scene: Scene, editor: Neovim) -> None:
    editor.edit(scene.path("many.txt"))
    settled(editor, dispatch(editor, [{"id": "one", "prompt": "true"}], label="stopping"))
    editor.until_notice("stopping is completed")
    editor.forget_notices()
    editor.sennit("stop")
    editor.until_lua("return #vim.lsp.get_clients({ name = 'sennit' }) == 0")
    editor.lua("vim.wait(300)")
    assert editor.notices() == []
