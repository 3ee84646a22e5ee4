"""Questions of agents, put to the client by a program that runs ``sennit ask``."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve

from tests.e2e.client import PATIENCE_S
from tests.e2e.desk import Desk, new_desk, start
from tests.e2e.editor import BARE, REVIEWS, Abilities, Editor
from tests.wire_client import Message, eventually

pytestmark = pytest.mark.e2e
SPEAKS_WITHOUT_ASKING = evolve(BARE, sennit={"clientId": "scripted"})


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Callable[[Abilities], Desk]]:
    editors: list[Editor] = []

    def make(abilities: Abilities) -> Desk:
        editors.append(start(abilities, tmp_path / "machine", tmp_path / "repo"))
        return new_desk(editors[0], tmp_path / "repo", {"a": "x\n"})

    yield make
    for editor in editors:
        editor.__exit__(None, None, None)


def asking(made: Desk, *options: str, deadline_s: float | None = None) -> dict[str, Any]:
    """A task that asks and writes down what it got."""
    arguments = ["-m", "sennit", "ask", "Which?"]
    for option in options:
        arguments += ["--option", option]
    if deadline_s is not None:
        arguments += ["--deadline", str(deadline_s)]
    code = (
        "import subprocess\n"
        f"done = subprocess.run([{sys.executable!r}, *{arguments!r}], stdout=subprocess.PIPE)\n"
        "w('answer', b'%d %b' % (done.returncode, done.stdout))"
    )
    return made.task(code)


def dispatch(made: Desk, task: dict[str, Any]) -> str:
    params = {"tasks": [task], "offer": "manual"}
    ticket: str = made.editor.ask("sennit/dispatch", params)["ticket"]
    return ticket


def question_of(made: Desk, ticket: str) -> dict[str, Any] | None:
    (task,) = made.editor.ask("sennit/ticket", {"ticket": ticket})["tasks"]
    found: dict[str, Any] | None = task.get("question")
    return found


def answer_in(made: Desk, ticket: str) -> str:
    """What the agent has got: its exit code and the answer."""
    waited = made.editor.ask("sennit/wait", {"ticket": ticket, "timeoutMs": PATIENCE_S * 1000})
    assert not waited["timedOut"], waited
    (proposal,) = made.proposals(ticket)
    view = made.editor.ask("sennit/proposal", {"proposal": proposal["id"]})
    text: str = view["files"][0]["units"][0]["afterText"]
    return text


def asked(made: Desk, method: str = "sennit/ask") -> Message:
    return made.editor.next_of(method)


def withdrawn(made: Desk, request: Message) -> bool:
    """Whether the client was told that the answer is not wanted any more."""
    told = made.editor.next_of("$/cancelRequest")
    return bool(told["params"]["id"] == request["id"])


def test_an_answer_of_the_client_reaches_the_agent(desk: Callable[[Abilities], Desk]) -> None:
    made = desk(REVIEWS)
    ticket = dispatch(made, asking(made, "A", "B"))
    request = asked(made)
    question = request["params"]["question"]
    assert (question["text"], question["options"]) == ("Which?", ["A", "B"])
    assert request["params"]["task"] == "one"
    made.editor.respond(request, {"answer": "B"})
    assert answer_in(made, ticket) == "0 B\n"


def test_an_agent_whose_path_leads_to_no_sennit_can_ask(desk: Callable[[Abilities], Desk]) -> None:
    made = desk(REVIEWS)
    asks = "sh -c 'sennit ask Which? > answer'"
    task = {"id": "one", "agent": "command", "prompt": asks, "cwd": str(made.folder)}
    ticket = dispatch(made, task)
    made.editor.respond(asked(made), {"answer": "this"})
    assert answer_in(made, ticket) == "this\n"


def test_a_question_that_was_turned_away_can_still_be_answered(
    desk: Callable[[Abilities], Desk],
) -> None:
    made = desk(REVIEWS)
    ticket = dispatch(made, asking(made))
    made.editor.respond(asked(made), {})
    question = question_of(made, ticket)
    assert question is not None
    answer = {"ticket": ticket, "task": "one", "question": question["id"], "answer": "later"}
    assert made.editor.ask("sennit/answer", answer) == {"repeated": False}
    assert made.editor.ask("sennit/answer", answer) == {"repeated": True}
    assert answer_in(made, ticket) == "0 later\n"


def test_an_answer_by_another_way_takes_the_question_from_the_screen(
    desk: Callable[[Abilities], Desk],
) -> None:
    made = desk(REVIEWS)
    ticket = dispatch(made, asking(made, "A", "B"))
    request = asked(made)
    answer = {
        "ticket": ticket,
        "task": "one",
        "question": request["params"]["question"]["id"],
        "answer": "A",
    }
    made.editor.ask("sennit/answer", answer)
    assert withdrawn(made, request)
    assert answer_in(made, ticket) == "0 A\n"


def test_at_the_deadline_the_agent_goes_on_without_an_answer(
    desk: Callable[[Abilities], Desk],
) -> None:
    made = desk(REVIEWS)
    ticket = dispatch(made, asking(made, deadline_s=2.0))
    request = asked(made)
    assert withdrawn(made, request)
    assert answer_in(made, ticket) == "3 "
    made.editor.respond(request, {"answer": "too late"})
    assert made.editor.ask("sennit/tickets", {})["tickets"]


def test_where_nobody_is_there_the_safe_answer_is_given_at_once(
    desk: Callable[[Abilities], Desk],
) -> None:
    made = desk(evolve(BARE, sennit={"clientId": "scripted", "unattended": True}))
    ticket = dispatch(made, asking(made, "A", "B"))
    assert answer_in(made, ticket) == "3 "
    assert not made.editor.asked
    events = made.editor.ask("sennit/story", {"ticket": ticket})["events"]
    assert any("there is nobody to ask" in event["message"] for event in events)


def test_an_error_of_the_client_leaves_the_question_to_its_deadline(
    desk: Callable[[Abilities], Desk],
) -> None:
    made = desk(REVIEWS)
    ticket = dispatch(made, asking(made, deadline_s=2.0))
    error = {"code": -32601, "message": "no such method"}
    made.editor.send({"jsonrpc": "2.0", "id": asked(made)["id"], "error": error})
    assert answer_in(made, ticket) == "3 "


@pytest.mark.parametrize("abilities", [BARE, SPEAKS_WITHOUT_ASKING], ids=["bare", "cannot ask"])
def test_other_clients_are_asked_by_a_message_with_buttons(
    desk: Callable[[Abilities], Desk], abilities: Abilities
) -> None:
    made = desk(abilities)
    made.editor.habits.chooses = lambda _: "B"
    ticket = dispatch(made, asking(made, "A", "B"))
    assert answer_in(made, ticket) == "0 B\n"
    (question,) = made.editor.asked
    assert question["message"] == "one asks: Which?"
    assert [action["title"] for action in question["actions"]] == ["A", "B"]


def test_a_free_question_of_a_bare_client_is_answered_by_a_command(
    desk: Callable[[Abilities], Desk],
) -> None:
    made = desk(BARE)
    ticket = dispatch(made, asking(made))
    message = made.editor.next_of("window/showMessage")["params"]["message"]
    assert "Which?" in message
    assert "sennit answer" in message
    question = question_of(made, ticket)
    assert question is not None
    argument = {"ticket": ticket, "task": "one", "question": question["id"], "answer": "free"}
    command = {"command": "sennit.server.answer", "arguments": [argument]}
    made.editor.ask("workspace/executeCommand", command)
    assert answer_in(made, ticket) == "0 free\n"


def test_a_cancelled_task_takes_its_question_from_the_screen(
    desk: Callable[[Abilities], Desk],
) -> None:
    made = desk(REVIEWS)
    ticket = dispatch(made, asking(made))
    request = asked(made)
    made.editor.ask("sennit/cancel", {"ticket": ticket, "force": True})
    assert withdrawn(made, request)
    assert eventually(
        lambda: made.editor.ask("sennit/ticket", {"ticket": ticket})["state"] == "cancelled"
    )
