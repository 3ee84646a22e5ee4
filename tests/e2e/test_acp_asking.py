"""Agents that ask whether they may use a tool: every rule, the user's answer, none at all."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.desk import new_desk, start
from tests.e2e.editor import BARE, REVIEWS, Abilities, Editor
from tests.e2e.scene import Client, Machine, Repo, ended_at_a_limit
from tests.e2e.talking import held_at, peer, settings_of_peer, strays, written
from tests.wire_client import eventually

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(180)]

PATIENT = "stop.cancelMs = 60000\nstop.closeMs = 60000\nstop.termMs = 60000\n"


def dispatched(server: Client, *lines: str, agent: str = "peer") -> str:
    return server.dispatch({"id": "one", "agent": agent, "prompt": "\n".join(lines)})


def answered(server: Client, ticket: str, word: str) -> dict[str, Any]:
    """Answer the question that is open; gives it."""
    view = server.until_state(ticket, "one", "waiting")
    question: dict[str, Any] = view["question"]
    server.ask("answer", ticket=ticket, task="one", question=question["id"], answer=word)
    return question


def test_what_the_policy_tells_is_answered_without_a_question(machine: Machine, repo: Repo) -> None:
    commands = "permissions = {execute = 'deny', commands = ['git diff *']}"
    peer(machine, "peer", also=(commands,))
    server = machine.serve(repo)
    outside = machine.root / "elsewhere"
    asks = {
        "in": "edit {} a.txt",
        "new": "edit {} some/new/file.txt",
        "out": f"edit {{}} {outside}/x",
        "up": "edit {} ../x",
        "link": "edit {} out-link/x",
        "git": "edit {} .git/config",
        "upper-git": "delete {} sub/.GIT/hooks/x",
        "look": "read {} a.txt",
        "listed": "execute {} git diff --stat",
        "two": "execute {} git diff --stat; touch /tmp/x",
        "unlisted": "execute {} make",
        "other-out": f"other {{}} {outside}/x",
        "odd": "edit {} file://[half/x",
        "nobody": "edit {} ~no-such-user/x",
    }
    setup = f"link {outside} out-link"
    ticket = dispatched(server, setup, *(f"permit {ask.format('r-' + name)}"
                        for name, ask in asks.items()))  # fmt: skip
    view = server.settled(ticket)
    assert view["state"] == "completed", view
    given = {name: written(server, ticket, f"r-{name}") for name in asks}
    allowed = {"in", "new", "look", "listed"}
    assert given == {name: "once" if name in allowed else "no" for name in asks}
    story = server.story(ticket)
    assert story.count("is allowed: ") == len(allowed)
    assert story.count("is refused: ") == len(asks) - len(allowed)
    assert "is allowed: ask (the command is allowed by `git diff *`)" in story


def test_what_is_told_in_parts_is_put_together(machine: Machine, repo: Repo) -> None:
    peer(machine, "peer")
    server = machine.serve(repo)
    ticket = dispatched(server, "partial edit r-in a.txt", f"partial edit r-out {machine.root}/x")
    server.settled(ticket)
    assert json.loads(written(server, ticket, "r-in")) == {
        "outcome": "selected", "optionId": "once",
    }  # fmt: skip
    assert json.loads(written(server, ticket, "r-out"))["optionId"] == "no"


def test_calls_without_an_id_have_nothing_to_do_with_each_other(
    machine: Machine, repo: Repo
) -> None:
    peer(machine, "peer")
    server = machine.serve(repo)
    ticket = dispatched(server, "nameless r")
    question = answered(server, ticket, "Reject")
    assert "something else" in question["text"]
    server.settled(ticket)
    assert json.loads(written(server, ticket, "r")) == {"outcome": "cancelled"}


def test_an_answer_that_counts_always_is_never_given(machine: Machine, repo: Repo) -> None:
    peer(machine, "peer")
    server = machine.serve(repo)
    ticket = dispatched(server, "always r")
    server.settled(ticket)
    assert json.loads(written(server, ticket, "r")) == {"outcome": {"outcome": "cancelled"}}


@pytest.mark.parametrize(("word", "given"), [("Allow once", "once"), ("Reject", "no"),
                                             ("allow always", "no")])  # fmt: skip
def test_the_user_is_asked_and_answers(machine: Machine, repo: Repo, word: str, given: str) -> None:
    peer(machine, "peer")
    server = machine.serve(repo)
    ticket = dispatched(server, "permit execute r make all")
    question = answered(server, ticket, word)
    assert question["permission"] is True
    assert question["options"] == ["Allow once", "Reject"]
    assert "make all" in question["text"]
    assert server.settled(ticket)["state"] == "completed"
    assert written(server, ticket, "r") == given


def test_one_that_tells_no_argument_is_asked_about(machine: Machine, repo: Repo) -> None:
    peer(machine, "peer", also=("permissions = {execute = 'allow'}",))
    server = machine.serve(repo)
    ticket = dispatched(server, "bare-permit r")
    question = answered(server, ticket, "Allow once")
    assert "ask" in question["text"]
    server.settled(ticket)
    assert written(server, ticket, "r") == "once"


def test_two_questions_at_once_are_answered_each(machine: Machine, repo: Repo) -> None:
    peer(machine, "peer")
    server = machine.serve(repo)
    ticket = dispatched(server, "both r")
    first = answered(server, ticket, "Allow once")
    server.until(
        ticket, "one", lambda found: found.get("question", {}).get("id") not in {None, first["id"]}
    )
    second = answered(server, ticket, "Reject")
    server.settled(ticket)
    words = dict(zip(("yes", "no"), (first, second), strict=True))
    order = sorted(words, key=lambda word: words[word]["text"])
    assert written(server, ticket, "r").split() == order


def test_nobody_answers_in_time_and_it_is_refused(machine: Machine, repo: Repo) -> None:
    machine.settings("ask.deadlineMs = 1000\n")
    peer(machine, "peer")
    server = machine.serve(repo)
    ticket = dispatched(server, "permit fetch r x")
    assert server.settled(ticket)["state"] == "completed"
    assert written(server, ticket, "r") == "no"
    assert "nobody answered in time" in server.story(ticket)


def test_the_question_of_one_that_dies_closes(machine: Machine, repo: Repo) -> None:
    machine.settings("task.retries = 0\n")
    peer(machine, "peer")
    server = machine.serve(repo)
    place = machine.gates / "here"
    ticket = dispatched(server, f"mark {place}", "permit fetch r x")
    view = server.until_state(ticket, "one", "waiting")
    os.kill(held_at(place), 9)
    [ended] = server.settled(ticket)["tasks"]
    assert (ended["state"], ended["failure"]["kind"]) == ("failed", "signal")
    late = server.refused(
        "answer", ticket=ticket, task="one", question=view["question"]["id"], answer="Allow once"
    )
    assert "closed" in late["message"]
    assert server.story(ticket).count("is dropped: ask (the agent can be heard no more)") == 1
    assert not strays(machine)


def test_a_cancel_answers_what_is_open_at_once_and_what_is_asked_later(
    machine: Machine, repo: Repo
) -> None:
    machine.settings(PATIENT)
    peer(machine, "peer")
    server = machine.serve(repo)
    asking = dispatched(server, "permit fetch r x", "write after.txt went on")
    server.until_state(asking, "one", "waiting")
    server.ask("cancel", ticket=asking, force=True)
    assert server.settled(asking)["state"] == "cancelled"
    assert written(server, asking, "r") == "cancelled"
    assert "is dropped: ask (the agent is being stopped)" in server.story(asking)
    place = machine.gates / "here"
    late = dispatched(server, f"mark {place}", "late r")
    held_at(place)
    server.until_state(late, "one", "running")
    server.ask("cancel", ticket=late, force=True)
    assert server.settled(late)["state"] == "cancelled"
    assert written(server, late, "r") == "cancelled"
    assert server.story(late).count("is dropped: ask (the agent is being stopped)") == 1
    assert not strays(machine)


def test_the_end_of_the_server_is_told_of_what_was_open(machine: Machine, repo: Repo) -> None:
    peer(machine, "peer")
    server = machine.serve(repo)
    ended = dispatched(server, "permit fetch r x")
    server.until_state(ended, "one", "waiting")
    server.signal(signal.SIGTERM)
    server.process.wait()
    server = machine.serve(repo)
    assert server.story(ended).count("is dropped: ask (the agent is being stopped)") == 1
    died = dispatched(server, "permit fetch r x")
    question = server.until_state(died, "one", "waiting")["question"]["id"]
    server.kill_9()
    server = machine.serve(repo)
    server.settled(died)
    assert f"{question}: its server died" in server.story(died)


def test_a_deadline_of_the_task_drops_what_is_open(machine: Machine, repo: Repo) -> None:
    machine.settings(PATIENT)
    peer(machine, "peer")
    server = machine.serve(repo)
    task = {"id": "one", "agent": "peer", "prompt": "permit fetch r x"}

    def story(limit: int) -> str:
        ticket = server.dispatch({**task, "deadlineMs": limit})
        assert server.settled(ticket)["tasks"][0]["failure"]["kind"] == "timeout"
        return server.story(ticket)

    told = ended_at_a_limit(3000, story, lambda told: "asks q_" in told)
    assert told.count("is dropped: ask (the agent is being stopped)") == 1


def test_a_question_open_at_the_end_of_the_turn_is_dropped(machine: Machine, repo: Repo) -> None:
    peer(machine, "peer")
    server = machine.serve(repo)
    place = machine.gates / "asked"
    ticket = dispatched(server, f"unheard fetch {place}")
    server.until_state(ticket, "one", "waiting")
    place.touch()
    server.settled(ticket)
    assert server.story(ticket).count("is dropped: ask (the conversation is over)") == 1


@pytest.fixture
def editors() -> Iterator[list[Editor]]:
    made: list[Editor] = []
    yield made
    for each in made:
        each.__exit__(None, None, None)


@pytest.mark.parametrize("abilities", [REVIEWS, BARE], ids=["sennit/ask", "message"])
def test_the_question_comes_to_the_client(
    tmp_path: Path, editors: list[Editor], abilities: Abilities
) -> None:
    settings = settings_of_peer("peer")
    editor = start(abilities, tmp_path / "machine", tmp_path / "repo", settings=settings)
    editors.append(editor)
    made = new_desk(editor, tmp_path / "repo", {"a": "x\n"})
    editor.habits.chooses = lambda _: "Allow once"
    task = {"id": "one", "agent": "peer", "prompt": "permit execute r make all"}
    ticket = editor.ask("sennit/dispatch", {"tasks": [task], "offer": "manual"})["ticket"]
    if abilities is REVIEWS:
        request = editor.next_of("sennit/ask")
        assert request["params"]["question"]["options"] == ["Allow once", "Reject"]
        editor.respond(request, {"answer": "Allow once"})
    editor.ask("sennit/wait", {"ticket": ticket, "timeoutMs": 60_000})
    (proposal,) = made.proposals(ticket)
    view = editor.ask("sennit/proposal", {"proposal": proposal["id"]})
    assert view["files"][0]["units"][0]["afterText"] == "once\n"
    if abilities is BARE:
        (question,) = editor.asked
        assert "make all" in question["message"]
        assert [action["title"] for action in question["actions"]] == ["Allow once", "Reject"]
    assert eventually(lambda: editor.ask("sennit/ticket", {"ticket": ticket})["state"] != "running")
