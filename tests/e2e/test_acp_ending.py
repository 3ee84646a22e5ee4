"""The end of agents that speak ACP: a cancel, an orderly end of the server, its death."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest

from tests.e2e.scene import Client, Machine, Repo, task_of
from tests.e2e.talking import held_at, log_of, peer, strays, written
from tests.wire_client import eventually

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(180)]

QUICK = "stop.cancelMs = 1000\nstop.closeMs = 1000\nstop.termMs = 1000\n"
PATIENT = "stop.cancelMs = 60000\nstop.closeMs = 60000\nstop.termMs = 60000\n"


def begun(machine: Machine, server: Client, more: str = "") -> str:
    """A task whose agent has written a file and left an orphan, and stands still."""
    place = machine.gates / "here"
    prompt = f"write kept.txt work\norphan {machine.gates / 'orphan'}\n{more}\nat {place}"
    ticket = server.dispatch({"id": "one", "agent": "peer", "prompt": prompt})
    held_at(place)
    server.until_state(ticket, "one", "running")
    return ticket


def cancelled(machine: Machine, server: Client, ticket: str) -> None:
    server.ask("cancel", ticket=ticket, force=True)
    view = server.settled(ticket)
    assert view["state"] == "cancelled"
    assert task_of(view, "one")["stopped"] == "inTheMiddle"
    assert not strays(machine)


def test_a_cancel_is_told_to_it_and_honoured_at_once(machine: Machine, repo: Repo) -> None:
    # None of the times passes before the test would fail.
    machine.settings(PATIENT)
    peer(machine, "peer")
    server = machine.serve(repo)
    ticket = begun(machine, server)
    cancelled(machine, server, ticket)
    assert log_of(machine)[-1].endswith("is cancelled")
    assert written(server, ticket, "kept.txt") == "work"


@pytest.mark.parametrize(
    "habits",
    [("stubborn",), ("stubborn", "deaf"), ("stubborn", "deaf", "ignores-term"), ("ignores-term",)],
    ids=" ".join,
)
def test_one_that_does_not_heed_a_cancel_is_ended_by_the_ladder(
    machine: Machine, repo: Repo, habits: tuple[str, ...]
) -> None:
    machine.settings(QUICK)
    peer(machine, "peer", *habits)
    server = machine.serve(repo)
    ticket = begun(machine, server)
    cancelled(machine, server, ticket)
    assert written(server, ticket, "kept.txt") == "work"


@pytest.mark.parametrize("habit", ["silent", "slow-session"])
def test_a_cancel_before_there_is_a_session_waits_for_nothing(
    machine: Machine, repo: Repo, habit: str
) -> None:
    machine.settings(PATIENT)
    peer(machine, "peer", habit)
    server = machine.serve(repo)
    ticket = server.dispatch({"id": "one", "agent": "peer", "prompt": "write a.txt hi"})
    assert eventually(lambda: len(log_of(machine)) > 0, 60)
    server.until_state(ticket, "one", "running")
    server.ask("cancel", ticket=ticket, force=True)
    assert server.settled(ticket)["state"] == "cancelled"
    assert not server.proposals(ticket)
    assert not strays(machine)


def test_a_task_that_waits_for_the_start_of_another_is_cancelled(
    machine: Machine, repo: Repo
) -> None:
    machine.settings(PATIENT)
    peer(machine, "peer", "silent")
    server = machine.serve(repo)
    tickets = [server.dispatch({"id": "one", "agent": "peer", "prompt": "say x"}) for _ in range(2)]
    assert eventually(lambda: len(log_of(machine)) > 0, 60)
    for ticket in reversed(tickets):
        server.ask("cancel", ticket=ticket, force=True)
    assert {server.settled(ticket)["state"] for ticket in tickets} == {"cancelled"}
    assert not strays(machine)


def test_an_orderly_end_of_the_server_cancels_and_keeps_the_work(
    machine: Machine, repo: Repo
) -> None:
    machine.settings(QUICK)
    peer(machine, "peer")
    server = machine.serve(repo)
    ticket = begun(machine, server)
    assert server.shut_down() == 0
    assert not strays(machine)
    kept_after(machine, repo, ticket)


def test_an_orderly_end_does_not_wait_long_for_a_stubborn_one(machine: Machine, repo: Repo) -> None:
    peer(machine, "peer", "stubborn", "deaf", "ignores-term")
    server = machine.serve(repo)
    ticket = begun(machine, server)
    began = time.monotonic()
    assert server.shut_down() == 0
    assert time.monotonic() - began < 20
    kept_after(machine, repo, ticket)


@pytest.mark.parametrize("habits", [(), ("stubborn", "deaf", "ignores-term")], ids=["good", "bad"])
def test_the_death_of_the_server_ends_it_and_its_work_is_kept(
    machine: Machine, repo: Repo, habits: tuple[str, ...]
) -> None:
    machine.settings(QUICK)
    peer(machine, "peer", *habits)
    server = machine.serve(repo)
    ticket = begun(machine, server)
    server.signal(signal.SIGKILL)
    server.process.wait()
    assert not strays(machine)
    kept_after(machine, repo, ticket)


def kept_after(machine: Machine, repo: Repo, ticket: str) -> None:
    """The next server tells the task as interrupted, and has its work."""
    server = machine.serve(repo)
    view = server.until_state(ticket, "one", "interrupted")
    assert view["state"] == "interrupted"
    assert eventually(lambda: bool(server.proposals(ticket)), 60)
    assert written(server, ticket, "kept.txt") == "work"


def test_the_death_of_the_shim_ends_it_and_its_work_is_kept(machine: Machine, repo: Repo) -> None:
    machine.settings(QUICK)
    peer(machine, "peer", "stubborn")
    server = machine.serve(repo)
    ticket = begun(machine, server)
    pid = held_at(machine.gates / "here")
    shim = int(Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[1])
    assert "shim" in machine.ours()[shim]
    os.kill(shim, signal.SIGKILL)
    [view] = server.settled(ticket)["tasks"]
    assert (view["state"], view["failure"]["kind"]) == ("failed", "internal"), view
    assert written(server, ticket, "kept.txt") == "work"
    assert not strays(machine)
