from __future__ import annotations

import pytest

from tests.adapters.git.installed import needs_git
from tests.e2e.scene import Client, Gate, Machine, Repo, task, task_of

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(180)]


@pytest.fixture
def gate(machine: Machine) -> Gate:
    return machine.gate()


def held(server: Client, gate: Gate) -> str:
    """A task that has changed its text and stands still."""
    ticket = server.dispatch(task("one", gate.prompt("sed -i s/two/TWO/ a.txt")))
    gate.reached()
    server.until_state(ticket, "one", "running")
    return ticket


def flagged(server: Client, ticket: str, flag: str) -> dict[str, object]:
    return server.until(ticket, "one", lambda found: flag in found["flags"])


def test_a_quiet_user_is_no_drift(server: Client, gate: Gate, repo: Repo) -> None:
    ticket = held(server, gate)
    repo.git("status")
    gate.open()
    view = server.settled(ticket)
    server.ask("wait", ticket=ticket, until="change", since=view["sequence"], timeoutMs=300)
    assert server.task(ticket, "one")["flags"] == []
    repo.unwatch()


def test_a_save_is_shown_and_merged_with(server: Client, gate: Gate, repo: Repo) -> None:
    ticket = held(server, gate)
    repo.write("a.txt", "one\ntwo\nthree\nfour\nfive\nSIX by hand\n")
    flagged(server, ticket, "sourceDrift")
    assert "a.txt" in server.story(ticket)
    gate.open()
    assert server.settled(ticket)["state"] == "completed"
    server.accept_all(ticket)
    assert server.apply(ticket)["state"] == "applied"
    assert repo.read("a.txt") == "one\nTWO\nthree\nfour\nfive\nSIX by hand\n"


def test_a_save_of_a_file_that_git_takes_for_another_is_shown(
    server: Client, gate: Gate, repo: Repo
) -> None:
    repo.unwatch()
    repo.git("config", "core.ignoreCase", "true")
    repo.write(".git/info/exclude", "*.LOG\n")
    repo.write("A.txt", "never added\n")
    repo.watch()
    ticket = held(server, gate)
    repo.write("build.log", "ignored\n")
    repo.write("A.txt", "saved\n")
    flagged(server, ticket, "sourceDrift")
    story = server.story(ticket)
    assert "A.txt" in story
    assert "build.log" not in story
    gate.open()
    assert server.settled(ticket)["state"] == "completed"


def test_drift_at_the_very_end_of_a_run_is_shown_too(
    server: Client, gate: Gate, repo: Repo
) -> None:
    ticket = held(server, gate)
    repo.write("late.txt", "saved\n")
    gate.open()
    assert server.settled(ticket)["state"] == "completed"
    flagged(server, ticket, "sourceDrift")


def test_a_commit_holds_the_apply_until_it_is_confirmed(
    server: Client, gate: Gate, repo: Repo
) -> None:
    repo.unwatch()
    ticket = held(server, gate)
    repo.write("c.txt", "c\n")
    repo.commit("during the run")
    flagged(server, ticket, "headMoved")
    gate.open()
    assert server.settled(ticket)["state"] == "completed"
    server.accept_all(ticket)
    assert "HEAD is at" in server.ask("preview", ticket=ticket)["held"][0]["message"]
    error = server.refused("apply", ticket=ticket, target="disk")
    assert (error["code"], "confirmMoved" in error["message"]) == (12, True)
    assert "TWO" not in repo.read("a.txt")
    repo.watch()
    assert server.apply(ticket, confirmMoved=True)["state"] == "applied"
    assert "TWO" in repo.read("a.txt")


def test_a_switch_of_the_branch_fails_nothing(server: Client, gate: Gate, repo: Repo) -> None:
    repo.unwatch()
    ticket = held(server, gate)
    repo.git("switch", "-q", "-c", "other")
    flagged(server, ticket, "headMoved")
    gate.open()
    assert task_of(server.settled(ticket), "one")["state"] == "completed"
    server.accept_all(ticket)
    assert server.refused("apply", ticket=ticket, target="disk")["code"] == 12


def test_a_fetch_is_shown_and_holds_nothing(machine: Machine, gate: Gate, repo: Repo) -> None:
    upstream = machine.repo("upstream")
    repo.git("remote", "add", "origin", str(upstream.folder))
    server = machine.serve(repo)
    repo.unwatch()
    ticket = held(server, gate)
    repo.git("fetch", "-q", "origin")
    flagged(server, ticket, "sourceDrift")
    gate.open()
    assert server.settled(ticket)["state"] == "completed"
    server.accept_all(ticket)
    assert server.apply(ticket)["state"] == "applied"


def test_a_fetch_is_shown_where_refs_are_no_files(machine: Machine, gate: Gate) -> None:
    needs_git((2, 45), "reftable")
    upstream = machine.repo("upstream")
    repo = machine.repo("by tables", "--ref-format=reftable")
    repo.git("remote", "add", "origin", str(upstream.folder))
    server = machine.serve(repo)
    repo.unwatch()
    ticket = held(server, gate)
    repo.git("fetch", "-q", "origin")
    flagged(server, ticket, "sourceDrift")
    assert "branches or tags differ" in server.story(ticket)
    gate.open()
    assert server.settled(ticket)["state"] == "completed"


@pytest.mark.parametrize("what", ["config", "hook"])
def test_a_change_of_configuration_or_hooks_is_shown(
    server: Client, gate: Gate, repo: Repo, what: str
) -> None:
    repo.unwatch()
    ticket = held(server, gate)
    if what == "config":
        repo.git("config", "user.name", "Somebody")
    else:
        repo.write(".git/hooks/post-commit", "#!/bin/sh\n", mode=0o755)
    flagged(server, ticket, "sourceDrift")
    gate.open()
    assert server.settled(ticket)["state"] == "completed"


def test_our_own_apply_is_no_drift(server: Client, gate: Gate, repo: Repo) -> None:
    ticket = server.dispatch(
        task("done", "sed -i s/six/SIX/ a.txt"), task("one", gate.prompt("echo n > n.txt"))
    )
    gate.reached()
    server.until_state(ticket, "done", "completed")
    server.until_state(ticket, "one", "running")
    server.until(ticket, "done", lambda found: found.get("proposal"))
    [proposal] = server.proposals(ticket)
    server.ask("wait", ticket=ticket, until="change", timeoutMs=500)
    server.accept(proposal)
    server.apply_one(proposal)
    assert "SIX" in repo.read("a.txt")
    gate.open()
    view = server.settled(ticket)
    server.ask("wait", ticket=ticket, until="change", since=view["sequence"], timeoutMs=300)
    assert server.task(ticket, "one")["flags"] == []
