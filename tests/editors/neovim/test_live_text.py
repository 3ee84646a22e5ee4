"""The text as the user sees it is the base, and stays the user's."""

from __future__ import annotations

import pytest

from tests.editors.neovim.neovim import Neovim
from tests.editors.neovim.scene import (
    MANY,
    REVIEW,
    Scene,
    accept_all,
    applied,
    dispatch,
    done,
    panel,
    proposals,
    sed,
    settled,
)
from tests.editors.neovim.shared import Shared


@pytest.fixture
def scene(shared: Shared) -> Scene:
    return shared.scene


@pytest.fixture
def editor(shared: Shared, scene: Scene) -> Neovim:
    scene.write("many.txt", MANY)
    scene.write("odd.name.without.a.type", "text\n")
    scene.commit()
    return shared.editor


def _type(editor: Neovim, line: int, text: str) -> None:
    """Replace a line of the buffer of ``many.txt``, from 1."""
    editor.lua(
        "local line, text = ...; local b = vim.fn.bufnr('many.txt$');"
        " vim.api.nvim_buf_set_lines(b, line - 1, line, true, { text })",
        line,
        text,
    )


def test_unsaved_text_is_in_the_base_and_survives(scene: Scene, editor: Neovim) -> None:
    path = scene.path("many.txt")
    editor.edit(path)
    _type(editor, 10, "unsaved 10")
    ticket = done(editor, sed("s/unsaved/seen by the agent, unsaved/", "many.txt"))
    assert [one["linesAdded"] for one in proposals(editor, ticket)] == [1]
    assert path.read_text() == MANY
    accept_all(editor, ticket)
    assert applied(editor)["state"] == "applied"
    assert editor.text(path) == MANY.replace("line 10", "seen by the agent, unsaved 10")
    assert path.read_text() == MANY


def test_typing_between_offer_and_accept_is_merged(scene: Scene, editor: Neovim) -> None:
    path = scene.path("many.txt")
    editor.edit(path)
    ticket = done(editor, sed("s/line 30$/LINE 30/", "many.txt"))
    accept_all(editor, ticket)
    _type(editor, 2, "typed")
    assert applied(editor)["state"] == "applied"
    assert editor.text(path) == MANY.replace("line 2\n", "typed\n").replace("line 30", "LINE 30")


def test_typing_where_a_hunk_is_makes_a_conflict_of_that_hunk_alone(
    scene: Scene, editor: Neovim
) -> None:
    path = scene.path("many.txt")
    editor.edit(path)
    ticket = done(editor, "sed -i -e 's/line 5$/LINE 5/' -e 's/line 30$/LINE 30/' many.txt")
    accept_all(editor, ticket)
    _type(editor, 5, "typed")
    view = applied(editor)
    assert view["state"] == "partlyApplied"
    assert len(view["conflicts"]) == 1
    assert editor.text(path) == MANY.replace("line 5\n", "typed\n").replace("line 30", "LINE 30")
    editor.until_notice("1 accepted hunk left out")
    editor.until(
        lambda: [line.split()[-1] for line in panel(editor) if "@5" in line] == ["conflict"],
        "the conflict in the panel",
    )


def test_what_the_user_has_typed_just_so_needs_no_change_and_the_panel_says_what_is_applied(
    scene: Scene, editor: Neovim
) -> None:
    editor.edit(scene.path("many.txt"))
    ticket = done(editor, "sed -i -e 's/line 5$/LINE 5/' -e 's/line 30$/LINE 30/' many.txt")
    accept_all(editor, ticket)
    _type(editor, 5, "LINE 5")
    assert applied(editor)["state"] == "applied"
    editor.until_notice("1 accepted hunk needed no change")
    editor.until(
        lambda: [line.split()[-1] for line in panel(editor) if "@30" in line] == ["applied"],
        "what is applied in the panel",
    )


def test_hunks_stay_at_their_text_while_the_user_types_above(scene: Scene, editor: Neovim) -> None:
    editor.edit(scene.path("many.txt"))
    ticket = done(editor, sed("s/line 30$/LINE 30/", "many.txt"))
    _type(editor, 1, "line 1\nmore".replace("\n", " "))
    editor.lua("vim.api.nvim_buf_set_lines(vim.fn.bufnr('many.txt$'), 0, 0, true, { 'a', 'b' })")
    accept_all(editor, ticket)
    row = f"{REVIEW}; return require('sennit.ui.marks').row(review.live, (next(review.live.ids)))"
    assert editor.lua(row) == 31
    editor.lua("vim.api.nvim_buf_set_lines(vim.fn.bufnr('many.txt$'), 0, 0, true, { 'c' })")
    assert editor.lua(row) == 32


def test_every_file_below_the_root_is_attached_whatever_its_type(
    scene: Scene, editor: Neovim
) -> None:
    ticket = done(editor, "true")
    assert ticket
    odd = editor.edit(scene.path("odd.name.without.a.type"))
    assert editor.lua("return vim.bo[...].filetype", odd) == ""
    attached = "return #vim.lsp.get_clients({ name = 'sennit', bufnr = ... })"
    assert editor.lua(attached, odd) == 1
    (scene.root / "outside.txt").write_text("outside\n")
    assert editor.lua(attached, editor.edit(scene.root / "outside.txt")) == 0


def test_a_new_file_counts_once_something_is_typed_into_it(scene: Scene, editor: Neovim) -> None:
    done(editor, "true")
    editor.edit(scene.path("new.txt"))
    empty = done(editor, "sh -c '[ ! -e new.txt ] && echo absent > seen'")
    assert [one["files"] for one in proposals(editor, empty)] == [1]
    editor.lua("vim.api.nvim_buf_set_lines(0, 0, -1, true, { 'typed' })")
    typed = dispatch(editor, [{"id": "see", "prompt": "sh -c 'cat new.txt > seen'"}])
    settled(editor, typed)
    (proposal,) = proposals(editor, typed)
    view = editor.ask("sennit/proposal", {"proposal": proposal["id"], "format": "patch"})
    assert "+typed" in view["patch"]
    assert not scene.path("new.txt").exists()


def test_the_users_own_undo_takes_an_edit_back_as_one_step(scene: Scene, editor: Neovim) -> None:
    path = scene.path("many.txt")
    buffer = editor.edit(path)
    _type(editor, 20, "typed")
    ticket = done(editor, "sed -i -e 's/line 5$/LINE 5/' -e 's/line 30$/LINE 30/' many.txt")
    accept_all(editor, ticket)
    applied(editor)
    editor.lua("vim.api.nvim_buf_call(..., function() vim.cmd('silent undo') end)", buffer)
    assert editor.text(path) == MANY.replace("line 20", "typed")
    view = editor.lua("return require('sennit.state').known.applications[1].id")
    back = editor.ask("sennit/undo", {"application": view})
    assert "alreadyUndone" in back["notices"][0]["message"]
