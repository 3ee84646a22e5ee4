"""A state folder that is taken away under a running server is told once, and the server ends."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.e2e.scene import Client, Machine, Repo, task, task_of
from tests.e2e.test_read_only import restricted
from tests.wire_client import eventually

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(120)]


def lost(machine: Machine, server: Client, pid: int) -> str:
    """What the user is told, after everything has ended in order."""
    said: str = server.next_of("window/showMessage")["params"]["message"]
    assert str(machine.state / "sennit.db") in said
    assert server.exit_code() == 1
    assert eventually(lambda: not Path(f"/proc/{pid}").exists())
    assert not [each for each in server.received if each.get("method") == "window/showMessage"]
    assert server.stderr().count("was deleted or moved away") <= 3
    return said


@pytest.mark.parametrize("how", ["deleted", "moved"])
def test_agents_and_the_server_end_and_the_next_server_begins_anew(
    machine: Machine, repo: Repo, server: Client, how: str
) -> None:
    gate = machine.gate()
    server.dispatch(task("one", gate.prompt("echo new > new.txt")))
    pid = gate.reached()
    if how == "deleted":
        shutil.rmtree(machine.state)
    else:
        machine.state.rename(machine.root / "away")
    said = lost(machine, server, pid)
    assert "agents are ended" in said
    after = machine.serve(repo)
    assert after.ask("tickets")["tickets"] == []
    assert after.run(task("one", "true"))["state"] == "completed"


def test_a_log_that_is_deleted_under_servers_costs_no_ticket(
    machine: Machine, repo: Repo, server: Client
) -> None:
    other = machine.serve(repo)
    ticket = server.run(task("one", "cp a.txt new.txt", cwd=str(repo.folder)))["id"]
    assert other.settled(ticket)["state"] == "completed"
    for tail in ("-wal", "-shm"):
        (machine.state / f"sennit.db{tail}").unlink()
    for each in (server, other):
        said = each.next_of("window/showMessage")["params"]["message"]
        assert str(machine.state / "sennit.db-wal") in said
        assert each.exit_code() == 1
    after = machine.serve(repo)
    assert after.ask("ticket", ticket=ticket)["state"] == "completed"
    after.accept_all(ticket)
    assert after.apply(ticket)["state"] == "applied"


def test_who_waits_is_answered_with_the_reason(machine: Machine, server: Client) -> None:
    gate = machine.gate()
    ticket = server.dispatch(task("one", gate.prompt()))
    pid = gate.reached()
    waiting = server.request("sennit/wait", {"ticket": ticket})
    shutil.rmtree(machine.state)
    refused = server.refused("dispatch", tasks=[task("two", "true")])
    assert refused["code"] == 14
    said = lost(machine, server, pid)
    answer = server.answer_to(waiting)
    assert answer["error"]["code"] == 14
    assert answer["error"]["message"] == refused["message"] == said


def test_doctor_says_so_and_what_is_put_back_at_once_is_gone_on_with(
    machine: Machine, server: Client
) -> None:
    gate = machine.gate()
    ticket = server.dispatch(task("one", gate.prompt("echo new > new.txt")))
    gate.reached()
    server.until_state(ticket, "one", "running")
    away = machine.state.rename(machine.root / "away")
    lines = server.ask("doctor")["lines"]
    away.rename(machine.state)
    database = next(line for line in lines if line["area"] == "database")
    assert database["health"] == "bad"
    assert "moved away" in database["message"]
    gate.open()
    assert server.settled(ticket)["state"] == "completed"
    assert not [each for each in server.received if each.get("method") == "window/showMessage"]


@pytest.mark.parametrize(
    ("part", "told"),
    [("runs", "nobody knows how it ended"), ("stores", "no record"), ("workspaces", "not there")],
)
def test_a_part_that_is_deleted_fails_the_task_that_needs_it_and_no_other(
    machine: Machine, server: Client, part: str, told: str
) -> None:
    gate = machine.gate()
    ticket = server.dispatch(task("one", gate.prompt("echo new > new.txt")))
    gate.reached()
    server.until_state(ticket, "one", "running")
    shutil.rmtree(machine.state / part)
    gate.open()
    view = server.settled(ticket)
    assert view["state"] == "failed"
    failure = task_of(view, "one")["failure"]["message"]
    assert told in failure
    if part == "runs":
        # Its work is there all the same.
        (proposal,) = server.proposals(ticket)
        assert proposal["integration"] == "retained"
    assert server.run(task("two", "true"))["state"] == "completed"


def test_a_run_that_cannot_be_looked_at_ends_no_server(machine: Machine, repo: Repo) -> None:
    server, other = restricted(machine, repo), machine.serve(repo)
    assert server.run(task("one", "true"))["state"] == "completed"
    odd = machine.state / "runs" / "n_odd"
    odd.mkdir(mode=0)
    other.kill_9()
    assert eventually(lambda: "tried again" in server.stderr(), 20)
    refused = restricted(machine, repo).refused("tickets")
    assert (refused["code"], str(odd) in refused["message"]) == (14, True)
    odd.rmdir()
    assert server.run(task("two", "true"))["state"] == "completed"


def test_what_an_agent_leaves_is_taken_while_its_repository_is_away(
    machine: Machine, repo: Repo, server: Client
) -> None:
    gate = machine.gate()
    prompt = gate.prompt("sed -i s/two/TWO/ a.txt; echo new > new.txt")
    ticket = server.dispatch(task("one", prompt, cwd=str(repo.folder)))
    gate.reached()
    away = repo.folder.rename(machine.root / "away")
    gate.open()
    view = server.settled(ticket)
    away.rename(repo.folder)
    assert view["state"] == "completed", view
    (proposal,) = server.proposals(ticket)
    assert (proposal["integration"], proposal["files"]) == ("clean", 2)
    server.accept_all(ticket)
    assert server.apply(ticket)["state"] == "applied"
    assert repo.read("new.txt") == "new\n"
