from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.scene import Client, Machine, Repo, sh, task, task_of
from tests.wire_client import eventually

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(180)]


def test_a_task_becomes_a_proposal_that_is_applied_and_undone(repo: Repo, server: Client) -> None:
    before = repo.contents()
    ticket = server.dispatch(task("one", "sed -i s/two/TWO/ a.txt"), label="my label")
    view = server.settled(ticket)
    assert (view["state"], view["label"], view["owned"]) == ("completed", "my label", True)
    assert task_of(view, "one")["state"] == "completed"
    [proposal] = server.proposals(ticket)
    assert (proposal["task"], proposal["integration"]) == ("one", "clean")
    assert repo.contents() == before
    server.accept_all(ticket)
    applied = server.apply(ticket)
    assert applied["state"] == "applied"
    assert repo.read("a.txt") == "one\nTWO\nthree\nfour\nfive\nsix\n"
    assert server.ask("undo", application=applied["id"])["state"] == "applied"
    assert repo.contents() == before


def test_what_the_user_has_not_committed_is_in_the_base(repo: Repo, machine: Machine) -> None:
    repo.write("a.txt", "staged\n")
    repo.git("add", "a.txt")
    repo.write("src/b.txt", "modified\n")
    repo.write("new file.txt", "untracked\n")
    server = machine.serve(repo)
    view = server.run(task("see", sh("cat a.txt src/b.txt 'new file.txt'")))
    assert task_of(view, "see")["resultText"] == "staged\nmodified\nuntracked\n"
    [base] = view["bases"]
    assert (base["staged"], base["untracked"]) == (["a.txt"], ["new file.txt"])
    assert base["modified"] == ["src/b.txt"]


def test_an_agent_is_told_which_files_the_user_has_changed(repo: Repo, machine: Machine) -> None:
    machine.agent("say", ["sh", "-c", 'printf %s "$1"', "say"])
    repo.write("a.txt", "staged\n")
    repo.git("add", "a.txt")
    repo.write("new\nfile.txt", "secret words\n")
    (repo.folder / "src" / "b.txt").unlink()
    server = machine.serve(repo)
    view = server.run({"id": "one", "agent": "say", "prompt": "look"})
    told = task_of(view, "one")["resultText"]
    assert "1 staged, 1 deleted, 1 untracked" in told
    assert "staged:\n  a.txt\ndeleted:\n  src/b.txt\nuntracked:\n  new\\nfile.txt\n" in told
    assert "secret words" not in told


def test_a_workspace_that_its_agent_takes_away_is_not_said_to_be_kept(server: Client) -> None:
    one = task_of(server.run(task("one", sh('cd ..; mv "$OLDPWD" "$HOME/away"'))), "one")
    assert one["state"] == "failed"
    assert "is not there any more" in one["failure"]["message"]
    assert "is kept" not in one["failure"]["message"]


def test_a_base_at_head_holds_nothing_uncommitted(repo: Repo, machine: Machine) -> None:
    repo.write("a.txt", "modified\n")
    repo.write("new.txt", "untracked\n")
    server = machine.serve(repo)
    view = server.run(task("see", sh("ls; head -1 a.txt"), base="head"))
    assert task_of(view, "see")["resultText"] == "a.txt\nsrc\none\n"


def test_brief_and_defaults_count_for_every_task(repo: Repo, machine: Machine) -> None:
    machine.agent("say", ["sh", "-c", 'printf %s "$1"; pwd; echo "$COLOUR"', "say"])
    machine.variables["COLOUR"] = "green"
    server = machine.serve(repo)
    view = server.run(
        {"id": "one", "prompt": "do it"},
        {"id": "two", "prompt": "do that", "env": []},
        brief="You are careful.",
        defaults={"agent": "say", "cwd": str(repo.folder / "src"), "env": ["COLOUR"]},
    )
    text = task_of(view, "one")["resultText"]
    assert text.startswith("You are careful.\n\ndo it")
    assert text.splitlines()[-2].endswith("/src")
    assert text.splitlines()[-1] == "green"
    assert task_of(view, "two")["resultText"].splitlines()[-1] != "green"


