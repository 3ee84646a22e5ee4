"""What a decision is about, and what a review leaves of itself: nothing."""

from __future__ import annotations

from typing import Any

import pytest

from tests.editors.neovim.neovim import Neovim
from tests.editors.neovim.scene import LINES, REVIEW, Scene, done, review, shell
from tests.editors.neovim.shared import Shared

OPTIONS = "{ vim.wo.winbar, vim.wo.signcolumn, vim.wo.foldenable, vim.wo.diff }"
MARKS = """
local space, left = vim.api.nvim_create_namespace('sennit.review'), 0
for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
  left = left + #vim.api.nvim_buf_get_extmarks(bufnr, space, 0, -1, {})
end
return left
"""
BOTH = "sed -i s/one/ONE/ a.txt; sed -i s/one/ONE/ b.txt"


@pytest.fixture
def scene(shared: Shared) -> Scene:
    return shared.scene


@pytest.fixture
def editor(shared: Shared, scene: Scene) -> Neovim:
    for name in ("a.txt", "b.txt", "c.txt"):
        scene.write(name, LINES)
    scene.commit()
    shared.editor.edit(scene.path("a.txt"))
    return shared.editor


def _decisions(editor: Neovim) -> Any:
    return editor.lua(
        f"{REVIEW}; local all = {{}}; for _, proposal in ipairs(review.session.proposals) do"
        " for _, unit in ipairs(require('sennit.review.units').of(proposal)) do"
        " all[unit.file.path] = unit.view.decision end end; return all"
    )


def test_a_path_in_the_bar_of_a_window_is_never_run(scene: Scene, editor: Neovim) -> None:
    name = "%{execute('!touch PWNED')}"
    ticket = done(editor, shell(f'echo one > "{name}"'), shell(f'echo two > "{name}"'))
    review(editor, ticket)
    editor.command("redraw!")
    editor.sennit("conflicts")
    editor.until_lua("return vim.t.sennit_conflict")
    bars = editor.lua(
        "return vim.tbl_map(function(window)"
        " return vim.api.nvim_eval_statusline(vim.wo[window].winbar, { winid = window,"
        " use_winbar = true, maxwidth = 200 }).str end, vim.api.nvim_tabpage_list_wins(0))"
    )
    assert sum(name in bar for bar in bars) == 4, bars
    assert not scene.path("PWNED").exists()


def test_a_decision_is_about_the_file_that_the_live_window_shows(editor: Neovim) -> None:
    review(editor, done(editor, shell(BOTH)))
    editor.command("edit b.txt")
    editor.until_lua(f"{REVIEW}; return vim.fs.basename(review.session.shown.uri) == 'b.txt'")
    editor.until_lua(f"{REVIEW}; return require('sennit.ui.review_cursor').unit(review) ~= nil")
    editor.sennit("accept")
    editor.until(lambda: _decisions(editor)["b.txt"] == "accepted", "the decision")
    assert _decisions(editor) == {"a.txt": "undecided", "b.txt": "accepted"}


def test_beside_a_hunk_or_in_another_file_nothing_is_decided(editor: Neovim) -> None:
    review(editor, done(editor, shell(BOTH)))
    editor.lua("vim.api.nvim_win_set_cursor(0, { 5, 0 })")
    editor.sennit("accept")
    editor.until_notice("the cursor is on no hunk of the review")
    editor.forget_notices()
    editor.command("edit c.txt")
    editor.sennit("reject")
    editor.until_notice("the cursor is on no hunk of the review")
    assert set(_decisions(editor).values()) == {"undecided"}


def test_a_review_leaves_no_mark_and_no_option_in_any_buffer(scene: Scene, editor: Neovim) -> None:
    ticket = done(editor, shell(BOTH))
    before = editor.lua(f"return {OPTIONS}")
    review(editor, ticket)
    editor.command("edit b.txt")
    editor.until_lua(f"{REVIEW}; return vim.fs.basename(review.session.shown.uri) == 'b.txt'")
    editor.command("edit c.txt")
    editor.sennit("close")
    editor.until_lua("return #vim.api.nvim_list_tabpages() == 1")
    assert editor.lua(MARKS) == 0
    for name in ("a.txt", "b.txt", "c.txt"):
        editor.command(f"tabedit {scene.path(name)}")
        assert editor.lua(f"return {OPTIONS}") == before, name


def test_a_new_file_is_shown_in_the_second_review_too(editor: Neovim) -> None:
    ticket = done(editor, shell("echo brand new > new.txt"))
    shown = f"{REVIEW}; return vim.api.nvim_buf_get_lines(review.proposed_buffer, 0, -1, true)"
    for _ in range(2):
        editor.lua(f"{REVIEW}; _G.before = review and review.tab")
        editor.sennit(f"review {ticket}")
        editor.until_lua(f"{REVIEW}; return review and review.tab ~= _G.before and review.live")
        assert editor.lua(shown) == ["brand new"]
