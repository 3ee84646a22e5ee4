"""Who waits for a ticket hears of its end, of changes and of questions, and may stop waiting."""

from __future__ import annotations

import shlex
import sys

import pytest

from tests.e2e.scene import Client, Machine, Repo, task, task_of, until_no_message
from tests.e2e.test_cancel import asking_quickly

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(180)]


def test_a_waiting_dispatch_answers_at_the_end_and_shows_progress_under_its_token(
    server: Client,
) -> None:
    answer = server.ask("dispatch", tasks=[task("one", "true")], wait=True, workDoneToken=77)
    assert (answer["state"], answer["view"]["state"]) == ("completed", "completed")
    kinds = [
        message["params"]["value"]["kind"]
        for message in until_no_message(server)
        if message.get("method") == "$/progress" and message["params"]["token"] == 77
    ]
    assert (kinds[0], kinds[-1]) == ("begin", "end")


def test_a_cancelled_waiting_dispatch_goes_on_and_is_found(machine: Machine, repo: Repo) -> None:
    gate = machine.gate()
    server = machine.serve(repo)
    id_ = server.request("sennit/dispatch", {"tasks": [task("one", gate.prompt())], "wait": True})
    gate.reached()
    server.notify("$/cancelRequest", {"id": id_})
    assert server.answer_to(id_)["error"]["code"] == -32800
    [ticket] = server.ask("tickets")["tickets"]
    assert ticket["state"] == "running"
    gate.open()
    assert server.settled(ticket["id"])["state"] == "completed"


def test_a_dispatch_that_is_cancelled_at_once_starts_nothing_or_can_be_found(
    machine: Machine, repo: Repo
) -> None:
    gate = machine.gate()
    server = machine.serve(repo)
    id_ = server.request("sennit/dispatch", {"tasks": [task("one", gate.prompt())], "wait": True})
    server.notify("$/cancelRequest", {"id": id_})
    assert server.answer_to(id_)["error"]["code"] == -32800
    tickets = server.ask("tickets")["tickets"]
    if tickets:
        gate.reached()
        gate.open()
        server.settled(tickets[0]["id"])
    assert server.ask("retained")["items"] == [] if not tickets else True


def test_a_wait_that_times_out_or_is_cancelled_ends_alone(machine: Machine, repo: Repo) -> None:
    gate = machine.gate()
    server = machine.serve(repo)
    ticket = server.dispatch(task("one", gate.prompt()))
    gate.reached()
    other = server.request("sennit/wait", {"ticket": ticket})
    third = server.request("sennit/wait", {"ticket": ticket})
    short = server.ask("wait", ticket=ticket, timeoutMs=50)
    assert (short["timedOut"], short["view"]["state"]) == (True, "running")
    server.notify("$/cancelRequest", {"id": third})
    assert server.answer_to(third)["error"]["code"] == -32800
    assert server.task(ticket, "one")["state"] == "running"
    gate.open()
    assert server.answer_to(other)["result"]["view"]["state"] == "completed"


def test_a_wait_for_change_or_attention_ends_when_there_is_some(
    machine: Machine, repo: Repo
) -> None:
    gate = machine.gate()
    server = machine.serve(repo)
    ticket = server.dispatch(
        task("one", "sed -i s/two/A/ a.txt"),
        task("two", "sed -i s/two/B/ a.txt"),
        task("held", gate.prompt()),
    )
    wait = server.ask("wait", ticket=ticket, until="attention", timeoutMs=60_000)
    assert (wait["timedOut"], wait["view"]["state"]) == (False, "running")
    assert "conflict" in [each["integration"] for each in server.proposals(ticket)]
    gate.reached()
    server.until_state(ticket, "held", "running")
    view = server.ask("ticket", ticket=ticket)
    none = server.ask("wait", ticket=ticket, until="change", since=view["sequence"], timeoutMs=50)
    assert none["timedOut"]
    since = server.ask("ticket", ticket=ticket, since=view["sequence"])
    assert since["tasks"] == []
    gate.open()
    server.settled(ticket)
    later = server.ask("ticket", ticket=ticket, since=view["sequence"])
    assert [each["id"] for each in later["tasks"]] == ["held"]


def test_a_question_is_answered_once_and_the_task_goes_on(machine: Machine, repo: Repo) -> None:
    server = machine.serve(repo)
    ticket = server.dispatch(task("one", _asking("Which?", "red", "blue")))
    found = server.until_state(ticket, "one", "waiting")
    question = found["question"]
    assert (question["text"], question["options"]) == ("Which?", ["red", "blue"])
    names = {"ticket": ticket, "task": "one", "question": question["id"]}
    assert server.refused("answer", **{**names, "question": "q-nope"}, answer="red")["code"] == 5
    assert not server.ask("answer", **names, answer="blue")["repeated"]
    assert server.ask("answer", **names, answer="blue")["repeated"]
    assert server.refused("answer", **names, answer="red")["code"] == 12
    view = server.settled(ticket)
    assert task_of(view, "one")["resultText"] == "blue\n"


def _asking(text: str, *options: str) -> str:
    words = [sys.executable, "-P", "-m", "sennit", "ask", text]
    for option in options:
        words += ["--option", option]
    return shlex.join(words)


ASKS = {"experimental": {"sennit": {"protocolVersion": "0.1", "ask": True}}}


def test_a_question_goes_to_the_client_that_can_be_asked(machine: Machine, repo: Repo) -> None:
    server = machine.serve(repo, words=ASKS)
    server.replies["sennit/ask"] = lambda params: {"answer": params["question"]["text"] + " Yes."}
    view = server.run(task("one", _asking("Really?")))
    assert task_of(view, "one")["resultText"] == "Really? Yes.\n"


def test_nobody_who_answers_is_the_safe_answer_at_the_deadline(
    machine: Machine, repo: Repo
) -> None:
    machine.settings("ask.deadlineMs = 1000\n")
    server = machine.serve(repo, words=ASKS)
    ticket = server.dispatch(task("one", asking_quickly()))
    question = server.next_of("sennit/ask")["params"]["question"]["id"]
    view = server.settled(ticket)
    assert view["state"] == "completed"
    late = server.refused("answer", ticket=ticket, task="one", question=question, answer="x")
    assert (late["code"], "in time" in late["message"]) == (12, True)
