"""Folders that an editor leaves empty behind."""

from __future__ import annotations

import pytest

from tests.e2e.desk import MakeDesk, states, told

pytestmark = pytest.mark.e2e


def test_a_file_comes_back_in_the_place_of_the_folder_that_an_editor_left(desk: MakeDesk) -> None:
    made = desk({"a": "1\n"})
    gone = made.apply(made.changed("os.unlink('a')"))
    there = made.apply(made.changed("w('a/in', b'2\\n')"))
    for uri in list(made.editor.buffers):
        made.editor.save(uri)
        made.editor.close(uri)
    made.undo(there)
    assert made.path("a").is_dir()
    undone = made.undo(gone)
    assert states(undone) == {"a": "applied"}, told(undone)
    assert made.path("a").read_text() == "1\n"
