"""``workspace/applyEdit``: exactly, as a whole or not at all, and told truly."""

from __future__ import annotations

import pytest

from tests.editors.neovim.desk import Desk, create, delete, fill, rename, text, uri


def test_everything_is_checked_before_anything_is_changed(desk: Desk) -> None:
    one = desk.scene.write("one", "1\n")
    desk.editor.edit(one)
    version = desk.editor.lua("return vim.lsp.util.buf_versions[0] or 0")
    index, reason = desk.refused(
        text(one, 0, "changed\n", None), text(desk.scene.path("none"), 0, "x\n")
    )
    assert (index, reason) == (1, "none does not exist")
    assert desk.editor.text(one) == "1\n"
    assert desk.editor.lua("return vim.lsp.util.buf_versions[0] or 0") == version
    assert not desk.editor.lua("return vim.bo.modified")


def test_an_error_in_the_middle_takes_everything_back(desk: Desk) -> None:
    opened, closed, gone, moved = (desk.scene.write(name, f"{name}\n") for name in "abcd")
    desk.editor.edit(opened)
    new, target, last = (desk.scene.path(name) for name in ("new", "e", "f"))
    desk.scene.write("f", "f\n")
    # The last write fails though every check was passed.
    desk.editor.lua(
        "local files = require('sennit.apply.files'); _G.write = files.write;"
        " files.write = function(path, bytes) if bytes:find('BOOM') then return 'disk full' end;"
        " return _G.write(path, bytes) end"
    )
    try:
        index, reason = desk.refused(
            text(opened, 0, "A\n"), text(closed, 0, "B\n"), delete(gone), rename(moved, target),
            create(new), fill(new, "new\n"), text(last, 0, "BOOM\n"),
        )  # fmt: skip
    finally:
        desk.editor.lua("require('sennit.apply.files').write = _G.write")
    assert (index, reason) == (6, "f: disk full")
    assert desk.editor.text(opened) == "a\n"
    assert not desk.editor.lua(
        "return vim.bo[require('sennit.paths').buffer(...)].modified", str(opened)
    )
    contents = {path.name: path.read_text() for path in desk.scene.repo.iterdir() if path.is_file()}
    assert contents == {name: f"{name}\n" for name in "abcdf"}
    assert desk.told()["applied"] is False


def test_an_edit_for_another_version_is_refused(desk: Desk) -> None:
    path = desk.scene.write("a", "1\n")
    desk.editor.edit(path)
    index, reason = desk.refused(text(path, 0, "x\n", 4711))
    assert index == 0
    assert "a has changed meanwhile" in reason
    assert "the edit is for 4711" in reason


def test_text_that_the_server_does_not_know_is_never_overwritten(desk: Desk) -> None:
    path = desk.scene.write("a", "1\n")
    desk.editor.edit(path)
    desk.editor.lua("vim.api.nvim_buf_set_lines(0, 0, -1, true, { 'mine' })")
    for change in (text(path, 0, "x\n"), delete(path), rename(path, desk.scene.path("b"))):
        _, reason = desk.refused(change)
        assert (
            "open with text that the server does not know" in reason or "unsaved changes" in reason
        )
    assert desk.editor.text(path) == "mine\n"
    assert path.read_text() == "1\n"


def test_a_buffer_that_is_not_modifiable_is_refused(desk: Desk) -> None:
    path = desk.scene.write("a", "1\n")
    desk.editor.edit(path)
    desk.editor.command("setlocal nomodifiable")
    assert desk.refused(text(path, 0, "x\n")) == (0, "a is not modifiable (`:set modifiable`)")


def test_a_file_that_cannot_be_written_is_refused(desk: Desk) -> None:
    path = desk.scene.write("a", "1\n")
    path.chmod(0o444)
    assert desk.refused(text(path, 0, "x\n")) == (0, "a is read-only")


def test_an_existing_file_is_not_created_anew_nor_renamed_onto(desk: Desk) -> None:
    one, other = desk.scene.write("one", "1\n"), desk.scene.write("other", "2\n")
    for changes in ((create(one), fill(one, "x\n")), (rename(one, other),)):
        index, reason = desk.refused(*changes)
        assert index == 0
        assert "exists already" in reason
    assert (one.read_text(), other.read_text()) == ("1\n", "2\n")


