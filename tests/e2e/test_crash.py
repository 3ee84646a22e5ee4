from __future__ import annotations

import signal
import time
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.scene import Client, Machine, Repo, sh, task, task_of
from tests.e2e.test_cancel import asking, hold_git
from tests.wire_client import eventually

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(180)]


def after_the_crash(machine: Machine, repo: Repo, server: Client) -> Client:
    """Kill the server, see that nothing of it runs on, start the next one."""
    server.kill_9()
    repo.check()
    return machine.serve(repo)


def everything_is_told(server: Client, ticket: str) -> dict[str, Any]:
    """Whatever happened, every view answers and the ticket is settled."""
    view = server.settled(ticket)
    listed = {each["id"]: each["state"] for each in server.ask("tickets")["tickets"]}
    assert listed[ticket] == view["state"]
    assert "settled" in server.story(ticket)
    for proposal in server.proposals(ticket):
        server.ask("proposal", proposal=proposal["id"])
    # Slots and claims are free: new work runs.
    fresh = server.dispatch(*(task(f"new{n}", "true") for n in range(4)))
    assert server.settled(fresh)["state"] == "completed"
    return view


def test_a_queued_task_is_interrupted_and_never_started(machine: Machine, repo: Repo) -> None:
    gate, other = machine.gate(), machine.gate("other")
    server = machine.serve(repo)
    ticket = server.dispatch(
        task("held", gate.prompt()), task("queued", other.prompt()),
        task("after", "true", dependsOn=["held"]), maxConcurrent=1,
    )  # fmt: skip
    gate.reached()
    server.until_state(ticket, "held", "running")
    server = after_the_crash(machine, repo, server)
    view = everything_is_told(server, ticket)
    assert {each["state"] for each in view["tasks"]} <= {"interrupted", "blocked"}
    assert view["state"] in {"interrupted", "failed"}
    assert not other.was_reached
    assert "recovered" in task_of(view, "queued")["flags"]


def test_a_task_in_preparation_is_interrupted(machine: Machine, repo: Repo) -> None:
    gate, agent = machine.gate("git"), machine.gate()
    hold_git(machine, gate, "read-tree")
    server = machine.serve(repo)
    ticket = server.dispatch(task("one", agent.prompt()))
    gate.reached()
    server.kill_9()
    gate.open()
    server = machine.serve(repo)
    view = everything_is_told(server, ticket)
    assert task_of(view, "one")["state"] == "interrupted"
    assert not agent.was_reached


def test_the_work_of_a_running_task_is_kept(machine: Machine, repo: Repo) -> None:
    gate = machine.gate()
    server = machine.serve(repo)
    ticket = server.dispatch(
        task("done", "sed -i s/six/SIX/ a.txt"),
        task("held", gate.prompt("echo hello; sed -i s/two/TWO/ a.txt")),
    )
    pid = gate.reached()
    server.until(ticket, "done", lambda found: found.get("proposal"))
    server.until_state(ticket, "held", "running")
    server = after_the_crash(machine, repo, server)
    view = everything_is_told(server, ticket)
    held = task_of(view, "held")
    assert (held["state"], held["resultText"]) == ("interrupted", "hello\n")
    assert task_of(view, "done")["state"] == "completed"
    assert eventually(lambda: not Path(f"/proc/{pid}").exists())
    found = {each["task"]: each for each in server.proposals(ticket)}
    assert found["held"]["integration"] == "retained"
    assert found["done"]["integration"] == "clean"
    patch = server.ask("proposal", proposal=found["held"]["id"], format="patch")["patch"]
    assert "+TWO" in patch
    server.accept_all(ticket)
    server.apply(ticket)
    assert "SIX" in repo.read("a.txt")


def test_a_task_that_waits_for_an_answer_is_interrupted(machine: Machine, repo: Repo) -> None:
    server = machine.serve(repo)
    ticket = server.dispatch(task("one", asking("Which?")))
    question = server.until_state(ticket, "one", "waiting")["question"]["id"]
    server = after_the_crash(machine, repo, server)
    view = everything_is_told(server, ticket)
    assert task_of(view, "one")["state"] == "interrupted"
    names = {"ticket": ticket, "task": "one", "question": question}
    assert server.refused("answer", **names, answer="late")["code"] == 12


