"""Editors that refuse, keep silent, type meanwhile, lose changes, or do half of an edit."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import pytest

from tests.e2e.desk import Desk, MakeDesk, new_desk, start, states, told
from tests.e2e.editor import REVIEWS, Editor, Habits, uri_of
from tests.wire_client import eventually

pytestmark = pytest.mark.e2e
LINES = "one\ntwo\nthree\nfour\nfive\nsix\n"
DONE = LINES.replace("two", "TWO")
TWO = "sub('a', b'two', b'TWO')"
SMALL_MESSAGES = "[limits]\nmessageBytes = 131072\n"


@pytest.fixture(scope="module")
def editor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Editor]:
    with start(REVIEWS, tmp_path_factory.mktemp("machine"), settings=SMALL_MESSAGES) as made:
        yield made


@pytest.fixture
def unheard(tmp_path: Path) -> Iterator[Desk]:
    """An editor from which the server waits for an answer long enough for it to do the edit."""
    with start(REVIEWS, tmp_path / "machine", answer_s=2) as made:
        yield new_desk(made, tmp_path / "repo", {"a": LINES, "b": b"\0\1"})


@pytest.mark.parametrize(("answer", "words"), [
    ("false", "did not apply the edit"), ("error", "out of sorts"),
])  # fmt: skip
def test_a_refusal_is_a_failure_and_nothing_is_written(
    desk: MakeDesk, answer: str, words: str
) -> None:
    made = desk({"a": LINES, "b": b"\0\1"})
    made.editor.habits = Habits(answer=answer)
    view = made.apply(made.changed(f"{TWO}; w('b', b'\\0\\2')"))
    assert view["state"] == "failed"
    assert words in told(view)
    assert made.path("b").read_bytes() == b"\0\1"
    assert made.editor.text(made.path("a")) == LINES


@pytest.mark.parametrize("answer", ["false", "error", "nonsense"])
def test_what_an_editor_did_counts_whatever_it_answers(desk: MakeDesk, answer: str) -> None:
    made = desk({"a": LINES, "b": b"\0\1"})
    uri = made.editor.open(made.path("a"))
    ticket = made.changed(f"{TWO}; w('b', b'\\0\\2')")
    made.editor.habits = Habits(answer=answer, does=True)
    view = made.apply(ticket)
    assert view["state"] == "applied", view
    assert states(view) == {"a": "applied", "b": "applied"}
    assert made.path("b").read_bytes() == b"\0\2"
    made.editor.habits = Habits()
    assert made.undo(view)["state"] == "applied"
    assert made.editor.buffers[uri].text == LINES
    assert made.path("b").read_bytes() == b"\0\1"


def test_what_was_done_in_part_before_a_refusal_is_one_application_and_can_be_undone(
    desk: MakeDesk,
) -> None:
    made = desk({"a": LINES, "b": LINES})
    uri = made.editor.open(made.path("a"))
    made.editor.open(made.path("b"))
    ticket = made.changed(f"{TWO}; sub('b', b'two', b'TWO')")
    made.editor.edits.clear()
    made.editor.habits = Habits(answer="false", does=True, parts=1)
    view = made.apply(ticket)
    assert states(view) == {"a": "applied", "b": "failed"}
    assert view["state"] == "partlyApplied"
    assert len(made.editor.edits) == 1
    made.editor.habits = Habits()
    assert made.undo(view)["state"] == "applied"
    assert made.editor.buffers[uri].text == LINES


def test_an_answer_that_is_none_says_nothing_of_what_was_done(desk: MakeDesk) -> None:
    made = desk({"a": LINES})
    uri = made.editor.open(made.path("a"))
    ticket = made.changed(TWO)
    made.editor.habits = Habits(answer="nonsense", tells="later")
    view = made.apply(ticket)
    assert view["state"] == "unknown"
    assert "makes no sense" in told(view)
    assert "NoneType" not in told(view)
    made.editor.catch_up()
    assert made.editor.buffers[uri].text == DONE
    assert eventually(lambda: made.proposals(ticket)[0]["application"] == "applied")


def test_a_refused_second_round_takes_the_first_one_back(desk: MakeDesk) -> None:
    made = desk({"old": LINES * 3})
    uri = made.editor.open(made.path("old"))
    ticket = made.changed("os.rename('old', 'new'); sub('new', b'four', b'FOUR')")

    def turn() -> None:
        made.editor.habits.answer = "false" if len(made.editor.edits) == 2 else "true"

    made.editor.habits = Habits(before=turn)
    view = made.apply(ticket)
    assert view["state"] == "failed", view
    assert "taken back" in told(view)
    assert made.editor.buffers[uri].text == LINES * 3
    assert made.path("old").exists()
    assert not made.path("new").exists()


def test_without_an_answer_it_is_unknown_until_the_text_tells(unheard: Desk) -> None:
    made = unheard
    uri = made.editor.open(made.path("a"))
    made.editor.habits = Habits(answer="none", tells="later")
    view = made.apply(made.changed(f"{TWO}; w('b', b'\\0\\2')"))
    assert view["state"] == "unknown"
    assert "did not answer within" in told(view)
    assert made.path("b").read_bytes() == b"\0\1"
    made.editor.catch_up()
    assert made.editor.buffers[uri].text == DONE
    assert len(made.editor.edits) == 1
    ticket = view["ticket"]
    settled = {"partlyApplied"}
    assert eventually(lambda: made.proposals(ticket)[0]["application"] in settled)


def test_an_editor_that_applies_and_does_not_answer_has_applied(unheard: Desk) -> None:
    made = unheard
    made.editor.open(made.path("a"))
    made.editor.habits = Habits(answer="none")
    assert states(made.apply(made.changed(TWO))) == {"a": "applied"}


def test_typing_meanwhile_makes_the_edit_anew_on_the_new_text(desk: MakeDesk) -> None:
    made = desk({"a": LINES})
    uri = made.editor.open(made.path("a"))

    def once() -> None:
        made.editor.habits.before = None
        made.editor.type(uri, "one\n", "zero\none\n")

    made.editor.habits = Habits(before=once)
    view = made.apply(made.changed(TWO))
    assert states(view) == {"a": "applied"}
    assert made.editor.buffers[uri].text == "zero\n" + DONE
    assert len(made.editor.edits) == 2


def test_typing_over_a_unit_meanwhile_leaves_that_unit_out(desk: MakeDesk) -> None:
    made = desk({"a": LINES})
    uri = made.editor.open(made.path("a"))

    def once() -> None:
        made.editor.habits.before = None
        made.editor.type(uri, "two", "mine")

    made.editor.habits = Habits(before=once)
    view = made.apply(made.changed(f"{TWO}; sub('a', b'six', b'SIX')"))
    assert (view["state"], len(view["conflicts"])) == ("partlyApplied", 1)
    assert made.editor.buffers[uri].text == LINES.replace("two", "mine").replace("six", "SIX")


def test_typing_without_end_ends_in_a_refusal(desk: MakeDesk) -> None:
    made = desk({"a": LINES})
    uri = made.editor.open(made.path("a"))
    made.editor.habits = Habits(before=lambda: made.editor.type(uri, "one", "one."))
    assert made.apply(made.changed(TWO))["state"] == "failed"
    assert "TWO" not in made.editor.buffers[uri].text


def test_a_change_that_is_never_told_is_unknown_and_not_believed(desk: MakeDesk) -> None:
    made = desk({"a": LINES})
    uri = made.editor.open(made.path("a"))
    made.editor.habits = Habits(tells="no")
    view = made.apply(made.changed(TWO))
    assert view["state"] == "unknown"
    assert "has told no new text" in told(view)
    made.editor.set_text(uri, DONE)
    assert eventually(lambda: made.proposals(view["ticket"])[0]["application"] == "applied")


def test_a_change_that_is_told_late_counts(desk: MakeDesk) -> None:
    made = desk({"a": LINES})
    made.editor.open(made.path("a"))
    made.editor.habits = Habits(tells="later", after=made.editor.catch_up)
    assert states(made.apply(made.changed(TWO))) == {"a": "applied"}


def test_a_change_over_the_limit_leaves_the_file_alone_until_it_is_known(desk: MakeDesk) -> None:
    made = desk({"a": LINES, "b": LINES})
    uri = made.editor.open(made.path("a"))
    ticket = made.changed(f"{TWO}; sub('b', b'two', b'TWO')")
    made.editor.set_text(uri, LINES + "x" * 200_000)
    view = made.apply(ticket)
    assert states(view) == {"a": "failed", "b": "applied"}
    assert "not known" in told(view)
    assert made.editor.buffers[uri].text == LINES + "x" * 200_000
    made.editor.set_text(uri, LINES)
    assert states(made.apply(ticket))["a"] == "applied"


def test_an_answer_over_the_limit_is_unknown_until_the_text_is_told(desk: MakeDesk) -> None:
    made = desk({"a": LINES})
    uri = made.editor.open(made.path("a"))
    made.editor.habits = Habits(tells="too much")
    view = made.apply(made.changed(TWO))
    assert view["state"] == "unknown"
    made.editor.set_text(uri, DONE)
    assert eventually(lambda: made.proposals(view["ticket"])[0]["application"] == "applied")


def test_an_edit_done_in_part_is_partly_applied_with_the_list(desk: MakeDesk) -> None:
    made = desk({"a": LINES, "b": LINES})
    made.editor.open(made.path("a"))
    made.editor.open(made.path("b"))
    made.editor.habits = Habits(parts=1)
    view = made.apply(made.changed(f"{TWO}; sub('b', b'two', b'TWO')"))
    assert states(view) == {"a": "applied", "b": "unknown"}
    assert view["state"] == "unknown"
    assert made.editor.text(made.path("b")) == LINES


def test_what_a_formatter_made_of_it_is_told_and_kept(desk: MakeDesk) -> None:
    made = desk({"a": LINES})
    uri = made.editor.open(made.path("a"))
    made.editor.habits = Habits(formats=lambda text: text.replace("six", "six  "))
    view = made.apply(made.changed(TWO))
    assert view["state"] == "unknown"
    assert "formatter" in told(view)
    assert made.editor.buffers[uri].text == DONE.replace("six", "six  ")


def test_an_editor_that_writes_unopened_files_to_the_disk_is_seen(desk: MakeDesk) -> None:
    made = desk({"a": LINES})
    made.editor.habits = Habits(opens=False)
    assert states(made.apply(made.changed(TWO))) == {"a": "applied"}
    assert made.path("a").read_text() == DONE


def test_a_report_counts_for_what_is_not_open(desk: MakeDesk) -> None:
    made = desk({"a": LINES})
    uri = uri_of(made.path("a"))
    made.editor.habits = Habits(parts=0)
    view = made.apply(made.changed(TWO))
    assert view["state"] == "unknown"
    other = {"uri": uri, "sha256": _digest("another text")}
    report = {"application": view["id"], "documents": [other]}
    made.editor.notify("sennit/didApply", report)
    assert made.proposals(view["ticket"])[0]["application"] == "unknown"
    report["documents"] = [{"uri": uri, "sha256": _digest(DONE)}]
    made.editor.notify("sennit/didApply", report)
    assert made.proposals(view["ticket"])[0]["application"] == "applied"


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()
