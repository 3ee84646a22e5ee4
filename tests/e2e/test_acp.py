"""Agents that speak ACP and behave: their work, what is shown of it, how they are begun."""

from __future__ import annotations

import pytest

from tests.e2e.scene import Machine, Repo
from tests.e2e.talking import held_at, let_go, log_of, peer, strays, written

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(180)]

LOW = "stop.cancelMs = 1000\nstop.closeMs = 1000\nstop.termMs = 1000\n"


def test_its_work_is_proposed_with_what_it_told(machine: Machine, repo: Repo) -> None:
    peer(machine, "peer")
    server = machine.serve(repo)
    prompt = "think hm\nplan one two\nwrite new.txt hello\nusage 5\nsay all is done"
    ticket = server.dispatch({"id": "one", "agent": "peer", "prompt": prompt})
    [view] = server.settled(ticket)["tasks"]
    [run] = view["runs"]
    assert (view["state"], run["tools"]) == ("completed", 1)
    assert run["usage"] == {
        "known": "total", "input": 10, "output": 20, "cost": 0.5, "currency": "USD",
    }  # fmt: skip
    assert run["session"].startswith("s-")
    assert view["resultText"] == "all is done\n"
    assert written(server, ticket, "new.txt") == "hello"
    story = server.story(ticket)
    assert "runs peer as" in story
    assert "completed" in story
    assert not strays(machine)


def test_what_it_does_is_shown_while_it_works(machine: Machine, repo: Repo) -> None:
    peer(machine, "peer")
    server = machine.serve(repo)
    place = machine.gates / "here"
    prompt = f"plan one two\nwrite new.txt hello\nsay reading\nthink hm\nat {place}\nwrite b.txt b"
    ticket = server.dispatch({"id": "one", "agent": "peer", "prompt": prompt})
    held_at(place)
    view = server.until(
        ticket,
        "one",
        lambda found: (
            found.get("progress", {}).get("phase") == "thinking" and "session" in found["runs"][0]
        ),
    )
    progress = view["progress"]
    assert (progress["lastTool"], progress["tools"]) == ("write new.txt", 1)
    assert [entry["text"] for entry in progress["toDo"]] == ["one", "two"]
    assert view["runs"][0]["session"].startswith("s-")
    let_go(place)
    [view] = server.settled(ticket)["tasks"]
    assert (view["state"], view["runs"][0]["tools"]) == ("completed", 2)


def test_two_runs_of_one_agent_start_one_after_the_other(machine: Machine, repo: Repo) -> None:
    peer(machine, "peer", "slow-start")
    server = machine.serve(repo)
    tasks = [{"id": name, "agent": "peer", "prompt": "say x"} for name in ("a", "b", "c")]
    view = server.run(*tasks)
    assert view["state"] == "completed"
    steps = [line.split(" ", 1) for line in log_of(machine)]
    assert [what for _, what in steps] == ["begins", "is open"] * 3
    for first, second in zip(steps[::2], steps[1::2], strict=True):
        assert first[0] == second[0]


def test_work_goes_on_side_by_side_once_each_has_a_session(machine: Machine, repo: Repo) -> None:
    peer(machine, "peer")
    server = machine.serve(repo)
    places = [machine.gates / name for name in ("a", "b")]
    tickets = [
        server.dispatch({"id": "one", "agent": "peer", "prompt": f"at {place}"}) for place in places
    ]
    assert len({held_at(place) for place in places}) == 2
    for place in places:
        let_go(place)
    assert {server.settled(ticket)["state"] for ticket in tickets} == {"completed"}


def test_a_mode_is_set_where_it_is_offered(machine: Machine, repo: Repo) -> None:
    peer(machine, "peer", also=("mode = 'edit'",))
    server = machine.serve(repo)
    [view] = server.run({"id": "one", "agent": "peer", "prompt": "say x"})["tasks"]
    assert (view["state"], view["notices"]) == ("completed", [])
    assert (machine.home / ".peer" / "mode").read_text() == "edit"