def test_what_a_finished_run_left_is_captured_by_the_next_server(
    machine: Machine, repo: Repo
) -> None:
    gate = machine.gate("git")
    hold_git(machine, gate, "update-index", "TWO")
    server = machine.serve(repo)
    ticket = server.dispatch(task("one", "sed -i s/two/TWO/ a.txt"))
    gate.reached()
    server.kill_9()
    gate.open()
    server = machine.serve(repo)
    view = everything_is_told(server, ticket)
    assert task_of(view, "one")["state"] == "completed"
    assert [each["integration"] for each in server.proposals(ticket)] == ["clean"]


def test_a_merge_is_done_again_by_the_next_server(machine: Machine, repo: Repo) -> None:
    gate = machine.gate("git")
    hold_git(machine, gate, "merge-tree")
    server = machine.serve(repo)
    ticket = server.dispatch(
        task("one", "sed -i s/two/TWO/ a.txt"), task("two", "sed -i s/six/SIX/ a.txt")
    )
    gate.reached()
    server.kill_9()
    gate.open()
    server = machine.serve(repo)
    view = everything_is_told(server, ticket)
    assert view["state"] in {"completed", "partial"}
    integrations = [each["integration"] for each in server.proposals(ticket)]
    assert integrations.count("clean") >= 1
    assert "pending" not in integrations


def test_what_was_settled_decided_and_applied_stays(machine: Machine, repo: Repo) -> None:
    server = machine.serve(repo)
    ticket = server.dispatch(task("one", "sed -i s/two/TWO/ a.txt"))
    before = server.settled(ticket)
    server.accept_all(ticket)
    applied = server.apply(ticket)
    decided = server.proposals(ticket)
    server = after_the_crash(machine, repo, server)
    view = everything_is_told(server, ticket)
    assert (view["state"], view["tasks"]) == (before["state"], before["tasks"])
    assert server.proposals(ticket) == decided
    assert server.ask("undo", application=applied["id"])["state"] == "applied"
    assert "TWO" not in repo.read("a.txt")


def test_a_second_crash_during_recovery_loses_nothing(machine: Machine, repo: Repo) -> None:
    gate = machine.gate()
    server = machine.serve(repo)
    ticket = server.dispatch(task("held", gate.prompt("sed -i s/two/TWO/ a.txt")))
    gate.reached()
    server.until_state(ticket, "held", "running")
    server.kill_9()
    for delay in (0.1, 0.4):
        again = machine.serve(repo)
        time.sleep(delay)  # Whatever the next server has come to by then.
        again.kill_9()
    server = machine.serve(repo)
    view = everything_is_told(server, ticket)
    assert task_of(view, "held")["state"] == "interrupted"
    assert [each["integration"] for each in server.proposals(ticket)] == ["retained"]


def test_another_server_takes_over_while_it_runs(machine: Machine, repo: Repo) -> None:
    gate = machine.gate()
    server, other = machine.serve(repo), machine.serve(repo)
    ticket = server.dispatch(task("held", gate.prompt("sed -i s/two/TWO/ a.txt")))
    gate.reached()
    server.until_state(ticket, "held", "running")
    assert eventually(lambda: bool(other.ask("tickets")["tickets"]))
    server.kill_9()
    view = everything_is_told(other, ticket)
    assert task_of(view, "held")["state"] == "interrupted"
    assert [each["integration"] for each in other.proposals(ticket)] == ["retained"]


def test_an_orderly_end_captures_what_runs(machine: Machine, repo: Repo) -> None:
    gate = machine.gate()
    server = machine.serve(repo)
    ticket = server.dispatch(
        task("held", gate.prompt("sed -i s/two/TWO/ a.txt")),
        task("after", "true", dependsOn=["held"]),
    )
    gate.reached()
    server.until_state(ticket, "held", "running")
    began = time.monotonic()
    assert server.shut_down() == 0
    assert time.monotonic() - began < 15
    assert eventually(lambda: not machine.ours())
    server = machine.serve(repo)
    view = everything_is_told(server, ticket)
    assert task_of(view, "held")["state"] == "interrupted"
    assert "recovered" not in task_of(view, "held")["flags"]
    assert [each["integration"] for each in server.proposals(ticket)] == ["retained"]


