"""Workspaces of work that is in the user's text as a whole go, and serve later tasks."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.e2e.scene import Client, Machine, Repo, sh, task
from tests.wire_client import eventually

pytestmark = pytest.mark.e2e


def workspaces(machine: Machine) -> set[str]:
    return {folder.name for folder in machine.state.glob("workspaces/n_*")}


def spares(machine: Machine) -> list[Path]:
    return list(machine.state.glob("workspaces/.spare/spare-*"))


def done(server: Client, script: str, **keys: object) -> str:
    ticket = server.dispatch(task("one", sh(script), **keys))
    server.settled(ticket)
    return ticket


def applied(server: Client, ticket: str) -> None:
    server.accept_all(ticket)
    assert server.apply(ticket)["state"] == "applied"


def folder_of(server: Client, ticket: str) -> str:
    found: str = server.ask("run", ticket=ticket, task="one")["folder"]
    return Path(found).name


def test_the_folder_of_applied_work_is_that_of_the_next_task(
    machine: Machine, repo: Repo, server: Client
) -> None:
    first = done(server, "echo one > one.txt")
    assert workspaces(machine) == {folder_of(server, first)}
    applied(server, first)
    assert eventually(lambda: not workspaces(machine) and len(spares(machine)) == 1)

    second = done(server, "test ! -e two.txt && cat one.txt > two.txt")

    assert spares(machine) == []
    assert workspaces(machine) == {folder_of(server, second)}
    applied(server, second)
    assert repo.read("two.txt") == "one\n"
    assert server.ask("ticket", ticket=second).get("notices", []) == []


def test_a_follow_up_on_applied_work_has_its_workspace_again_at_the_same_path(
    machine: Machine, repo: Repo, server: Client
) -> None:
    first = done(server, "echo one > one.txt")
    applied(server, first)
    assert eventually(lambda: not workspaces(machine))

    follow = {"ticket": first, "task": "one", "prompt": sh("cat one.txt > two.txt")}
    second = server.ask("follow", **follow)["ticket"]
    server.settled(second)

    assert folder_of(server, second) == folder_of(server, first)
    assert workspaces(machine) == {folder_of(server, first)}
    applied(server, second)
    assert repo.read("two.txt") == "one\n"
    assert eventually(lambda: not workspaces(machine))


@pytest.mark.parametrize("left", ["an ignored file", "a program", "a rejected part"])
def test_it_stays_where_it_holds_more_or_somebody_is_there(machine: Machine, left: str) -> None:
    repo = machine.repo()
    repo.write(".gitignore", "*.log\n")
    repo.write("other.txt", "1\n")
    repo.commit()
    server = machine.serve(repo)
    script = "echo one > one.txt; echo 2 > other.txt"
    ticket = done(server, f"{script}; echo much > run.log" if left == "an ignored file" else script)
    [name] = workspaces(machine)
    folder = machine.state / "workspaces" / name
    if left == "a rejected part":
        [proposal] = server.proposals(ticket)
        named = {"proposal": proposal["id"], "revision": proposal["revision"]}
        for uri, said in (("other.txt", "rejected"), ("one.txt", "accepted")):
            choice = {"files": [(repo.folder / uri).as_uri()], "decision": said}
            server.ask("decide", **named, choices=[choice])
        assert server.apply_one(proposal)["state"] == "applied"
    elif left == "a program":
        with subprocess.Popen(["/bin/sleep", "1000"], cwd=folder) as there:
            applied(server, ticket)
            # What another application leads to comes after what the first one has led to.
            applied(server, done(server, "echo three > three.txt"))
            assert eventually(lambda: workspaces(machine) == {name})
            there.kill()
    else:
        applied(server, ticket)
    applied(server, done(server, "echo four > four.txt"))
    assert eventually(lambda: workspaces(machine) == {name})
    assert (folder / "one.txt").read_text() == "one\n"
    server.ask("drop", ids=[ticket], confirm=True)
    assert eventually(lambda: not workspaces(machine))
