"""Layers whose kept checkout, or whose own folder, cannot be had: told, and worked without."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from tests.adapters.workspaces.mounted import where_there_are_layers
from tests.e2e.scene import Machine, Repo, sh, task, task_of
from tests.small_disks import SmallDisk, small_disks

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(180)]

MIB = 1 << 20
KIND = '[workspace]\nkind = "overlay"\n'


@pytest.fixture
def small_disk() -> Iterator[SmallDisk]:
    with small_disks() as put:
        yield put


@pytest.fixture
def layers(small_disk: SmallDisk, machine: Machine) -> Machine:  # noqa: ARG001  see below
    """A machine that makes layers, and is closed before small disks are taken away."""
    where_there_are_layers()
    machine.settings(KIND)
    return machine


def test_what_lies_in_its_place_is_named_by_doctor_and_by_the_run(
    layers: Machine, repo: Repo
) -> None:
    server = layers.serve(repo)
    assert server.run(task("one", "true"))["state"] == "completed"
    (kept,) = (layers.state / "stores").glob("*/pristine")
    elsewhere = kept.rename(layers.root / "elsewhere")
    kept.symlink_to(elsewhere)
    ticket = server.run(task("two", sh("cat src/b.txt > c.txt")))
    assert ticket["state"] == "completed"
    how = server.ask("run", ticket=ticket["id"], task="two")["workspace"]
    assert how["kind"] != "overlay"
    assert "the kept checkout cannot be used" in how["refused"][0]
    lines = server.ask("doctor", cwd=repo.folder.as_uri())["lines"]
    (told,) = [line for line in lines if str(kept) in line["message"]]
    assert told["health"] == "warning"
    assert str(kept) in told["advice"]
    kept.unlink()
    ticket = server.run(task("three", "true"))
    how = server.ask("run", ticket=ticket["id"], task="three")["workspace"]
    assert (how["kind"], how["refused"]) == ("overlay", [])


def test_a_disk_without_room_for_it_is_worked_without(
    layers: Machine, repo: Repo, small_disk: SmallDisk
) -> None:
    disk = small_disk(layers.root / "disk")
    layers.settings(f'{KIND}[store]\npath = "{disk}"\n')
    large = repo.folder / "large"
    large.write_bytes(os.urandom(5 * MIB))
    repo.commit("large")
    server = layers.serve(repo)
    ticket = server.run(task("one", sh("wc -c < large > size")))
    assert ticket["state"] == "completed"
    how = server.ask("run", ticket=ticket["id"], task="one")["workspace"]
    assert how["kind"] == "checkout"
    assert "No space left" in how["refused"][0]


def test_a_layer_that_finds_no_room_is_told_as_that(
    layers: Machine, repo: Repo, small_disk: SmallDisk
) -> None:
    layers.state.mkdir(mode=0o700)
    disk = small_disk(layers.state / "workspaces")
    server = layers.serve(repo)
    assert server.run(task("one", "true"))["state"] == "completed"
    # The kept checkout is there: only what differs from it has to be written.
    repo.write("a.txt", "a line\n" * 400_000)
    filling = disk / "filling"
    filling.write_bytes(bytes(os.statvfs(disk).f_bavail * os.statvfs(disk).f_bsize - MIB))
    ticket = server.run(task("two", "true"))
    failure = task_of(ticket, "two")["failure"]
    assert (ticket["state"], failure["kind"]) == ("failed", "diskFull")
    assert "No space left" in failure["message"]
    filling.unlink()
    ticket = server.run(task("three", sh("wc -l < a.txt > lines")))
    assert ticket["state"] == "completed"
    how = server.ask("run", ticket=ticket["id"], task="three")["workspace"]
    assert how["kind"] == "overlay"
