"""Editors of every kind: what they cannot do, how they misbehave, what bare ones are offered."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve

from tests.e2e.desk import Desk, new_desk, start, states, told
from tests.e2e.editor import BARE, REVIEWS, Abilities, Editor, Habits, uri_of
from tests.wire_client import eventually

pytestmark = pytest.mark.e2e
MakeDesk = Callable[[Mapping[str | bytes, bytes | str]], Desk]
LINES = "one\ntwo\nthree\nfour\nfive\nsix\n"
DONE = LINES.replace("two", "TWO")
TWO = "sub('a', b'two', b'TWO')"
SMALL_MESSAGES = "[limits]\nmessageBytes = 131072\n"


@pytest.fixture(scope="module")
def editor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Editor]:
    with start(REVIEWS, tmp_path_factory.mktemp("machine"), settings=SMALL_MESSAGES) as made:
        yield made


@pytest.fixture
def desk(editor: Editor, tmp_path: Path) -> Iterator[MakeDesk]:
    yield lambda files: new_desk(editor, tmp_path / "repo", files)
    editor.habits = Habits()
    editor.edits.clear()
    for uri in list(editor.buffers):
        editor.close(uri)


# What an editor cannot do.


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


@pytest.fixture
def bare(tmp_path: Path) -> Iterator[Callable[..., Desk]]:
    editors: list[Editor] = []

    def make(abilities: Abilities, **files: bytes | str) -> Desk:
        editor = start(abilities, tmp_path / "machine", tmp_path / "repo")
        editors.append(editor)
        return new_desk(editor, tmp_path / "repo", {"a": LINES, **files})

    yield make
    for editor in editors:
        editor.__exit__(None, None, None)


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


# How an editor misbehaves.


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


def test_without_an_answer_it_is_unknown_until_the_text_tells(desk: MakeDesk) -> None:
    made = desk({"a": LINES, "b": b"\0\1"})
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
    assert eventually(lambda: made.proposals(ticket)[0]["application"] in settled, 5)


def test_an_editor_that_applies_and_does_not_answer_has_applied(desk: MakeDesk) -> None:
    made = desk({"a": LINES})
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
    assert eventually(lambda: made.proposals(view["ticket"])[0]["application"] == "applied", 5)


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
    assert eventually(lambda: made.proposals(view["ticket"])[0]["application"] == "applied", 5)


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
    digest = "".join(["d4", "x"])
    report = {"application": view["id"], "documents": [{"uri": uri, "sha256": digest}]}
    made.editor.notify("sennit/didApply", report)
    assert made.proposals(view["ticket"])[0]["application"] == "unknown"
    report["documents"] = [{"uri": uri, "sha256": _digest(DONE)}]
    made.editor.notify("sennit/didApply", report)
    assert made.proposals(view["ticket"])[0]["application"] == "applied"


def _digest(text: str) -> str:
    import hashlib  # noqa: PLC0415  one use

    return hashlib.sha256(text.encode()).hexdigest()


# What is offered.


def _offered(made: Desk, *tasks: dict[str, Any], offer: str = "auto") -> str:
    params = {"tasks": list(tasks), "offer": offer, "wait": True}
    ticket: str = made.editor.ask("sennit/dispatch", params)["ticket"]
    return ticket


def _until(made: Desk, ticket: str, application: str) -> dict[str, Any]:
    """Wait until the first proposal is in a state of application."""
    assert eventually(lambda: made.proposals(ticket)[0]["application"] == application, 8)
    return made.proposals(ticket)[0]


@pytest.mark.parametrize("offer", ["auto", "settled"])
def test_a_bare_editor_is_offered_an_edit_that_asks_for_each_change(
    bare: Callable[..., Desk], offer: str
) -> None:
    made = bare(BARE, gone="gone\n")
    made.editor.open(made.path("a"))
    task = made.task(f"{TWO}", description="shout")
    _until(made, _offered(made, task, offer=offer), "applied")
    (edit,) = made.editor.edits
    assert "one, shout" in edit["label"]
    annotations = edit["edit"]["changeAnnotations"]
    assert [one["needsConfirmation"] for one in annotations.values()] == [True]
    for operation in edit["edit"]["documentChanges"]:
        assert {one["annotationId"] for one in operation["edits"]} <= annotations.keys()
    assert made.editor.text(made.path("a")) == DONE
    assert made.editor.asked == []


def test_a_confirmed_offer_is_accepted(bare: Callable[..., Desk]) -> None:
    made = bare(BARE)
    ticket = _offered(made, made.task(TWO))
    _until(made, ticket, "applied")
    assert eventually(lambda: made.proposals(ticket)[0]["review"] == "accepted", 5)


def test_a_refused_offer_stays_open(bare: Callable[..., Desk]) -> None:
    made = bare(BARE)
    made.editor.habits = Habits(answer="false")
    proposal = _until(made, _offered(made, made.task(TWO)), "failed")
    assert proposal["review"] == "offered"
    assert made.editor.text(made.path("a")) == LINES


def test_two_offers_come_one_after_the_other(bare: Callable[..., Desk]) -> None:
    made = bare(BARE)
    tasks = (made.task(TWO), made.task("sub('a', b'six', b'SIX')", name="two"))
    ticket = _offered(made, *tasks)
    assert eventually(
        lambda: {one["application"] for one in made.proposals(ticket)} == {"applied"}, 10
    )
    assert len(made.editor.edits) == 2
    assert made.editor.text(made.path("a")) == DONE.replace("six", "SIX")


ASKS_IN_WORDS = evolve(BARE, annotations=False)


def test_without_annotations_nothing_is_touched_before_the_user_agrees(
    bare: Callable[..., Desk],
) -> None:
    made = bare(ASKS_IN_WORDS, b=b"\0\1")
    made.editor.open(made.path("a"))

    def agrees(_params: object) -> str:
        assert made.editor.edits == []
        assert made.editor.text(made.path("a")) == LINES
        assert made.path("b").read_bytes() == b"\0\1"
        return "Apply"

    made.editor.habits.chooses = agrees
    _until(made, _offered(made, made.task(f"{TWO}; w('b', b'\\0\\2')")), "applied")
    assert "proposes changes to 2 files" in made.editor.asked[0]["message"]
    assert made.editor.text(made.path("a")) == DONE
    assert made.path("b").read_bytes() == b"\0\2"


def test_without_annotations_a_no_leaves_everything_for_later(bare: Callable[..., Desk]) -> None:
    made = bare(ASKS_IN_WORDS)
    made.editor.habits.chooses = lambda _: "Keep for later"
    ticket = _offered(made, made.task(TWO))
    assert eventually(lambda: bool(made.proposals(ticket)) and bool(made.editor.asked), 8)
    assert made.editor.edits == []
    assert made.proposals(ticket)[0]["application"] == "none"
    made.accept(ticket)
    assert states(made.apply(ticket)) == {"a": "applied"}


def test_an_offer_is_held_where_head_has_moved(bare: Callable[..., Desk]) -> None:
    made = bare(BARE)
    gate = made.folder.parent / "gate"
    code = f"import time\nwhile not os.path.exists({str(gate)!r}): time.sleep(0.01)\n{TWO}"
    params = {"tasks": [made.task(code)], "offer": "auto"}
    ticket = made.editor.ask("sennit/dispatch", params)["ticket"]
    assert eventually(
        lambda: made.editor.ask("sennit/ticket", {"ticket": ticket})["bases"] != [], 8
    )
    made.git("commit", "-q", "--allow-empty", "-m", "elsewhere")
    gate.touch()
    assert eventually(lambda: bool(made.proposals(ticket)) and bool(made.editor.asked), 8)
    assert "HEAD" in made.editor.asked[0]["message"]
    assert made.editor.edits == []


@pytest.mark.parametrize("offer", ["auto", "settled", "manual"])
def test_an_editor_with_a_review_interface_is_told_and_sent_no_edit(
    desk: MakeDesk, offer: str
) -> None:
    made = desk({"a": LINES})
    ticket = _offered(made, made.task(TWO), offer=offer)
    seen = made.editor.next_where(
        lambda m: m.get("method") == "sennit/proposalChanged"
        and m["params"]["proposal"]["ticket"] == ticket
        and m["params"]["proposal"]["integration"] == "clean"
    )
    assert seen["params"]["proposal"]["review"] == "offered"
    assert made.editor.edits == []
    assert made.editor.text(made.path("a")) == LINES
