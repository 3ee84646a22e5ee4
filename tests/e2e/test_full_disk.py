"""Disks that fill up while agents work: told once, waited for, nothing lost."""

from __future__ import annotations

import resource
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests.e2e.scene import Client, Machine, Repo, task, task_of
from tests.small_disks import small_disks

WORK = "echo new > new.txt; head -c 300000 /dev/urandom > large"


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A small disk for the stores, which is taken away after the machine is closed."""
    with small_disks() as put:
        yield put(tmp_path / "disk")


@pytest.fixture
def apart(disk: Path, machine: Machine) -> Machine:
    """A machine whose stores lie on a disk of their own."""
    machine.settings(f'[store]\npath = "{disk}/stores"\n')
    return machine


def fill(disk: Path) -> Path:
    """Take all room that there is."""
    filler = disk / "filler"
    with filler.open("wb", buffering=0) as file, suppress(OSError):
        while True:
            file.write(bytes(4096))
    return filler


def test_a_full_state_disk_is_told_and_the_ticket_goes_on_when_there_is_room(
    machine: Machine, repo: Repo, server: Client
) -> None:
    gate = machine.gate()
    ticket = server.dispatch(task("one", gate.prompt("echo new > new.txt"), cwd=str(repo.folder)))
    gate.reached()
    log = machine.state / "sennit.db-wal"
    before = resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE)
    # No file of the server may become longer than the database's log is now.
    resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (log.stat().st_size, before[1]))
    gate.open()
    said = server.next_of("window/showMessage")["params"]["message"]
    assert "full" in said
    assert "do not end the server" in said
    resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, before)
    assert server.settled(ticket)["state"] == "completed"
    assert not [each for each in server.received if each.get("method") == "window/showMessage"]
    server.accept_all(ticket)
    assert server.apply(ticket)["state"] == "applied"
    assert repo.read("new.txt") == "new\n"


def waiting(machine: Machine, repo: Repo, disk: Path) -> tuple[Client, str, Path]:
    """A server that waits for room for what an agent has left; the ticket, what fills the disk."""
    server = machine.serve(repo)
    gate = machine.gate()
    ticket = server.dispatch(task("one", gate.prompt(WORK), cwd=str(repo.folder)))
    gate.reached()
    filler = fill(disk)
    gate.open()
    said = server.next_of("window/showMessage")["params"]["message"]
    assert "No space left" in said
    assert str(disk) in said
    assert "taken by itself" in said
    assert server.task(ticket, "one")["state"] == "running"
    return server, ticket, filler


def test_work_that_a_full_store_cannot_take_is_taken_once_there_is_room(
    apart: Machine, repo: Repo, disk: Path
) -> None:
    server, ticket, filler = waiting(apart, repo, disk)
    assert server.ask("tickets")["tickets"]
    filler.unlink()
    assert server.settled(ticket)["state"] == "completed"
    (proposal,) = server.proposals(ticket)
    assert (proposal["integration"], proposal["files"]) == ("clean", 2)
    assert not [each for each in server.received if each.get("method") == "window/showMessage"]
    assert not list(disk.rglob("tmp_*"))


def test_who_cancels_meanwhile_is_told_where_the_work_is(
    apart: Machine, repo: Repo, disk: Path
) -> None:
    server, ticket, filler = waiting(apart, repo, disk)
    server.ask("cancel", ticket=ticket, force=True)
    view = server.settled(ticket)
    assert view["state"] == "cancelled"
    said = task_of(view, "one")["failure"]["message"]
    folder = Path(said.rpartition("What is there is kept: ")[2])
    assert (folder / "new.txt").read_text() == "new\n"
    filler.unlink()


def test_a_server_that_dies_meanwhile_leaves_the_work_to_the_next(
    apart: Machine, repo: Repo, disk: Path
) -> None:
    server, ticket, filler = waiting(apart, repo, disk)
    server.kill_9()
    filler.unlink()
    after = apart.serve(repo)
    assert after.settled(ticket)["state"] == "completed"
    assert after.proposals(ticket)[0]["files"] == 2


def test_a_store_that_has_become_read_only_is_told_and_used_again_afterwards(
    apart: Machine, repo: Repo, disk: Path
) -> None:
    server = apart.serve(repo)
    ticket = server.run(task("one", "cp a.txt new.txt", cwd=str(repo.folder)))["id"]
    server.accept_all(ticket)
    before = repo.contents()
    subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
    refused = server.refused("apply", ticket=ticket, target="disk")
    failed = task_of(server.run(task("two", "true")), "two")["failure"]["message"]
    subprocess.run(["mount", "-o", "remount,rw", str(disk)], check=True)
    for said in (refused["message"], failed):
        assert "Read-only file system" in said
        assert str(disk) in said
    assert repo.contents() == before
    assert server.apply(ticket)["state"] == "applied"
    assert server.run(task("three", "true"))["state"] == "completed"
