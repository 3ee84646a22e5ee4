"""What git makes of a file may not be what was written; taking that back is exact anyway."""

from __future__ import annotations

import pytest

from tests.e2e.desk import Desk, MakeDesk, states, told

pytestmark = pytest.mark.e2e

BEFORE = b"one\ntwo\nthree\n"
CODE = r"""
w('.gitattributes', b'* -text\n')
w('new', b'1\r\n2\r\n')
sub('a', b'two\n', b'2\r\n')
"""


def without_the_rules(desk: MakeDesk) -> tuple[Desk, str]:
    """Accept files with CR, but not the rule under which git keeps them so."""
    made = desk({"a": BEFORE})
    made.git("config", "core.autocrlf", "input")
    ticket = made.dispatch(made.task(CODE))
    (proposal,) = made.proposals(ticket)
    choices = [
        {"decision": "accepted", "files": [made.path(name).as_uri() for name in ("a", "new")]}
    ]
    named = {"proposal": proposal["id"], "revision": proposal["revision"]}
    made.editor.ask("sennit/decide", {**named, "choices": choices})
    return made, ticket


def save_all(made: Desk) -> None:
    for uri in list(made.editor.buffers):
        made.editor.save(uri)
        made.editor.close(uri)


@pytest.mark.parametrize("target", ["disk", "editor"])
def test_files_that_git_reads_otherwise_are_taken_back(desk: MakeDesk, target: str) -> None:
    made, ticket = without_the_rules(desk)
    view = made.apply(ticket, target)
    assert set(states(view).values()) == {"applied"}, told(view)
    save_all(made)
    assert made.path("a").read_bytes() == b"one\n2\r\nthree\n"
    undone = made.undo(view)
    assert set(states(undone).values()) == {"applied"}, told(undone)
    save_all(made)
    assert made.path("a").read_bytes() == BEFORE
    assert not made.path("new").exists()


def test_what_was_written_into_such_a_file_since_stays(desk: MakeDesk) -> None:
    made, ticket = without_the_rules(desk)
    view = made.apply(ticket, "disk")
    made.write("new", b"1\r\n2\r\nmine\r\n")
    undone = made.undo(view)
    assert states(undone) == {"a": "applied", "new": "failed"}, told(undone)
    assert made.path("new").read_bytes() == b"1\r\n2\r\nmine\r\n"