def test_the_same_operation_is_the_same_ticket_and_another_request_an_error(
    server: Client,
) -> None:
    call = {"tasks": [task("one", "true")], "operationId": "op-1"}
    first, again = server.ask("dispatch", **call), server.ask("dispatch", **call)
    assert first["ticket"] == again["ticket"]
    assert "dispatched before" in again["notices"][0]["message"]
    error = server.refused("dispatch", tasks=[task("two", "true")], operationId="op-1")
    assert error["code"] == 6
    assert error["data"]["reason"] == "operationConflict"
    assert first["ticket"] in error["message"]
    assert len(server.ask("tickets")["tickets"]) == 1
    server.settled(first["ticket"])


def test_no_more_tasks_of_a_call_run_at_once_than_it_says(machine: Machine, repo: Repo) -> None:
    first, second = machine.gate("first"), machine.gate("second")
    server = machine.serve(repo)
    ticket = server.dispatch(
        task("one", first.prompt()), task("two", second.prompt()), maxConcurrent=1
    )
    first.reached()
    waiting = server.task(ticket, "two")
    assert (waiting["state"], waiting["queuedFor"]) == ("queued", "slot")
    first.open()
    second.reached()
    second.open()
    assert server.settled(ticket)["state"] == "completed"


def test_no_more_tasks_run_on_the_machine_than_the_settings_say(machine: Machine) -> None:
    machine.settings("limits.tasks = 1\n")
    gate, other = machine.gate(), machine.gate("other")
    one, two = machine.repo("one"), machine.repo("two")
    server, neighbour = machine.serve(one), machine.serve(two)
    held = server.dispatch(task("held", gate.prompt()))
    gate.reached()
    ticket = neighbour.dispatch(task("waits", other.prompt()))
    neighbour.until(ticket, "waits", lambda found: found["queuedFor"] == "slot")
    assert neighbour.ask("wait", ticket=ticket, until="change", timeoutMs=400)
    assert not other.was_reached
    gate.open()
    other.reached()
    other.open()
    assert server.settled(held)["state"] == neighbour.settled(ticket)["state"] == "completed"


def test_a_limit_that_the_client_sends_counts(machine: Machine, repo: Repo) -> None:
    first, second = machine.gate("first"), machine.gate("second")
    server = machine.serve(repo, options={"limits": {"tasks": 1}})
    ticket = server.dispatch(task("one", first.prompt()), task("two", second.prompt()))
    first.reached()
    assert server.task(ticket, "two")["state"] == "queued"
    first.open()
    second.reached()
    second.open()
    server.settled(ticket)


def test_a_dependent_builds_on_the_work_before_it_and_is_told_of_it(
    machine: Machine, repo: Repo
) -> None:
    machine.agent("reader", ["sh", "-c", "cat a.txt; cat", "reader"], 'prompt = "stdin"')
    server = machine.serve(repo)
    ticket = server.dispatch(
        task("one", sh("sed -i s/two/TWO/ a.txt; echo I did it; echo '```'")),
        {"id": "two", "agent": "reader", "prompt": "look at it", "dependsOn": ["one"]},
        task("plain", "cat a.txt", dependsOn=["one"]),
    )
    view = server.settled(ticket)
    told = task_of(view, "two")["resultText"]
    assert told.startswith("one\nTWO\n")
    prompt = server.ask("run", ticket=ticket, task="two")["prompt"]
    assert prompt.startswith("look at it")
    assert "The task one" in told
    assert "completed" in told
    assert "a.txt" in told
    assert "I did it" in told
    assert "data" in told
    fence = next(line for line in told.splitlines() if line.startswith("````"))
    assert told.splitlines().count(fence) == 2
    assert task_of(view, "plain")["resultText"].startswith("one\nTWO\n")
    assert server.ask("run", ticket=ticket, task="plain")["argv"] == ["cat", "a.txt"]


def test_a_dependent_of_failed_work_is_blocked_and_others_go_on(server: Client) -> None:
    view = server.run(
        task("bad", "false"),
        task("after", "true", dependsOn=["bad"]),
        task("last", "true", dependsOn=["after"]),
        task("other", "true"),
    )
    states = {each["id"]: each["state"] for each in view["tasks"]}
    assert states == {
        "bad": "failed", "after": "blocked", "last": "blocked", "other": "completed",
    }  # fmt: skip
    assert "depends on bad" in task_of(view, "after")["failure"]["message"]
    assert view["state"] == "partial"


