"""An editor, and files that git does not look for on the disk: the server brings them about."""

from __future__ import annotations

import pytest

from tests.e2e.desk import MakeDesk, states, told

pytestmark = pytest.mark.e2e

LINES = "one\ntwo\nthree\n"


@pytest.mark.parametrize("flag", ["--skip-worktree", "--assume-unchanged"])
def test_a_file_that_is_not_there_is_written_and_taken_away_by_the_server(
    desk: MakeDesk, flag: str
) -> None:
    made = desk({"away": LINES, "here": LINES})
    made.git("update-index", flag, "away")
    made.path("away").unlink()
    view = made.apply(made.changed("[sub(n, b'two', b'TWO') for n in ('away', 'here')]"))
    assert states(view) == {"away": "applied", "here": "applied"}
    assert made.path("away").read_text() == LINES.replace("two", "TWO")
    assert made.editor.text(made.path("here")) == LINES.replace("two", "TWO")
    undone = made.undo(view)
    assert states(undone) == {"away": "applied", "here": "applied"}
    assert not made.path("away").exists()
    assert made.editor.text(made.path("here")) == LINES


def test_an_editor_is_not_told_to_delete_or_rename_what_is_not_there(desk: MakeDesk) -> None:
    made = desk({"gone": LINES, "old": LINES.upper(), "here": LINES})
    ticket = made.changed("os.remove('gone'); os.rename('old', 'new'); sub('here', b'two', b'2')")
    made.git("update-index", "--skip-worktree", "gone", "old")
    for name in ("gone", "old"):
        made.path(name).unlink()
    view = made.apply(ticket)
    assert states(view) == {"gone": "failed", "new": "failed", "here": "applied"}
    assert told(view).count("git keeps it out of the work tree") > 1
    assert not made.path("new").exists()


def test_what_an_editor_deleted_comes_back_with_what_was_typed(desk: MakeDesk) -> None:
    made = desk({"goes": LINES, "old": LINES.upper()})
    made.git("update-index", "--assume-unchanged", "goes", "old")
    made.write("goes", LINES + "mine\n")
    made.write("old", LINES.upper() + "MINE\n")
    view = made.apply(made.changed("os.remove('goes'); os.rename('old', 'new')"))
    assert set(states(view).values()) == {"applied"}, view
    assert not made.path("goes").exists()
    assert set(states(made.undo(view)).values()) == {"applied"}
    assert made.editor.text(made.path("goes")) == LINES + "mine\n"
    assert made.editor.text(made.path("old")) == LINES.upper() + "MINE\n"
    assert not made.path("new").exists()
