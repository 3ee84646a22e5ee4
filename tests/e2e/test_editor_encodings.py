"""What saving a text cannot bring about is written by the server, or it is said who has to."""

from __future__ import annotations

import codecs

import pytest

from tests.e2e.desk import Desk, MakeDesk, states, told

pytestmark = pytest.mark.e2e

MARK = codecs.BOM_UTF8
LITTLE = codecs.BOM_UTF16_LE + "a\nb\n".encode("utf-16-le")
BIG = codecs.BOM_UTF16_BE + "a\nb\n".encode("utf-16-be")

CHANGES = {
    "mark goes": (MARK + b"a\n", b"a\n"),
    "mark comes": (b"a\n", MARK + b"a\n"),
    "mark alone": (b"", MARK),
    "with a mark": (None, MARK + b"a\n"),
    "as UTF-16": (None, LITTLE),
    "UTF-16 goes": (LITTLE, None),
    "to UTF-8": (LITTLE, b"a\nb\n"),
    "to UTF-16": (b"a\nb\n", LITTLE),
    "other end first": (LITTLE, BIG),
}


def on_disk(made: Desk, name: str) -> bytes | None:
    path = made.path(name)
    return path.read_bytes() if path.exists() else None


def test_marks_and_encodings_of_closed_files_arrive_and_can_be_undone(desk: MakeDesk) -> None:
    files: dict[str | bytes, bytes | str] = {
        name: was for name, (was, _) in CHANGES.items() if was is not None
    }
    made = desk({"other": "x\n", **files})
    after = {name: new for name, (_, new) in CHANGES.items()}
    code = f"[os.unlink(n) if t is None else w(n, t) for n, t in {after!r}.items()]"
    view = made.apply(made.changed(code))
    assert states(view) == dict.fromkeys(CHANGES, "applied"), told(view)
    assert {name: on_disk(made, name) for name in CHANGES} == after
    made.undo(view)
    assert {name: on_disk(made, name) for name in CHANGES} == {
        name: was for name, (was, _) in CHANGES.items()
    }


def test_a_closed_file_in_utf_16_is_renamed(desk: MakeDesk) -> None:
    made = desk({"a": LITTLE})
    view = made.apply(made.changed("os.rename('a', 'b')"))
    assert set(states(view).values()) == {"applied"}, told(view)
    assert (on_disk(made, "a"), on_disk(made, "b")) == (None, LITTLE)


def test_a_file_that_is_renamed_and_loses_its_mark_loses_it(desk: MakeDesk) -> None:
    made = desk({"a": MARK + b"one\ntwo\nthree\n"})
    code = "w('b', r('a')[3:]); os.unlink('a')"
    view = made.apply(made.changed(code))
    assert set(states(view).values()) == {"applied"}, told(view)
    assert (on_disk(made, "a"), on_disk(made, "b")) == (None, b"one\ntwo\nthree\n")


@pytest.mark.parametrize(("was", "new", "codec"), [
    (MARK + b"a\n", b"a\n", "utf-8-sig"),
    (b"a\n", MARK + b"a\n", "utf-8"),
    (LITTLE, b"a\nb\n", "utf-16"),
    (LITTLE, BIG, "utf-16"),
], ids=["mark goes", "mark comes", "to UTF-8", "other end first"])  # fmt: skip
def test_an_open_file_that_would_be_saved_otherwise_is_left_alone(
    desk: MakeDesk, was: bytes, new: bytes, codec: str
) -> None:
    made = desk({"a": was})
    uri = made.editor.open(made.path("a"), codec=codec)
    text = made.editor.buffers[uri].text
    view = made.apply(made.changed(f"w('a', {new!r})"))
    assert states(view) == {"a": "failed"}
    assert "is open in your editor, which cannot carry this change" in told(view)
    assert (on_disk(made, "a"), made.editor.buffers[uri].text) == (was, text)