@pytest.mark.parametrize(
    ("place", "reason"),
    [
        ((7, 0, 8, 0), "lies outside"),
        ((0, 9, 1, 0), "lies outside"),
        ((1, 0, 0, 0), "lies outside"),
    ],
)
def test_a_range_that_is_not_there_is_refused_and_not_clamped(
    desk: Desk, place: tuple[int, ...], reason: str
) -> None:
    path = desk.scene.write("a", "1\n")
    change = text(path, 0, "x\n")
    change["edits"][0]["range"] = {
        "start": {"line": place[0], "character": place[1]},
        "end": {"line": place[2], "character": place[3]},
    }
    assert reason in desk.refused(change)[1]


def test_what_is_no_file_is_refused(desk: Desk) -> None:
    change = {"textDocument": {"uri": "untitled:x", "version": None}, "edits": []}
    assert desk.refused(change) == (0, "untitled:x is no file")


def test_one_undo_takes_an_edit_back_over_all_its_files(desk: Desk) -> None:
    opened, closed, gone = (desk.scene.write(name, f"{name}\n") for name in "abc")
    new = desk.scene.path("new")
    desk.editor.edit(opened)
    answer = desk.apply(
        text(opened, 0, "A\n"),
        text(closed, 0, "B\n"),
        delete(gone),
        create(new),
        fill(new, "new\n"),
    )
    assert answer == {"applied": True}
    assert (desk.editor.text(opened), closed.read_text()) == ("A\n", "B\n")
    assert new.read_text() == "new\n"
    desk.editor.forget_notices()
    desk.editor.sennit("undo!")
    assert "was taken back" in desk.editor.notices()[0]
    assert (desk.editor.text(opened), closed.read_text(), gone.read_text()) == ("a\n", "b\n", "c\n")
    assert not new.exists()


def test_that_undo_refuses_where_somebody_wrote_since(desk: Desk) -> None:
    path = desk.scene.write("a", "1\n")
    desk.apply(text(path, 0, "2\n"))
    path.write_text("mine\n")
    desk.editor.sennit("undo!")
    desk.editor.until_notice("a has changed since")
    assert path.read_text() == "mine\n"


def test_what_an_edit_really_changed_is_reported(desk: Desk) -> None:
    path = desk.scene.write("a", "1\r\n2\r\n")
    desk.editor.edit(path)
    desk.apply(text(path, 0, "one\r\n"))
    told = desk.told()
    assert told["application"] == "a_test"
    assert told["applied"] is True
    (document,) = told["documents"]
    assert document["uri"] == uri(path)
    digest = desk.editor.lua("return vim.fn.sha256(...)", "one\r\n2\r\n")
    assert document["sha256"] == digest


@pytest.mark.parametrize(("choice", "applied"), [("Apply", True), ("Leave", False), ("no", False)])
def test_what_needs_a_confirmation_is_asked_for(desk: Desk, choice: str, *, applied: bool) -> None:
    path = desk.scene.write("a", "1\n")
    desk.editor.forget_notices()
    desk.editor.choose(choice)
    annotations = {"x": {"label": "delete 1 file", "needsConfirmation": True}}
    answer = desk.apply(text(path, 0, "2\n"), changeAnnotations=annotations)
    assert answer["applied"] is applied
    assert "delete 1 file" in desk.editor.asked()[0]["prompt"]
    assert path.read_text() == ("2\n" if applied else "1\n")
    desk.editor.lua("_G.choices = {}")


def test_many_edits_of_a_large_file_are_quick(desk: Desk) -> None:
    path = desk.scene.write("a", "".join(f"{n}\n" for n in range(20_000)))
    desk.editor.edit(path)
    changes = text(path, 0, "")
    changes["edits"] = [text(path, n, f"changed {n}\n")["edits"][0] for n in range(0, 20_000, 4)]
    took = desk.editor.lua("return vim.uv.now()")
    assert desk.apply(changes)["applied"] is True
    took = desk.editor.lua("vim.uv.update_time(); return vim.uv.now()") - took
    changed = "".join(f"{n}\n" if n % 4 else f"changed {n}\n" for n in range(20_000))
    assert desk.editor.text(path) == changed
    assert took < 3000


def test_marks_beside_an_edit_stay_where_they_are(desk: Desk) -> None:
    path = desk.scene.write("a", "".join(f"{n}\n" for n in range(10)))
    desk.editor.edit(path)
    mark = desk.editor.lua(
        "_G.space = vim.api.nvim_create_namespace('test');"
        " return vim.api.nvim_buf_set_extmark(0, _G.space, 6, 0, {})"
    )
    desk.apply(text(path, 1, "1\nmore\nlines\n"))
    assert desk.editor.lua(
        "return vim.api.nvim_buf_get_extmark_by_id(0, _G.space, ..., {})", mark
    ) == [8, 0]
