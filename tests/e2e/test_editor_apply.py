"""Applying to an editor that behaves: every kind of file arrives exactly, the rest says why not."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.e2e.desk import MakeDesk, states, told
from tests.e2e.editor import Habits, uri_of

pytestmark = pytest.mark.e2e


LINES = "one\ntwo\nthree\nfour\nfive\nsix\n"


def test_unopened_saved_and_unsaved_files_arrive_in_one_edit(desk: MakeDesk) -> None:
    made = desk({"unopened": LINES, "saved": LINES, "unsaved": LINES, "other": LINES})
    made.editor.open(made.path("saved"))
    uri = made.editor.open(made.path("unsaved"))
    made.editor.type(uri, "one", "mine")
    ticket = made.changed("[sub(n, b'four', b'FOUR') for n in ('unopened', 'saved', 'unsaved')]")
    view = made.apply(ticket)
    assert states(view) == {"saved": "applied", "unopened": "applied", "unsaved": "applied"}
    assert len(made.editor.edits) == 1
    texts = {name: made.editor.text(made.path(name)) for name in ("unopened", "saved", "unsaved")}
    assert texts["unopened"] == texts["saved"] == LINES.replace("four", "FOUR")
    assert texts["unsaved"] == LINES.replace("one", "mine").replace("four", "FOUR")
    assert made.path("unopened").read_text() == LINES
    assert made.path("other").read_text() == LINES


TEXTS = {
    "CRLF": (b"a\r\nb\r\nc\r\n", b"a\r\nB\r\nc\r\n"),
    "no final newline": (b"a\nb", b"a\nB"),
    "final newline added": (b"a\nb", b"a\nb\n"),
    "final newline removed": (b"a\nb\n", b"a\nb"),
    "mixed endings": (b"a\r\nb\nc\r\n", b"a\r\nB\nc\r\n"),
    "was empty": (b"", b"text\n"),
    "becomes empty": (b"text\n", b""),
    "beyond 16 bits": ("𝄞𝄞 x\né\n".encode(), "𝄞y𝄞 x\né!\n".encode()),
    "byte-order mark": (b"\xef\xbb\xbfa\nb\n", b"\xef\xbb\xbfa\nB\n"),
    "tabs and form feeds": (b"\ta\x0c\nb\x0b\n", b"\tA\x0c\nb\x0b\n"),
}


@pytest.mark.parametrize("opened", [True, False], ids=["open", "unopened"])
def test_texts_of_every_kind_arrive_exactly(desk: MakeDesk, opened: bool) -> None:  # noqa: FBT001  a parameter of the test
    names = {f"{name}.txt": pair for name, pair in TEXTS.items()}
    made = desk({name: before for name, (before, _) in names.items()})
    if opened:
        for name in names:
            made.editor.open(made.path(name))
    after = {name: new for name, (_, new) in names.items()}
    view = made.apply(made.changed(f"[w(n, t) for n, t in {after!r}.items()]"))
    assert set(states(view).values()) == {"applied"}, view
    for name, (_, new) in names.items():
        assert made.editor.text(made.path(name)) == new.decode(), name


def test_a_mark_that_the_editor_keeps_to_itself_stays_its_own(desk: MakeDesk) -> None:
    made = desk({"a": b"\xef\xbb\xbfa\nb\n"})
    uri = made.editor.open(made.path("a"), codec="utf-8-sig")
    view = made.apply(made.changed("sub('a', b'b', b'B')"))
    assert states(view) == {"a": "applied"}
    assert made.editor.buffers[uri].text == "a\nB\n"


@pytest.mark.parametrize("opened", [True, False], ids=["open", "unopened"])
def test_line_endings_that_git_would_change_stay_in_all_other_lines(
    desk: MakeDesk,
    opened: bool,  # noqa: FBT001  a parameter of the test
) -> None:
    made = desk({".gitattributes": "* text=auto\n", "a": "one\ntwo\nthree\n"})
    path = made.write("a", "one\r\ntwo\r\nthree\r\n")
    if opened:
        made.editor.open(path)
    view = made.apply(made.changed("sub('a', b'two', b'2\\n2b')"))
    assert states(view) == {"a": "applied"}
    assert made.editor.text(path) == "one\r\n2\r\n2b\r\nthree\r\n"


def test_latin_1_arrives_where_the_editor_has_told_the_encoding(desk: MakeDesk) -> None:
    made = desk({"a": "é\nb\n".encode("latin-1")})
    uri = made.editor.open(made.path("a"), codec="latin-1")
    ticket = made.changed("sub('a', b'b', b'\\xdf')")
    refused = made.apply(ticket)
    assert states(refused) == {"a": "failed"}
    assert "encoding is not known" in told(refused)
    assert made.editor.buffers[uri].text == "é\nb\n"
    made.editor.notify("sennit/documentInfo", {"uri": uri, "encoding": "latin-1"})
    assert states(made.apply(ticket)) == {"a": "applied"}
    assert made.editor.buffers[uri].text == "é\nß\n"


def test_files_are_created_deleted_and_renamed_by_the_editor(desk: MakeDesk) -> None:
    made = desk({"gone": LINES, "old": LINES, "open-gone": "x\n", "open-old": LINES * 2})
    made.editor.open(made.path("open-gone"))
    made.editor.open(made.path("open-old"))
    view = made.apply(
        made.changed(
            "os.remove('gone'); os.remove('open-gone'); os.makedirs('d');"
            "os.rename('old', 'd/new'); os.rename('open-old', 'd/open-new');"
            "w('d/made', b'made\\n'); w('empty', b'')"
        )
    )
    assert set(states(view).values()) == {"applied"}, view
    assert len(made.editor.edits) == 1
    assert not made.path("gone").exists()
    assert not made.path("old").exists()
    assert made.path("d/new").read_text() == LINES
    assert made.editor.buffers[uri_of(made.path("d/open-new"))].text == LINES * 2
    assert made.editor.text(made.path("d/made")) == "made\n"
    assert made.path("empty").read_bytes() == b""


@pytest.mark.parametrize("opened", [True, False], ids=["open", "unopened"])
def test_a_rename_with_a_change_takes_two_rounds(desk: MakeDesk, opened: bool) -> None:  # noqa: FBT001  a parameter of the test
    made = desk({"old": LINES * 3, "other": LINES})
    if opened:
        uri = made.editor.open(made.path("old"))
        made.editor.type(uri, "one", "mine")
    view = made.apply(
        made.changed(
            "os.rename('old', 'new'); sub('new', b'four', b'FOUR'); sub('other', b'six', b'SIX')"
        )
    )
    assert set(states(view).values()) == {"applied"}, view
    first, second = (edit["edit"]["documentChanges"] for edit in made.editor.edits)
    assert [one.get("kind") for one in first] == ["rename"]
    assert {one.get("kind") for one in second} == {None}
    wanted = (LINES * 3).replace("four", "FOUR")
    if opened:
        wanted = wanted.replace("one", "mine", 1)
    assert made.editor.text(made.path("new")) == wanted
    assert made.editor.text(made.path("other")) == LINES.replace("six", "SIX")
    undone = made.undo(view)
    assert set(states(undone).values()) == {"applied"}, undone
    assert made.editor.text(made.path("old")) == wanted.replace("FOUR", "four")
    assert not made.path("new").exists()


def test_another_file_takes_the_place_of_a_renamed_one(desk: MakeDesk) -> None:
    made = desk({"a": LINES * 3})
    view = made.apply(made.changed("os.rename('a', 'b'); w('a', b'another\\n')"))
    assert set(states(view).values()) == {"applied"}, view
    assert made.editor.text(made.path("b")) == LINES * 3
    assert made.editor.text(made.path("a")) == "another\n"


def test_what_no_edit_carries_is_written_by_the_server(desk: MakeDesk) -> None:
    made = desk({"binary": b"\0\1", "run": "#!/bin/sh\n", "text": LINES, "target": "t\n"})
    made.path("link").symlink_to("target")
    made.commit()
    code = (
        "w('binary', b'\\0\\2'); os.chmod('run', 0o755); os.remove('link');"
        "os.symlink('text', 'link'); sub('text', b'two', b'TWO')"
    )
    view = made.apply(made.changed(code))
    assert set(states(view).values()) == {"applied"}, view
    assert made.path("binary").read_bytes() == b"\0\2"
    assert os.access(made.path("run"), os.X_OK)
    assert made.path("link").readlink() == Path("text")
    assert made.editor.text(made.path("text")) == LINES.replace("two", "TWO")
    made.undo(view)
    assert made.path("binary").read_bytes() == b"\0\1"
    assert made.path("link").readlink() == Path("target")


def test_an_open_binary_file_is_left_alone_with_the_reason(desk: MakeDesk) -> None:
    made = desk({"binary": b"\0\1", "text": LINES})
    made.editor.open(made.path("binary"), text="shown somehow")
    view = made.apply(made.changed("w('binary', b'\\0\\2'); sub('text', b'two', b'TWO')"))
    assert view["state"] == "partlyApplied"
    assert states(view)["text"] == "applied"
    assert made.path("binary").read_bytes() == b"\0\1"
    assert told(view)


def test_read_only_files_and_files_in_the_way_are_left_alone(desk: MakeDesk) -> None:
    made = desk({"locked": LINES, "text": LINES, ".gitignore": "ignored\n"})
    made.path("locked").chmod(0o444)
    ticket = made.changed(
        "os.chmod('locked', 0o644); sub('locked', b'two', b'TWO'); sub('text', b'two', b'TWO');"
        "w('.gitignore', b''); w('ignored', b'new\\n')"
    )
    made.write("ignored", "the user's own\n")
    view = made.apply(ticket)
    assert view["state"] == "partlyApplied"
    assert {path for path, state in states(view).items() if state == "failed"} == {
        "ignored", "locked",
    }  # fmt: skip
    assert "read-only" in told(view)
    assert made.path("ignored").read_text() == "the user's own\n"
    assert made.path("locked").read_text() == LINES


def test_a_file_that_is_open_does_not_become_a_folder(desk: MakeDesk) -> None:
    made = desk({"a": "1\n", "b": "x\n"})
    made.editor.open(made.path("a"))
    code = "os.unlink('a'); w('a/in', b'1\\n2\\n3\\n'); sub('b', b'x', b'y')"
    view = made.apply(made.changed(code))
    assert states(view) == {"a": "failed", "a/in": "failed", "b": "applied"}
    assert "a is open in your editor" in told(view)
    assert made.path("a").read_text() == "1\n"


def test_a_file_becomes_a_folder_and_back(desk: MakeDesk) -> None:
    made = desk({"a": LINES, "b": LINES})
    view = made.apply(made.changed("os.remove('a'); w('a/b', b'inside\\n')"))
    assert set(states(view).values()) == {"applied"}, view
    assert made.path("a/b").read_text() == "inside\n"
    made.undo(view)
    assert made.path("a").read_text() == LINES


NAMES = [b"a b", "ü 🎉".encode(), b"\xff\xfe", b"new\nline", b"50%25#?;x", b"d'\"\\e", b"-x"]


@pytest.mark.parametrize("opened", [True, False], ids=["open", "unopened"])
def test_names_of_every_kind_arrive(desk: MakeDesk, opened: bool) -> None:  # noqa: FBT001  a parameter of the test
    made = desk(dict.fromkeys(NAMES, LINES))
    if opened:
        for name in NAMES:
            made.editor.open(made.path(name))
    view = made.apply(made.changed(f"[sub(n, b'two', b'TWO') for n in {NAMES!r}]"))
    assert len(view["files"]) == len(NAMES)
    assert set(states(view).values()) == {"applied"}, view
    assert {made.editor.text(made.path(name)) for name in NAMES} == {LINES.replace("two", "TWO")}


def test_a_file_that_is_open_under_two_names_is_left_alone(desk: MakeDesk) -> None:
    made = desk({"a b": LINES, "c": LINES})
    made.editor.open(made.path("a b"))
    made.editor.open(made.path("a b"), uri=uri_of(made.path("a b")).replace("%20", " "))
    view = made.apply(made.changed("sub('a b', b'two', b'TWO'); sub('c', b'two', b'TWO')"))
    assert states(view) == {"a b": "failed", "c": "applied"}
    assert "open twice" in told(view)


def test_documents_that_are_no_files_change_nothing(desk: MakeDesk) -> None:
    made = desk({"a": LINES})
    for uri in ("untitled:Untitled-1", "git:/a?x", "file://[", "file:///a%00b", "https://e/a"):
        made.editor.open(made.path("a"), uri=uri, text="not a file")
    assert states(made.apply(made.changed("sub('a', b'two', b'TWO')"))) == {"a": "applied"}


def test_a_link_is_renamed(desk: MakeDesk) -> None:
    made = desk({"a": "x\n"})
    made.path("link").symlink_to("a")
    made.commit()
    view = made.apply(made.changed("os.rename('link', 'other')"))
    assert set(states(view).values()) == {"applied"}, view
    assert made.path("other").readlink() == Path("a")


def test_a_link_that_is_open_shows_its_target(desk: MakeDesk) -> None:
    made = desk({"target": LINES})
    made.path("link").symlink_to("target")
    made.commit()
    uri = made.editor.open(made.path("link"))
    made.editor.type(uri, "one", "mine")
    view = made.apply(made.changed("sub('target', b'four', b'FOUR')"))
    assert states(view) == {"target": "applied"}
    assert made.editor.buffers[uri].text == LINES.replace("one", "mine").replace("four", "FOUR")


def test_a_moved_head_holds_everything_until_it_is_confirmed(desk: MakeDesk) -> None:
    made = desk({"a": LINES})
    ticket = made.changed("sub('a', b'two', b'TWO')")
    made.git("commit", "-q", "--allow-empty", "-m", "elsewhere")
    error = made.editor.refusal("sennit/apply", {"ticket": ticket, "target": "editor"})
    assert error["data"] == {"reason": "headMoved"}
    assert made.editor.edits == []
    held = made.editor.ask("sennit/preview", {"ticket": ticket})["held"]
    assert "HEAD" in held[0]["message"]
    assert states(made.apply(ticket, confirmMoved=True)) == {"a": "applied"}


def test_an_overlapping_edit_makes_its_unit_a_conflict_and_no_other(desk: MakeDesk) -> None:
    made = desk({"a": LINES})
    uri = made.editor.open(made.path("a"))
    ticket = made.changed("sub('a', b'one', b'ONE'); sub('a', b'six', b'SIX')")
    made.editor.type(uri, "one", "mine")
    view = made.apply(ticket)
    assert view["state"] == "partlyApplied"
    assert len(view["conflicts"]) == 1
    assert made.editor.buffers[uri].text == LINES.replace("one", "mine").replace("six", "SIX")


def test_what_the_user_wrote_already_is_already_there(desk: MakeDesk) -> None:
    made = desk({"a": LINES})
    uri = made.editor.open(made.path("a"))
    ticket = made.changed("sub('a', b'two', b'TWO')")
    made.editor.type(uri, "two", "TWO")
    view = made.apply(ticket)
    assert (view["state"], len(view["alreadyThere"])) == ("applied", 1)
    assert made.editor.edits == []


def test_undo_keeps_what_was_typed_since(desk: MakeDesk) -> None:
    made = desk({"a": LINES})
    uri = made.editor.open(made.path("a"))
    view = made.apply(made.changed("sub('a', b'one', b'ONE'); sub('a', b'six', b'SIX')"))
    made.editor.type(uri, "three", "mine")
    assert states(made.undo(view)) == {"a": "applied"}
    assert made.editor.buffers[uri].text == LINES.replace("three", "mine")


def test_undo_leaves_only_what_was_typed_over(desk: MakeDesk) -> None:
    made = desk({"a": LINES})
    uri = made.editor.open(made.path("a"))
    view = made.apply(made.changed("sub('a', b'one', b'ONE'); sub('a', b'six', b'SIX')"))
    made.editor.type(uri, "ONE", "mine")
    undone = made.undo(view)
    assert (undone["state"], len(undone["conflicts"])) == ("partlyApplied", 1)
    assert made.editor.buffers[uri].text == LINES.replace("one", "mine")


def test_the_editors_own_undo_is_told_as_already_undone(desk: MakeDesk) -> None:
    made = desk({"a": LINES})
    uri = made.editor.open(made.path("a"))
    view = made.apply(made.changed("sub('a', b'two', b'TWO')"))
    made.editor.set_text(uri, LINES)
    undone = made.undo(view)
    assert undone["state"] == "applied"
    assert "alreadyUndone" in told(undone)
    assert len(made.editor.edits) == 1


def test_an_undo_can_be_undone(desk: MakeDesk) -> None:
    made = desk({"a": LINES})
    uri = made.editor.open(made.path("a"))
    undone = made.undo(made.apply(made.changed("sub('a', b'two', b'TWO')")))
    assert made.editor.buffers[uri].text == LINES
    made.undo(undone)
    assert made.editor.buffers[uri].text == LINES.replace("two", "TWO")


def test_the_editors_part_is_taken_back_when_the_disk_part_fails(desk: MakeDesk) -> None:
    made = desk({"a": LINES, "binary": b"\0\1"})
    uri = made.editor.open(made.path("a"))
    ticket = made.changed("sub('a', b'two', b'TWO'); w('binary', b'\\0\\2')")
    made.editor.habits = Habits(before=lambda: made.write("binary", b"\0somebody"))
    view = made.apply(ticket)
    assert view["state"] == "failed", view
    assert "taken back" in told(view)
    assert made.editor.buffers[uri].text == LINES
    assert made.path("binary").read_bytes() == b"\0somebody"


def test_taking_back_keeps_what_was_typed_meanwhile(desk: MakeDesk) -> None:
    made = desk({"a": LINES, "binary": b"\0\1"})
    uri = made.editor.open(made.path("a"))
    ticket = made.changed("sub('a', b'two', b'TWO'); w('binary', b'\\0\\2')")

    def once() -> None:
        made.editor.habits = Habits()
        made.write("binary", b"\0somebody")
        made.editor.type(uri, "six", "mine")

    made.editor.habits = Habits(after=once)
    view = made.apply(ticket)
    assert made.editor.buffers[uri].text == LINES.replace("six", "mine"), view
    assert states(view)["binary"] == "failed"


def test_a_preview_writes_nothing_and_says_what_would_happen(desk: MakeDesk) -> None:
    made = desk({"a": LINES, "binary": b"\0\1"})
    made.editor.open(made.path("a"))
    ticket = made.changed("sub('a', b'two', b'TWO'); w('binary', b'\\0\\2')")
    shown = made.editor.ask("sennit/preview", {"ticket": ticket})
    edits = shown["edits"][0]["documentChanges"]
    assert [one["textDocument"]["version"] for one in edits] == [1]
    assert [one["path"] for one in shown["rest"]] == ["binary"]
    assert made.path("binary").read_bytes() == b"\0\1"


def test_the_disk_is_never_written_under_an_open_document(desk: MakeDesk) -> None:
    made = desk({"open": LINES, "closed": LINES})
    made.editor.open(made.path("open"))
    ticket = made.changed("[sub(n, b'two', b'TWO') for n in ('open', 'closed')]")
    view = made.apply(ticket, "disk")
    assert states(view) == {"closed": "applied", "open": "failed"}
    assert "open in your editor" in told(view)
    assert made.path("open").read_text() == LINES
    assert made.path("closed").read_text() == LINES.replace("two", "TWO")


def test_a_patch_touches_nothing(desk: MakeDesk) -> None:
    made = desk({"a": LINES})
    view = made.apply(made.changed("sub('a', b'two', b'TWO')"), "patch")
    assert "+TWO" in view["patch"]
    assert made.path("a").read_text() == LINES
