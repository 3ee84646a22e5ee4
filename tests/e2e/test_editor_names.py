"""What no editor can be trusted with the server writes: odd encodings and names of closed files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.desk import Desk, new_desk, start, states
from tests.e2e.editor import REVIEWS, Editor

pytestmark = pytest.mark.e2e
LINES = "one\ntwo\nthree\n"
WIDE = LINES.encode("utf-16")


@pytest.fixture
def editor(tmp_path: Path) -> Iterator[Editor]:
    with start(REVIEWS, tmp_path / "machine", tmp_path / "repo") as made:
        yield made


def made_with(editor: Editor, tmp_path: Path, files: dict[str | bytes, bytes | str]) -> Desk:
    return new_desk(editor, tmp_path / "repo", files)


def test_a_closed_file_in_another_encoding_is_written_by_the_server_and_taken_back(
    editor: Editor, tmp_path: Path
) -> None:
    desk = made_with(editor, tmp_path, {"wide.txt": WIDE, "plain.txt": LINES})
    wider = LINES.replace("two", "TWO").encode("utf-16")
    view = desk.apply(desk.changed(f"w('wide.txt', {wider!r}); sub('plain.txt', b'two', b'TWO')"))
    assert states(view) == {"wide.txt": "applied", "plain.txt": "applied"}
    assert desk.path("wide.txt").read_bytes() == wider
    edited = str(editor.edits)
    assert ("plain.txt" in edited, "wide.txt" in edited) == (True, False)
    assert desk.undo(view)["state"] == "applied"
    assert desk.path("wide.txt").read_bytes() == WIDE
    assert editor.text(desk.path("plain.txt")) == LINES


def test_a_closed_file_whose_name_is_no_text_is_written_by_the_server(
    editor: Editor, tmp_path: Path
) -> None:
    odd, new = b"old\xfe.txt", b"new\xff.txt"
    desk = made_with(editor, tmp_path, {odd: LINES, "plain.txt": LINES})
    view = desk.apply(
        desk.changed(
            f"sub({odd!r}, b'two', b'TWO'); w({new!r}, b'n'); sub('plain.txt', b'two', b'TWO')"
        )
    )
    assert set(states(view).values()) == {"applied"}, view
    assert desk.path(odd).read_bytes() == LINES.replace("two", "TWO").encode()
    assert desk.path(new).read_bytes() == b"n"
    assert all("%F" not in str(edit) for edit in editor.edits)
    assert desk.undo(view)["state"] == "applied"
    assert (desk.path(odd).read_bytes(), desk.path(new).exists()) == (LINES.encode(), False)


def test_both_sides_of_a_renamed_file_can_be_read(editor: Editor, tmp_path: Path) -> None:
    desk = made_with(editor, tmp_path, {"old.txt": LINES * 20})
    ticket = desk.changed("os.rename('old.txt', 'new.txt'); sub('new.txt', b'two', b'TWO')")
    (proposal,) = desk.proposals(ticket)
    (file,) = editor.ask("sennit/proposal", {"proposal": proposal["id"]})["files"]
    keys = ("baseUri", "proposedUri")
    sides = [editor.ask("sennit/content", {"uri": file[key]})["text"] for key in keys]
    assert sides[0] == LINES * 20
    assert "TWO" in sides[1]
