"""Disks on which every file is a program, as git is told by ``core.fileMode``."""

from __future__ import annotations

import pytest

from tests.e2e.desk import Desk, MakeDesk, states, told

pytestmark = pytest.mark.e2e

BEFORE = "one\ntwo\nthree\n"
PROGRAM = 0o755


def on_such_a_disk(desk: MakeDesk) -> Desk:
    made = desk({"a": BEFORE, "gone": "x\n", "tool": BEFORE})
    made.git("config", "core.fileMode", "false")
    for name in ("a", "gone", "tool"):
        made.path(name).chmod(PROGRAM)
    return made


def bits(made: Desk, name: str) -> int:
    return made.path(name).stat().st_mode & 0o777


@pytest.mark.parametrize("target", ["disk", "editor"])
def test_changes_arrive_and_can_be_undone(desk: MakeDesk, target: str) -> None:
    made = on_such_a_disk(desk)
    ticket = made.changed("sub('a', b'two', b'2'); os.unlink('gone'); w('new', b'n\\n')")
    view = made.apply(ticket, target)
    assert set(states(view).values()) == {"applied"}, told(view)
    assert made.editor.text(made.path("a")) == BEFORE.replace("two", "2")
    assert not made.path("gone").exists()
    assert bits(made, "a") == PROGRAM
    undone = made.undo(view)
    assert set(states(undone).values()) == {"applied"}, told(undone)
    assert made.editor.text(made.path("a")) == BEFORE
    assert made.editor.text(made.path("gone")) == "x\n"
    assert not made.path("new").exists()


def test_a_new_program_is_there_when_it_is_applied_again_and_can_be_undone(
    desk: MakeDesk,
) -> None:
    made = on_such_a_disk(desk)
    ticket = made.changed("w('run', b'#!/bin/sh\\n'); os.chmod('run', 0o755)")
    view = made.apply(ticket, "disk")
    assert states(view) == {"run": "applied"}, told(view)
    assert bits(made, "run") & 0o111
    again = made.apply(ticket, "disk")
    assert told(again).startswith("alreadyPresent: ")
    undone = made.undo(view)
    assert states(undone) == {"run": "applied"}, told(undone)
    assert not made.path("run").exists()
