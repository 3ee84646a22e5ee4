"""What an editor is offered by itself: an edit that asks, a question in words, or only news."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from attrs import evolve

from tests.e2e.desk import Desk, MakeDesk, states
from tests.e2e.editor import BARE, Habits
from tests.wire_client import eventually

pytestmark = pytest.mark.e2e
LINES = "one\ntwo\nthree\nfour\nfive\nsix\n"
DONE = LINES.replace("two", "TWO")
TWO = "sub('a', b'two', b'TWO')"


def _offered(made: Desk, *tasks: dict[str, Any], offer: str = "auto") -> str:
    params = {"tasks": list(tasks), "offer": offer, "wait": True}
    ticket: str = made.editor.ask("sennit/dispatch", params)["ticket"]
    return ticket


def _until(made: Desk, ticket: str, application: str) -> dict[str, Any]:
    """Wait until the first proposal is in a state of application."""
    assert eventually(lambda: made.proposals(ticket)[0]["application"] == application)
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
    assert eventually(lambda: made.proposals(ticket)[0]["review"] == "accepted")


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
    assert eventually(lambda: {one["application"] for one in made.proposals(ticket)} == {"applied"})
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
    assert eventually(lambda: bool(made.proposals(ticket)) and bool(made.editor.asked))
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
    assert eventually(lambda: made.editor.ask("sennit/ticket", {"ticket": ticket})["bases"] != [])
    made.git("commit", "-q", "--allow-empty", "-m", "elsewhere")
    gate.touch()
    assert eventually(lambda: bool(made.proposals(ticket)) and bool(made.editor.asked))
    assert "HEAD" in made.editor.asked[0]["message"]
    assert made.editor.edits == []


@pytest.mark.parametrize("offer", ["auto", "settled", "manual"])
def test_an_editor_with_a_review_interface_is_told_and_sent_no_edit(
    desk: MakeDesk, offer: str
) -> None:
    made = desk({"a": LINES})
    ticket = _offered(made, made.task(TWO), offer=offer)
    seen = made.editor.next_where(
        lambda m: (
            m.get("method") == "sennit/proposalChanged"
            and m["params"]["proposal"]["ticket"] == ticket
            and m["params"]["proposal"]["integration"] == "clean"
        )
    )
    assert seen["params"]["proposal"]["review"] == "offered"
    assert made.editor.edits == []
    assert made.editor.text(made.path("a")) == LINES


def test_an_editor_that_asked_for_output_gets_all_of_it_in_order(
    bare: Callable[..., Desk],
) -> None:
    made = bare(evolve(BARE, sennit={"clientId": "scripted", "output": True, "review": True}))
    code = "import sys\nfor n in range(3000): print('é', n)\nprint('bad', file=sys.stderr)"
    ticket = _offered(made, made.task(code), offer="manual")
    texts = {"stdout": "", "stderr": ""}
    wanted = "".join(f"é {n}\n" for n in range(3000))

    def whole() -> bool:
        made.editor.ask("sennit/tickets", {})
        return texts["stdout"] == wanted and texts["stderr"] == "bad\n"

    made.editor.ask("sennit/ticket", {"ticket": ticket})
    while not whole():
        piece = made.editor.next_of("sennit/taskOutput", 10)["params"]
        assert piece["offset"] == len(texts[piece["stream"]].encode())
        texts[piece["stream"]] += piece["text"]