def test_a_mode_or_model_that_is_not_offered_is_told_and_the_work_done(
    machine: Machine, repo: Repo
) -> None:
    peer(machine, "peer", also=("mode = 'yolo'", "model = 'large'"))
    server = machine.serve(repo)
    [view] = server.run({"id": "one", "agent": "peer", "prompt": "write a.txt hi"})["tasks"]
    assert view["state"] == "completed"
    told = [notice["message"] for notice in view["notices"]]
    assert any("'yolo'" in words and "ask, edit" in words for words in told), told
    assert any("'large'" in words for words in told), told
    assert not (machine.home / ".peer" / "mode").exists()


def test_it_gets_the_usual_variables_and_no_secrets(machine: Machine, repo: Repo) -> None:
    machine.variables |= {"SECRET_KEY": "s3cret", "GIVEN_KEY": "given"}
    peer(machine, "peer", also=("passEnv = ['GIVEN_KEY']",))
    server = machine.serve(repo)
    ticket = server.dispatch({"id": "one", "agent": "peer", "prompt": "env env.txt"})
    server.settled(ticket)
    variables = written(server, ticket, "env.txt")
    assert "GIVEN_KEY=given" in variables
    assert "s3cret" not in variables


def test_nothing_of_it_is_left_after_success(machine: Machine, repo: Repo) -> None:
    peer(machine, "peer")
    server = machine.serve(repo)
    orphan = machine.gates / "orphan"
    prompt = f"orphan {orphan}\nwrite a.txt hi"
    [view] = server.run({"id": "one", "agent": "peer", "prompt": prompt})["tasks"]
    assert view["state"] == "completed"
    assert orphan.exists()
    assert not strays(machine)


@pytest.mark.parametrize("habit", ["ignores-term", "deaf", "both"])
def test_one_that_does_not_end_after_its_turn_is_ended_and_its_work_counts(
    machine: Machine, repo: Repo, habit: str
) -> None:
    machine.settings(LOW)
    habits = ("ignores-term", "deaf") if habit == "both" else (habit,)
    peer(machine, "peer", *habits)
    server = machine.serve(repo)
    [view] = server.run({"id": "one", "agent": "peer", "prompt": "write a.txt hi"})["tasks"]
    assert view["state"] == "completed"
    assert not strays(machine)


def test_one_that_never_answers_its_prompt_is_told_as_that(machine: Machine, repo: Repo) -> None:
    peer(machine, "peer")
    server = machine.serve(repo)
    prompt = f"at {machine.gates / 'here'}"
    ticket = server.dispatch({"id": "one", "agent": "peer", "prompt": prompt, "idleMs": 2000})
    [view] = server.settled(ticket)["tasks"]
    assert view["failure"]["kind"] == "stalled"
    assert "not a word since it was prompted" in view["failure"]["message"]


@pytest.mark.parametrize("limit", ["deadlineMs", "idleMs"])
def test_a_time_limit_ends_it_and_its_work_is_kept(
    machine: Machine, repo: Repo, limit: str
) -> None:
    machine.settings(LOW)
    peer(machine, "peer", "stubborn")
    server = machine.serve(repo)
    # What is loaded for the first one is not to take the time of the second.
    server.run({"id": "one", "agent": "peer", "prompt": "say x"})
    place = machine.gates / "here"
    prompt = f"write kept.txt work\nat {place}"
    ticket = server.dispatch({"id": "one", "agent": "peer", "prompt": prompt, limit: 8000})
    [view] = server.settled(ticket)["tasks"]
    kind = {"deadlineMs": "timeout", "idleMs": "stalled"}[limit]
    assert (view["state"], view["failure"]["kind"]) == ("failed", kind), view
    assert limit in view["failure"]["message"]
    assert "not a word" not in view["failure"]["message"]
    assert written(server, ticket, "kept.txt") == "work"
    assert [line.split(" ", 1)[1] for line in log_of(machine)][-1] == "is cancelled"
    assert not strays(machine)