def test_an_orderly_end_does_not_wait_for_a_stubborn_program(machine: Machine, repo: Repo) -> None:
    gate = machine.gate()
    server = machine.serve(repo)
    ticket = server.dispatch(task("held", sh(gate.script("trap '' INT TERM HUP; echo x > new"))))
    gate.reached()
    server.until_state(ticket, "held", "running")
    began = time.monotonic()
    assert server.shut_down() == 0
    assert time.monotonic() - began < 15
    server = machine.serve(repo)
    assert task_of(everything_is_told(server, ticket), "held")["state"] == "interrupted"


@pytest.mark.parametrize("how", ["TERM", "end of file"])
def test_a_signal_or_the_end_of_the_stream_is_an_orderly_end(
    machine: Machine, repo: Repo, how: str
) -> None:
    gate = machine.gate()
    server = machine.serve(repo)
    ticket = server.dispatch(task("held", gate.prompt("sed -i s/two/TWO/ a.txt")))
    gate.reached()
    server.until_state(ticket, "held", "running")
    if how == "TERM":
        server.signal(signal.SIGTERM)
        assert server.exit_code() == 143
    else:
        server.close_stdin()
        assert server.exit_code() == 1
    assert eventually(lambda: not machine.ours())
    server = machine.serve(repo)
    view = everything_is_told(server, ticket)
    assert task_of(view, "held")["state"] == "interrupted"
    assert [each["integration"] for each in server.proposals(ticket)] == ["retained"]


def test_no_new_work_is_taken_during_the_end(machine: Machine, repo: Repo) -> None:
    gate = machine.gate()
    server = machine.serve(repo)
    server.dispatch(task("held", gate.prompt()))
    gate.reached()
    end = server.request("shutdown")
    late = server.request("sennit/dispatch", {"tasks": [task("late", "true")]})
    assert server.answer_to(late)["error"]["code"] == -32600
    assert "result" in server.answer_to(end)
    server.notify("exit")
    assert server.exit_code() == 0


def test_a_crash_between_the_renames_of_an_apply_is_settled_by_comparing(
    machine: Machine, repo: Repo
) -> None:
    names = [f"many/{number:04}.txt" for number in range(600)]
    for name in names:
        repo.write(name, "before\n")
    repo.commit("many")
    server = machine.serve(repo)
    ticket = server.dispatch(task("one", sh("for f in many/*; do echo after > $f; done")))
    server.settled(ticket)
    server.accept_all(ticket)
    before = repo.contents()
    server.request("sennit/apply", {"ticket": ticket, "target": "disk"})
    first = repo.path(names[0])
    assert eventually(lambda: first.read_text() == "after\n", 60)
    server = after_the_crash(machine, repo, server)
    [application] = [
        each for each in server.ask("retained")["items"] if each["kind"] == "application"
    ]
    assert eventually(lambda: applied_state(server) not in {"applying", "unknown"}, 60)
    texts = {repo.read(name) for name in names}
    assert texts <= {"before\n", "after\n"}
    assert not [path for path in repo.contents() if path not in before]
    found = applied_state(server)
    if texts == {"after\n"}:
        assert found == "applied"
        assert server.ask("undo", application=application["id"])["state"] == "applied"
    elif texts == {"before\n"}:
        assert found == "failed"
        assert server.apply(ticket)["state"] == "applied"
        assert {repo.read(name) for name in names} == {"after\n"}
    else:
        assert found == "partlyApplied"
    everything_is_told(server, ticket)


def applied_state(server: Client) -> str:
    items = server.ask("retained")["items"]
    found: str = next(each["reason"] for each in items if each["kind"] == "application")
    return found
