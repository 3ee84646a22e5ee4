"""The disk of the state folder is full to its last byte, or has no inode left: room can be made."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests.e2e.scene import Machine, Repo, sh, task
from tests.e2e.test_gc import age
from tests.made_disks import small_disk_of_few_files
from tests.wire_client import eventually

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(120)]

WORK = sh("head -c 3000000 /dev/urandom > large; echo new > new.txt")


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """The whole state folder is a small disk."""
    with small_disk_of_few_files(tmp_path / "state") as made:
        yield made


def without_room(disk: Path) -> None:
    with (disk / "filler").open("wb", buffering=0) as file:
        for size in (1 << 16, 1):
            with suppress(OSError):
                while True:
                    file.write(bytes(size))
    assert os.statvfs(disk).f_bavail == 0


def without_inodes(disk: Path) -> None:
    folder = disk / "files"
    folder.mkdir()
    with suppress(OSError):
        for number in range(4_000):
            (folder / str(number)).touch()
    assert os.statvfs(disk).f_favail == 0


def without_both(disk: Path) -> None:
    (disk / "filler").touch()
    without_inodes(disk)
    without_room(disk)


@pytest.mark.parametrize("fill", [without_room, without_inodes, without_both])
def test_what_is_kept_can_be_told_dropped_and_collected(
    disk: Path, machine: Machine, repo: Repo, fill: Callable[[Path], None]
) -> None:
    first = machine.serve(repo)
    tickets = [first.run(task("one", WORK))["id"] for _ in range(3)]
    first.shut_down()
    fill(disk)

    server = machine.serve(repo)
    lines = [line for line in server.ask("doctor")["lines"] if line["area"] == "disk"]
    assert [line["health"] for line in lines] in (["warning"], ["bad"])
    kept = server.ask("retained")["items"]
    assert {item["ticket"] for item in kept} == set(tickets)
    server.shut_down()
    again = machine.serve(repo)
    dropped = again.ask("drop", ids=tickets, confirm=True)
    assert (dropped["done"], dropped["kept"]) == (True, [])
    assert eventually(lambda: not list((disk / "runs").glob("n_*")), 30)
    again.shut_down()

    age(machine)
    last = machine.serve(repo)
    assert last.ask("gc")["items"]
    collected = last.ask("gc", confirm=True)
    assert collected["freedBytes"] > 3_000_000, collected
    assert collected["kept"] == []
    assert last.run(task("more", WORK))["state"] == "completed"


def test_a_second_server_makes_room_while_the_first_waits_for_it(
    disk: Path, machine: Machine, repo: Repo
) -> None:
    first = machine.serve(repo)
    dropped = first.run(task("one", WORK))["id"]
    gate = machine.gate()
    ticket = first.dispatch(task("two", gate.prompt("head -c 300000 /dev/urandom > more")))
    gate.reached()
    without_room(disk)
    gate.open()
    assert "full" in first.next_of("window/showMessage")["params"]["message"]
    second = machine.serve(repo)
    assert second.ask("drop", ids=[dropped], confirm=True)["done"]
    assert first.settled(ticket)["state"] == "completed"


def test_the_reserve_is_there_again_once_there_is_room_for_it(
    disk: Path, machine: Machine, repo: Repo
) -> None:
    def held() -> int:
        return (disk / "reserve" / "room").stat().st_blocks * 512

    machine.serve(repo).shut_down()
    whole = held()
    assert whole >= 2 << 20
    without_room(disk)
    machine.serve(repo).shut_down()
    assert held() > whole // 2
    shutil.rmtree(disk / "reserve")
    (disk / "filler").unlink()
    machine.serve(repo).shut_down()
    assert held() == whole


def test_a_disk_with_little_room_is_not_taken_from(
    disk: Path, machine: Machine, repo: Repo
) -> None:
    with (disk / "filler").open("wb") as file:
        os.posix_fallocate(file.fileno(), 0, 40 << 20)
    machine.serve(repo).shut_down()
    assert not (disk / "reserve").exists()
