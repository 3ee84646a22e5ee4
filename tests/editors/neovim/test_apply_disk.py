"""Edits of files that no buffer shows, and of files that get another name."""

from __future__ import annotations

import pytest

from tests.editors.neovim.desk import Desk, fill, rename, text
from tests.editors.neovim.scene import LINES, accept_all, applied, done, undone
from tests.editors.neovim.shared import Shared


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("one\ntwo\n".encode("utf-16"), "is UTF-16"),
        (b"\xfe\xff\0o\0\n", "is UTF-16"),
        ("one\n".encode("utf-32"), "is UTF-32"),
        (b"caf\xe9\nx\n", "is not valid UTF-8"),
        (b"\xed\xa0\x80\n", "is not valid UTF-8"),
        (b"a\0b\n", "holds NUL bytes"),
    ],
)
def test_bytes_that_are_no_utf_8_text_are_refused(desk: Desk, content: bytes, reason: str) -> None:
    path = desk.scene.write("a", content)
    index, said = desk.refused(fill(path, "zero\n"))
    assert index == 0
    assert f"a {reason}" in said
    assert path.read_bytes() == content


def test_a_byte_order_mark_and_every_length_of_utf_8_are_kept(desk: Desk) -> None:
    path = desk.scene.write("a", "\ufeffä€𝄞\nx\n".encode())
    assert desk.apply(text(path, 1, "y\n"))["applied"] is True
    assert path.read_bytes() == "\ufeffä€𝄞\ny\n".encode()


def test_a_file_that_changes_while_the_user_is_asked_is_refused(desk: Desk) -> None:
    path = desk.scene.write("a", "1\n")
    desk.editor.lua(
        "local path = ...; _G.ask_user = vim.ui.select; vim.ui.select = function(items, _, done)"
        " vim.fn.writefile({ 'mine' }, path); done(items[1], 1) end",
        str(path),
    )
    try:
        annotations = {"x": {"label": "change 1 file", "needsConfirmation": True}}
        answer = desk.apply(text(path, 0, "2\n"), changeAnnotations=annotations)
    finally:
        desk.editor.lua("vim.ui.select = _G.ask_user")
    assert answer["applied"] is False
    assert "a has changed on disk meanwhile" in answer["failureReason"]
    assert path.read_text() == "mine\n"


def test_a_file_that_changes_right_before_it_is_written_is_refused(desk: Desk) -> None:
    one, other = desk.scene.write("a", "1\n"), desk.scene.write("b", "1\n")
    desk.editor.lua(
        "local path = ...; local files = require('sennit.apply.files'); _G.write = files.write;"
        " files.write = function(...) files.write = _G.write;"
        " vim.fn.writefile({ 'mine' }, path); return _G.write(...) end",
        str(other),
    )
    index, reason = desk.refused(text(one, 0, "2\n"), text(other, 0, "2\n"))
    assert (index, reason) == (1, "b: it has changed on disk meanwhile; apply again")
    assert (one.read_text(), other.read_text()) == ("1\n", "mine\n")


@pytest.mark.parametrize("rename_first", [False, True])
def test_a_change_and_a_new_name_of_an_open_file_are_both_done(
    desk: Desk, *, rename_first: bool
) -> None:
    old, new = desk.scene.write("a", "1\n"), desk.scene.path("b")
    desk.editor.edit(old)
    if rename_first:
        answer = desk.apply(rename(old, new), text(new, 0, "2\n"))
    else:
        answer = desk.apply(text(old, 0, "2\n"), rename(old, new))
    assert answer == {"applied": True}
    assert desk.editor.text(new) == "2\n"
    assert not old.exists()
    desk.editor.command("write")
    assert new.read_text() == "2\n"


def test_the_edits_of_one_application_are_taken_back_as_one(desk: Desk) -> None:
    old, new = desk.scene.write("a", "1\n"), desk.scene.path("b")
    closed, moved = desk.scene.write("c", "1\n"), desk.scene.path("d")
    desk.editor.edit(old)
    assert desk.apply(text(old, 0, "2\n"), text(closed, 0, "2\n"))["applied"] is True
    assert desk.apply(rename(old, new), rename(closed, moved)) == {"applied": True}
    assert (desk.editor.text(new), moved.read_text()) == ("2\n", "2\n")
    desk.editor.forget_notices()
    desk.editor.sennit("undo!")
    assert "was taken back" in desk.editor.notices()[0]
    assert (desk.editor.text(old), old.read_text(), closed.read_text()) == ("1\n", "1\n", "1\n")
    assert not new.exists()
    assert not moved.exists()
    assert not desk.editor.lua("return vim.bo.modified")


def test_what_was_typed_into_our_text_keeps_the_file_from_being_renamed(desk: Desk) -> None:
    old, new = desk.scene.write("a", "1\n"), desk.scene.path("b")
    desk.editor.edit(old)
    desk.apply(text(old, 0, "2\n"))
    desk.editor.lua("vim.api.nvim_buf_set_lines(0, 1, 1, true, { 'mine' })")
    assert "unsaved changes" in desk.refused(rename(old, new))[1]


def test_other_language_servers_stay_with_a_buffer_that_is_renamed(desk: Desk) -> None:
    old, new = desk.scene.write("a", "1\n"), desk.scene.path("b")
    desk.editor.edit(old)
    desk.editor.lua(
        "local id = 0; vim.lsp.start({ name = 'other', cmd = function() return {"
        " request = function(_, _, done) id = id + 1; vim.schedule(function()"
        " done(nil, { capabilities = {} }) end); return true, id end,"
        " notify = function() return true end, is_closing = function() return false end,"
        " terminate = function() end } end })"
    )
    attached = "return #vim.lsp.get_clients({ name = 'other', bufnr = 0 })"
    desk.editor.until_lua(attached + " == 1")
    assert desk.apply(rename(old, new)) == {"applied": True}
    assert desk.editor.lua(attached) == 1


def test_a_change_with_a_new_name_is_applied_and_undone(shared: Shared) -> None:
    scene, editor = shared.scene, shared.editor
    scene.write("a.txt", LINES)
    scene.commit()
    editor.edit(scene.path("a.txt"))
    ticket = done(editor, "sh -c 'sed -i s/one/ONE/ a.txt; mv a.txt b.txt'")
    accept_all(editor, ticket)
    assert applied(editor)["state"] == "applied"
    assert editor.text(scene.path("b.txt")) == LINES.replace("one", "ONE")
    assert undone(editor)["state"] == "applied"
    assert editor.text(scene.path("a.txt")) == LINES
    assert not scene.path("b.txt").exists()
