"""The main job: three tasks dispatched, watched, reviewed, applied, taken back."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from tests.editors.neovim.neovim import Neovim
from tests.editors.neovim.scene import (
    MANY,
    REVIEW,
    Scene,
    applied,
    new_ticket,
    on_panel,
    panel,
    proposals,
    review,
    settled,
    tickets_known,
    undone,
    until_panel,
)
from tests.editors.neovim.shared import Shared

PYTHON = (
    "import pathlib; path = pathlib.Path('code.py');"
    " path.write_text(path.read_text().replace('1+1', '1 + 1'))"
)
DRAFT = """\
agent: command
task: lines

sed -i -e 's/line 3$/LINE 3/' -e 's/line 30$/LINE 30/' many.txt
---
agent: command
task: code

python3 -c {code}
---
agent: command
task: clash

sh -c 'echo looking; until [ -e {gate} ]; do sleep 0.05; done; sed -i "s/line 3$/Linie 3/" many.txt'
"""
ALL_DONE = MANY.replace("line 3\n", "LINE 3\n").replace("line 30\n", "LINE 30\n")


@pytest.fixture
def scene(shared: Shared) -> Scene:
    return shared.scene


@pytest.fixture
def editor(shared: Shared, scene: Scene) -> Neovim:
    scene.write("many.txt", MANY)
    scene.write("code.py", "total = 1+1\n")
    scene.commit()
    return shared.editor


def _dispatched(scene: Scene, editor: Neovim) -> str:
    """Write a draft of three tasks, as a user does; gives the ticket once it runs."""
    gate = shlex.quote(str(scene.root / "gate"))
    before = tickets_known(editor)
    editor.sennit("dispatch")
    text = DRAFT.format(code=shlex.quote(PYTHON), gate=gate)
    editor.lua("vim.api.nvim_buf_set_lines(0, 0, -1, true, ...)", text.splitlines())
    editor.command("write")
    return new_ticket(editor, before)


def _reviewed(scene: Scene, editor: Neovim) -> str:
    """Reject the second hunk of the first task, accept the rest but for the conflict."""
    editor.edit(scene.path("many.txt"))
    ticket = _dispatched(scene, editor)
    scene.open_gate("gate")
    assert settled(editor, ticket) == "partial"
    review(editor, ticket)
    for hunk, key, decided in (
        ("[ ] @30  +1 -1", "r", "[-] @30  +1 -1"),
        ("[ ] @3  +1 -1", "a", "[x] @3  +1 -1"),
        ("[ ] M code.py", "A", "[x] @1  +1 -1"),
    ):
        on_panel(editor, [line.strip() for line in panel(editor)].index(hunk) + 1)
        editor.type(key)
        until_panel(editor, decided)
    return ticket


def test_progress_of_three_tasks_is_seen_while_they_run(scene: Scene, editor: Neovim) -> None:
    editor.lua(
        "_G.seen = {}; vim.api.nvim_create_autocmd({ 'LspProgress', 'User' }, {"
        " callback = function(event) _G.seen[event.event .. ' ' .. event.file] = true end })"
    )
    ticket = _dispatched(scene, editor)
    editor.until_lua(
        "local task = (require('sennit.state').known.tasks[...] or {}).clash"
        " return task and task.progress and task.progress.lastLine == 'looking'",
        ticket,
    )
    editor.until_lua("return require('sennit').statusline():find('1 running')")
    editor.sennit("tickets")
    rows = editor.until(
        lambda: [line for line in editor.lines() if "looking" in line], "a row with the progress"
    )
    assert rows[0].split()[:2] == ["clash", "running"]
    seen = editor.lua("return _G.seen")
    assert {"LspProgress begin", "LspProgress report", "User SennitTaskChanged"} <= set(seen)
    scene.open_gate("gate")
    settled(editor, ticket)
    editor.until(
        lambda: any({"clash", "conflict"} <= set(line.split()) for line in editor.lines()),
        "the conflict in the panel",
    )


def test_what_was_accepted_is_applied_byte_for_byte(scene: Scene, editor: Neovim) -> None:
    _reviewed(scene, editor)
    view = applied(editor)
    assert view["state"] == "applied", view
    assert editor.text(scene.path("many.txt")) == ALL_DONE.replace("LINE 30", "line 30")
    assert editor.text(scene.path("code.py")) is None
    assert scene.path("code.py").read_bytes() == b"total = 1 + 1\n"
    # The user's file is theirs to write.
    assert scene.path("many.txt").read_text() == MANY


def test_undo_brings_the_text_back_byte_for_byte(scene: Scene, editor: Neovim) -> None:
    _reviewed(scene, editor)
    application = applied(editor)["id"]
    editor.forget_notices()
    assert undone(editor)["state"] == "applied"
    assert editor.text(scene.path("many.txt")) == MANY
    assert scene.path("code.py").read_bytes() == b"total = 1+1\n"
    editor.until_notice(f"Sennit: {application} is taken back, 2 files")


def test_undo_keeps_what_was_typed_since(scene: Scene, editor: Neovim) -> None:
    _reviewed(scene, editor)
    applied(editor)
    buffer = editor.lua("return require('sennit.paths').buffer(...)", str(scene.path("many.txt")))
    editor.lua("vim.api.nvim_buf_set_lines(..., 19, 20, true, { 'typed' })", buffer)
    assert undone(editor)["state"] == "applied"
    assert editor.text(scene.path("many.txt")) == MANY.replace("line 20", "typed")


def test_the_conflict_of_the_third_is_shown_with_its_sides(scene: Scene, editor: Neovim) -> None:
    ticket = _reviewed(scene, editor)
    assert [one["integration"] for one in proposals(editor, ticket)] == [
        "clean",
        "clean",
        "conflict",
    ]
    assert "! many.txt (content) with lines" in [line.strip() for line in panel(editor)]
    editor.sennit("conflicts")
    editor.until_lua("return #vim.api.nvim_tabpage_list_wins(0) == 4 and vim.wo.diff")
    windows = editor.lua("return vim.api.nvim_tabpage_list_wins(0)")
    shown = [
        "\n".join(editor.lines(editor.lua("return vim.api.nvim_win_get_buf(...)", window)))
        for window in windows
    ]
    assert "clash and lines change many.txt" in shown[0]
    sides = [text.splitlines()[2] for text in shown[1:]]
    assert sides == ["LINE 3", "line 3", "Linie 3"]


def test_every_hunk_is_in_the_quickfix_list_and_marked_in_the_text(
    scene: Scene, editor: Neovim
) -> None:
    _reviewed(scene, editor)
    items = editor.lua("return vim.fn.getqflist()")
    assert [(one["lnum"], one["text"]) for one in items] == [
        (3, "[x] lines: @3  +1 -1"),
        (30, "[-] lines: @30  +1 -1"),
        (1, "[x] code: @1  +1 -1"),
        (3, "[ ] clash: @3  +1 -1"),
    ]
    rows = editor.lua(
        f"{REVIEW}; local ids = vim.api.nvim_buf_get_extmarks(review.live.bufnr,"
        " require('sennit.ui.marks').namespace, 0, -1, {})"
        " return vim.tbl_map(function(one) return one[2] end, ids)"
    )
    assert rows == [2, 29]


def test_leaving_the_review_restores_everything(scene: Scene, editor: Neovim) -> None:
    editor.command("let maplocalleader = ','")
    buffer = editor.edit(scene.path("many.txt"))
    editor.command("nnoremap <buffer> ,a :let g:mine = 1<CR>")
    editor.lua("vim.fn.setqflist({ { text = 'mine' } })")
    before = _state(editor, buffer)
    _reviewed(scene, editor)
    assert _state(editor, buffer) != before
    editor.sennit("close")
    editor.until_lua("return #vim.api.nvim_list_tabpages() == 1")
    editor.lua("vim.wait(20)")
    assert _state(editor, buffer) == before
    editor.edit(scene.path("code.py"))
    assert not editor.lua("return vim.wo.diff")
    left = editor.lua(
        "return vim.tbl_filter(function(b) return vim.api.nvim_buf_get_name(b):match('rev=') end,"
        " vim.api.nvim_list_bufs())"
    )
    assert left == []


def _state(editor: Neovim, buffer: int) -> object:
    return editor.lua(
        "local b = ...; local keys = vim.tbl_map(function(k) return k.lhs .. (k.rhs or '') end,"
        " vim.api.nvim_buf_get_keymap(b, 'n')); table.sort(keys);"
        " local space = require('sennit.ui.marks').namespace;"
        " return { keys, vim.api.nvim_buf_get_extmarks(b, space, 0, -1, {}),"
        " vim.tbl_map(function(i) return i.text end, vim.fn.getqflist()),"
        " vim.tbl_map(function(w) return vim.wo[w].diff end, vim.fn.win_findbuf(b)) }",
        buffer,
    )


def test_closing_the_tab_by_hand_leaves_the_review_too(scene: Scene, editor: Neovim) -> None:
    _reviewed(scene, editor)
    editor.command("tabclose")
    editor.until_lua("return require('sennit.ui.review').get() == nil")
    editor.lua("vim.wait(20)")
    editor.edit(scene.path("many.txt"))
    assert not editor.lua("return vim.wo.diff")


def test_a_refused_dispatch_keeps_the_draft(editor: Neovim) -> None:
    editor.sennit("dispatch agent=nobody do it all")
    editor.until_notice("Nothing was dispatched", "nobody")
    editor.until_lua("return vim.api.nvim_buf_get_name(0):match('draft') ~= nil")
    assert editor.lines()[-3:] == ["agent: nobody", "", "do it all"]
    assert editor.lua("return vim.bo.modified")


def test_a_prompt_on_the_command_line_is_one_task(scene: Scene, editor: Neovim) -> None:
    before = tickets_known(editor)
    editor.sennit("dispatch agent=command sed -i s/1+1/2/ code.py")
    editor.until_notice("1 task begun")
    ticket = new_ticket(editor, before)
    assert settled(editor, ticket) == "completed"
    assert Path(scene.path("code.py")).read_text() == "total = 1+1\n"
