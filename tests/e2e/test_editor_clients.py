"""Editors that cannot do everything: what becomes of the rest, and in which positions."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from attrs import evolve

from tests.e2e.desk import Desk, new_desk, start, states, told
from tests.e2e.editor import BARE, REVIEWS, Abilities

pytestmark = pytest.mark.e2e
LINES = "one\ntwo\nthree\nfour\nfive\nsix\n"
DONE = LINES.replace("two", "TWO")
TWO = "sub('a', b'two', b'TWO')"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
def test_positions_count_what_was_agreed(encoding: str, tmp_path: Path) -> None:
    abilities = evolve(REVIEWS, encodings=(encoding,))
    with start(abilities, tmp_path / "m") as editor:
        assert editor.encoding == encoding
        made = new_desk(editor, tmp_path / "repo", {"a": "é𝄞 a 𝄞b\nx\n", "b": "𝄞\n"})
        uri = editor.open(made.path("a"))
        editor.type(uri, "a", "𝄞é")
        made_by = "sub('a', '𝄞b'.encode(), 'é𝄞B𝄞'.encode()); w('b', '𝄞é𝄞\\n'.encode())"
        assert set(states(made.apply(made.changed(made_by))).values()) == {"applied"}
        assert editor.buffers[uri].text == "é𝄞 𝄞é é𝄞B𝄞\nx\n"
        assert editor.text(made.path("b")) == "𝄞é𝄞\n"


NO_DOCUMENT_CHANGES = evolve(BARE, document_changes=False, operations=(), annotations=False)
NO_OPERATIONS = evolve(BARE, operations=(), annotations=False)
MOVES = f"{TWO}; w('made', b'made\\n'); os.remove('gone'); os.rename('old', 'new')"


@pytest.mark.parametrize(
    "abilities", [NO_DOCUMENT_CHANGES, NO_OPERATIONS], ids=["no documentChanges", "no operations"]
)
def test_what_the_editor_cannot_do_is_written_with_consent(
    bare: Callable[..., Desk], abilities: Abilities
) -> None:
    made = bare(abilities, gone="gone\n", old=LINES * 3)
    made.editor.open(made.path("a"))
    made.editor.habits.chooses = lambda _: "Allow"
    view = made.apply(made.changed(MOVES))
    assert set(states(view).values()) == {"applied"}, view
    assert "create, delete or rename" in made.editor.asked[0]["message"]
    (edit,) = made.editor.edits
    assert ("changes" in edit["edit"]) is (not abilities.document_changes)
    assert made.editor.text(made.path("a")) == DONE
    assert made.path("made").read_text() == "made\n"
    assert made.path("new").read_text() == LINES * 3
    assert not made.path("gone").exists()


def test_what_the_editor_cannot_do_is_left_alone_without_consent(
    bare: Callable[..., Desk],
) -> None:
    made = bare(NO_OPERATIONS, gone="gone\n", old=LINES * 3)
    view = made.apply(made.changed(MOVES))
    assert view["state"] == "partlyApplied"
    assert states(view)["a"] == "applied"
    assert "did not let the server" in told(view)
    assert made.path("gone").read_text() == "gone\n"
    assert made.path("old").read_text() == LINES * 3
    assert not made.path("made").exists()


def test_open_files_that_the_editor_cannot_rename_are_left_alone(
    bare: Callable[..., Desk],
) -> None:
    made = bare(NO_OPERATIONS, old=LINES * 3)
    made.editor.open(made.path("old"))
    made.editor.habits.chooses = lambda _: "Allow"
    view = made.apply(made.changed(f"{TWO}; os.rename('old', 'new')"))
    assert states(view) == {"a": "applied", "new": "failed"}
    assert "Close it there" in told(view)
    assert made.path("old").exists()


@pytest.mark.parametrize("reports", [True, False])
def test_an_edit_names_its_application_to_a_client_that_reports_what_it_did(
    tmp_path: Path,
    reports: bool,  # noqa: FBT001  a parameter of the test
) -> None:
    words = {"clientId": "scripted", "review": True, "applyReport": reports}
    with start(evolve(REVIEWS, sennit=words), tmp_path / "m") as editor:
        made = new_desk(editor, tmp_path / "repo", {"a": LINES})
        editor.open(made.path("a"))
        view = made.apply(made.changed(TWO))
        assert states(view) == {"a": "applied"}
        named = {"application": view["id"]} if reports else None
        assert editor.edits[0].get("sennit") == named
