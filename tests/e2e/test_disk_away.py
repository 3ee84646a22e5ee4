"""A part of what Sennit keeps lies on a disk of its own that is not mounted just now."""

from __future__ import annotations

import shlex
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.scene import Client, Machine, Repo, sh, task
from tests.small_disks import small_disks
from tests.wire_client import eventually

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(120)]

Unplugged = Callable[[], Callable[[], None]]


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A disk that is taken away after the machine is closed."""
    with small_disks() as put:
        yield put(tmp_path / "large disk")


@pytest.fixture
def elsewhere(tmp_path: Path, disk: Path) -> Iterator[Unplugged]:
    """Take the disk away, its mount point stays; what is given puts it back."""
    beside = tmp_path / "beside"

    def moved(source: Path, target: Path) -> None:
        subprocess.run(["mount", "--bind", str(source), str(target)], check=True)
        subprocess.run(["umount", "--lazy", str(source)], check=True)

    def take_away() -> Callable[[], None]:
        beside.mkdir()
        moved(disk, beside)
        return lambda: moved(beside, disk)

    yield take_away
    if beside.is_mount():
        moved(beside, disk)


def looked(server: Client, area: str) -> list[dict[str, Any]]:
    return [line for line in server.ask("doctor")["lines"] if line["area"] == area]


def dispatched(server: Client, repo: Repo, name: str) -> str:
    return server.dispatch(task(name, sh(f"echo {name} > {name}.txt"), cwd=str(repo.folder)))


@pytest.mark.parametrize("how", ["store.path", "link"])
def test_stores_that_are_gone_with_their_disk_are_not_made_anew(
    disk: Path, elsewhere: Unplugged, machine: Machine, repo: Repo, how: str
) -> None:
    stores = disk / "stores"
    if how == "link":
        stores.mkdir()
        machine.state.mkdir(mode=0o700)
        (machine.state / "stores").symlink_to(stores)
    else:
        machine.settings(f"store.path = '{stores}'\n")
    first = machine.serve(repo)
    ticket = dispatched(first, repo, "one")
    assert first.settled(ticket)["state"] == "completed"
    assert looked(first, "stores")[0]["health"] == "good"
    first.accept_all(ticket)
    first.shut_down()
    put_back = elsewhere()

    server = machine.serve(repo)
    said = server.settled(dispatched(server, repo, "two"))["tasks"][0]["failure"]["message"]
    assert f"{stores} is not the folder that Sennit has used: its disk is not mounted" in said
    assert "Mount its disk" in said
    assert "not mounted" in server.refused("apply", ticket=ticket, target="disk")["message"]
    (line,) = looked(server, "stores")
    assert line["health"] == "bad"
    assert "not known just now" in looked(server, "mirror")[0]["message"]
    (kept,) = server.ask("gc")["kept"]
    for told in (line["message"], kept["message"]):
        assert "its disk is not mounted" in told
    assert not list(disk.iterdir())

    put_back()
    assert server.apply(ticket)["state"] == "applied"
    assert server.settled(dispatched(server, repo, "three"))["state"] == "completed"
    assert repo.read("one.txt") == "one\n"


def test_who_says_that_they_are_lost_has_new_ones(
    disk: Path, elsewhere: Unplugged, machine: Machine, repo: Repo
) -> None:
    machine.settings(f"store.path = '{disk}/stores'\n")
    first = machine.serve(repo)
    assert first.settled(dispatched(first, repo, "one"))["state"] == "completed"
    put_back = elsewhere()
    (line,) = looked(first, "stores")
    command = line["advice"].split("`")[1]
    subprocess.run(shlex.split(command), check=True)
    (line,) = looked(first, "stores")
    assert "is not there, which 1 revision needs" in line["message"]
    assert first.settled(dispatched(first, repo, "two"))["state"] == "completed"
    put_back()


def test_what_an_agent_has_left_waits_for_the_disk_of_the_store(
    disk: Path, elsewhere: Unplugged, machine: Machine, repo: Repo
) -> None:
    machine.settings(f"store.path = '{disk}/stores'\n")
    server = machine.serve(repo)
    gate = machine.gate()
    ticket = server.dispatch(task("one", gate.prompt("echo new > new.txt"), cwd=str(repo.folder)))
    gate.reached()
    server.kill_9()
    put_back = elsewhere()
    after = machine.serve(repo)
    said = after.next_of("window/showMessage")["params"]["message"]
    assert "its disk is not mounted" in said
    assert "taken by itself" in said
    put_back()
    after.settled(ticket)
    assert after.proposals(ticket)[0]["files"] == 1


@pytest.mark.parametrize("part", ["workspaces", "runs", "looks"])
def test_a_part_of_the_state_folder_that_is_away_is_told_and_waited_for(
    disk: Path, elsewhere: Unplugged, machine: Machine, repo: Repo, part: str
) -> None:
    (disk / part).mkdir()
    machine.state.mkdir(mode=0o700)
    (machine.state / part).symlink_to(disk / part)
    first = machine.serve(repo)
    ticket = dispatched(first, repo, "one")
    assert first.settled(ticket)["state"] == "completed"
    first.shut_down()
    put_back = elsewhere()
    server = machine.serve(repo)
    message = server.refused("tickets")["message"]
    assert f"{disk / part} is not the folder that Sennit has used" in message
    (line,) = looked(server, "database")
    assert "its disk is not mounted" in line["message"]
    assert not list(disk.iterdir())
    put_back()
    assert eventually(lambda: "result" in server.call("sennit/tickets", {}), 30)
    assert [one["id"] for one in server.ask("tickets")["tickets"]] == [ticket]
    server.accept_all(ticket)
    assert server.apply(ticket)["state"] == "applied"
