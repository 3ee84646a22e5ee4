"""Servers that cannot see each other's processes share a state folder: containers of one home.

What a pid means there is not what it means here, so it proves nothing about who lives.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys

import pytest

from tests.e2e.scene import WORDS, Client, Machine, Repo, sh, task, task_of

OWN_PROCESSES = ("unshare", "--user", "--map-root-user", "--pid", "--fork", "--kill-child")
"""A namespace of processes, in which a program is the first one; the rest is shared."""


def _is_there() -> bool:
    asked = [*OWN_PROCESSES, "--mount-proc", "true"]
    return shutil.which("unshare") is not None and subprocess.call(asked) == 0


pytestmark = [
    pytest.mark.e2e,
    pytest.mark.timeout(180),
    pytest.mark.skipif(not _is_there(), reason="no namespaces of processes can be made here"),
]


def serve_elsewhere(
    machine: Machine, *repos: Repo, more: tuple[str, ...] = ("--mount-proc",)
) -> Client:
    """Start a server in a container of its own that has the state folder in common."""
    program = [sys.executable, "-P", "-m", "sennit", "serve"]
    argv = [*OWN_PROCESSES, *more, *program]
    client = Client(argv, env=machine.environment, cwd=machine.root, deadline_s=60)
    machine.servers.append(client)
    for repo in repos:
        repo.watch()
    client.replies["window/workDoneProgress/create"] = lambda _: None
    folders = [repo.folder for repo in repos]
    client.initialize(WORDS, options={"trusted": True}, folders=folders)
    return client


def everything_dispatched_here_works(server: Client) -> None:
    ticket = server.dispatch(task("other", sh("echo other > other.txt")))
    assert server.settled(ticket)["state"] == "completed"


def test_a_server_in_a_container_leaves_what_a_living_one_owns_alone(
    machine: Machine, repo: Repo, server: Client
) -> None:
    gate = machine.gate()
    ticket = server.dispatch(task("one", gate.prompt(after="echo done > done.txt")))
    gate.reached()
    elsewhere = serve_elsewhere(machine, repo)
    everything_dispatched_here_works(elsewhere)
    assert elsewhere.ask("ticket", ticket=ticket)["owned"] is False
    gate.open()
    view = server.settled(ticket)
    assert view["state"] == "completed"
    assert task_of(view, "one")["flags"] == []
    assert len(server.proposals(ticket)) == 1


def test_what_a_living_server_in_a_container_owns_is_left_alone(
    machine: Machine, repo: Repo
) -> None:
    gate = machine.gate()
    elsewhere = serve_elsewhere(machine, repo)
    ticket = elsewhere.dispatch(task("one", gate.prompt(after="echo done > done.txt")))
    gate.reached()
    server = machine.serve(repo)
    everything_dispatched_here_works(server)
    gate.open()
    view = elsewhere.settled(ticket)
    assert view["state"] == "completed"
    assert task_of(view, "one")["flags"] == []


def test_what_a_container_that_is_gone_owned_is_taken_over(machine: Machine, repo: Repo) -> None:
    gate = machine.gate()
    elsewhere = serve_elsewhere(machine, repo)
    ticket = elsewhere.dispatch(task("one", gate.prompt("echo half > half.txt")))
    gate.reached()
    server = machine.serve(repo)
    elsewhere.kill_9()
    view = server.settled(ticket)
    assert view["state"] == "interrupted"
    assert "recovered" in task_of(view, "one")["flags"]
    proposal = server.proposals(ticket)[0]
    assert "half.txt" in str(server.ask("proposal", proposal=proposal["id"]))


def test_a_start_in_a_container_takes_over_what_was_left_outside(
    machine: Machine, repo: Repo, server: Client
) -> None:
    gate = machine.gate()
    ticket = server.dispatch(task("one", gate.prompt("echo half > half.txt")))
    gate.reached()
    server.kill_9()
    elsewhere = serve_elsewhere(machine, repo)
    view = elsewhere.settled(ticket)
    assert view["state"] == "interrupted"
    assert "recovered" in task_of(view, "one")["flags"]


def test_a_server_that_sees_the_processes_of_another_namespace_only_runs_none(
    machine: Machine, repo: Repo, server: Client
) -> None:
    gate = machine.gate()
    ticket = server.dispatch(task("one", gate.prompt()))
    gate.reached()
    elsewhere = serve_elsewhere(machine, repo, more=())
    assert elsewhere.ask("ticket", ticket=ticket)["owned"] is False
    refused = elsewhere.refused("dispatch", tasks=[task("other", "true")])
    assert "--mount-proc" in refused["message"]
    gate.open()
    assert server.settled(ticket)["state"] == "completed"


def test_start_times_of_another_time_namespace_kill_nobody(
    machine: Machine, repo: Repo, server: Client
) -> None:
    gate = machine.gate()
    ticket = server.dispatch(task("one", gate.prompt(after="echo done > done.txt")))
    gate.reached()
    earlier = ("--time", "--boottime", "100000", "--mount-proc")
    elsewhere = serve_elsewhere(machine, repo, more=earlier)
    everything_dispatched_here_works(elsewhere)
    gate.open()
    view = server.settled(ticket)
    assert view["state"] == "completed"
    assert task_of(view, "one")["flags"] == []


def test_a_run_elsewhere_is_taken_when_its_supervisor_has_ended_it(
    machine: Machine, repo: Repo
) -> None:
    gate = machine.gate()
    stays = ("--mount-proc", "sh", "-c", '"$@"; exec sleep 1000', "sh")
    elsewhere = serve_elsewhere(machine, repo, more=stays)
    # It takes its time to end, and writes until then.
    last_words = "trap 'sleep 1; echo late > late.txt; exit' INT TERM"
    ticket = elsewhere.dispatch(task("one", gate.prompt(f"{last_words}; echo early > early.txt")))
    gate.reached()
    server = machine.serve(repo)
    (pid,) = [
        pid for pid, argv in machine.ours().items() if argv.endswith("-P\0-m\0sennit\0serve\0")
        and argv.startswith(sys.executable)
    ]  # fmt: skip
    os.kill(pid, signal.SIGKILL)
    view = server.settled(ticket)
    assert view["state"] == "interrupted"
    (proposal,) = server.proposals(ticket)
    shown = str(server.ask("proposal", proposal=proposal["id"]))
    assert "early.txt" in shown
    assert "late.txt" in shown


def test_what_one_asks_of_another_and_applies_of_it_goes_between_containers(
    machine: Machine, repo: Repo, server: Client
) -> None:
    gate = machine.gate()
    ticket = server.dispatch(task("one", gate.prompt()))
    gate.reached()
    elsewhere = serve_elsewhere(machine, repo)
    assert elsewhere.ask("cancel", ticket=ticket, force=True)["done"] is True
    assert server.settled(ticket)["state"] == "cancelled"
    done = server.run(task("two", sh("echo x >> a.txt")))["id"]
    elsewhere.settled(done)
    elsewhere.accept_all(done)
    assert elsewhere.apply(done)["state"] == "applied"
    for each in (elsewhere, server):
        assert each.ask("gc", confirm=True)["kept"] == []
    server.shut_down()
    everything_dispatched_here_works(elsewhere)


def test_a_container_takes_over_from_another_in_which_the_server_had_the_same_pid(
    machine: Machine, repo: Repo
) -> None:
    gate = machine.gate()
    one, other = serve_elsewhere(machine, repo), serve_elsewhere(machine)
    ticket = one.dispatch(task("one", gate.prompt("echo half > half.txt")))
    gate.reached()
    one.kill_9()
    view = other.settled(ticket)
    assert view["state"] == "interrupted"
    assert "recovered" in task_of(view, "one")["flags"]