def test_one_ticket_works_in_several_repositories(machine: Machine) -> None:
    one, two = machine.repo("one"), machine.repo("two")
    server = machine.serve(one, two)
    ticket = server.dispatch(
        task("here", "sed -i s/two/HERE/ a.txt"),
        task("there", "sed -i s/two/THERE/ a.txt", cwd=two.folder.as_uri()),
    )
    view = server.settled(ticket)
    assert len(view["bases"]) == 2
    assert [each["integration"] for each in server.proposals(ticket)] == ["clean", "clean"]
    server.accept_all(ticket)
    for proposal in server.proposals(ticket):
        server.apply_one(proposal)
    assert ("HERE" in one.read("a.txt"), "THERE" in two.read("a.txt")) == (True, True)


def test_tasks_that_change_the_same_lines_conflict_and_equal_ones_change_once(
    server: Client,
) -> None:
    ticket = server.dispatch(
        task("one", "sed -i s/two/TWO/ a.txt"),
        task("same", "sed -i s/two/TWO/ a.txt"),
        task("clash", "sed -i s/two/ZWEI/ a.txt"),
        task("beside", "sed -i s/six/SIX/ a.txt"),
        task("idle", "true"),
    )
    assert server.settled(ticket)["state"] == "partial"
    found = {each["task"]: each for each in server.proposals(ticket)}
    assert {name: each["integration"] for name, each in found.items()} == {
        "one": "clean", "same": "alreadyPresent", "clash": "conflict", "beside": "clean",
        "idle": "noChanges",
    }  # fmt: skip


def test_more_tickets_than_the_settings_allow_are_refused(machine: Machine, repo: Repo) -> None:
    machine.settings("limits.tickets = 1\n")
    gate = machine.gate()
    server = machine.serve(repo)
    ticket = server.dispatch(task("one", gate.prompt()))
    error = server.refused("dispatch", tasks=[task("two", "true")])
    assert (error["code"], error["data"]["reason"]) == (13, "limit")
    assert "limits.tickets" in error["message"]
    gate.open()
    server.settled(ticket)
    assert server.run(task("two", "true"))["state"] == "completed"


def test_two_servers_see_each_others_tickets(machine: Machine, repo: Repo) -> None:
    gate = machine.gate()
    server, other = machine.serve(repo), machine.serve(repo)
    ticket = server.dispatch(task("one", gate.prompt()))
    gate.reached()
    assert eventually(lambda: len(other.ask("tickets")["tickets"]) == 1)
    assert other.ask("ticket", ticket=ticket)["owned"] is False
    waiting = other.request("sennit/wait", {"ticket": ticket})
    gate.open()
    assert other.answer_to(waiting)["result"]["view"]["state"] == "completed"


def test_no_record_of_a_run_waits_for_recovery_once_its_end_is_stored(
    machine: Machine, server: Client
) -> None:
    view = server.run(task("one", "true"), task("two", "no-such-program-at-all"))
    assert view["state"] == "partial"
    runs = list((machine.state / "runs").iterdir())
    assert len(runs) == 2
    assert eventually(lambda: all((run / "released").exists() for run in runs)), runs


def test_preflight_says_what_would_be_done_and_starts_nothing(
    machine: Machine, repo: Repo, server: Client
) -> None:
    result = server.ask("preflight", tasks=[task("one", "sed -i s/a/b/ 'a.txt'")])
    assert result["tasks"][0]["argv"] == ["sed", "-i", "s/a/b/", "a.txt"]
    assert json.dumps(result["bases"]).count(repo.folder.as_uri()) == 1
    assert server.ask("tickets")["tickets"] == []
    assert not list(Path(machine.state / "runs").iterdir())


def test_preflight_tells_what_a_dispatch_would_tell_or_be_refused_for(
    machine: Machine, repo: Repo
) -> None:
    machine.settings("limits.tickets = 1\n")
    gate = machine.gate()
    server = machine.serve(repo)
    call: dict[str, Any] = {"tasks": [task("one", gate.prompt())], "operationId": "op-1"}
    assert server.ask("preflight", **call)["notices"] == []
    ticket = server.ask("dispatch", **call)["ticket"]
    gate.reached()
    [notice] = server.ask("preflight", **call)["notices"]
    assert ticket in notice["message"]
    other = {"tasks": [task("two", "true")]}
    for wrong in ({**call, **other}, other):
        refused = server.refused("dispatch", **wrong)
        assert server.refused("preflight", **wrong) == refused
    gate.open()
    server.settled(ticket)
