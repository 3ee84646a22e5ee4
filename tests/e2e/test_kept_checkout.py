"""Layers whose kept checkout, or whose own folder, cannot be had: told, and worked without."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from tests.adapters.workspaces.mounted import where_there_are_layers
from tests.e2e.scene import Client, Machine, Repo, sh, task, task_of
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


UNCONFINED = f"sandbox = 'off'\n{KIND}"
MEDDLED = {
    "an edit": ("echo evil >> a.txt", "a.txt"),
    "an edit under the same time": (
        "touch -r a.txt ../t; sed -i s/one/evl/ a.txt; touch -r ../t a.txt; rm ../t",
        "a.txt",
    ),
    "new files": ("echo evil > evil.txt; cp evil.txt src", "evil.txt, src/evil.txt"),
    "a mode": ("chmod 755 src/b.txt", "src/b.txt"),
    "a removal": ("rm -r a.txt src", "a.txt, src"),
    "a link": ("mv src ../other; ln -s ../other src", "src"),
}
LOOK = "ls -lR > /dev/stderr; cat a.txt src/b.txt >> /dev/stderr"


@pytest.mark.parametrize("how", MEDDLED)
def test_what_an_agent_without_a_sandbox_does_to_it_is_seen_by_no_later_one(
    layers: Machine, repo: Repo, how: str
) -> None:
    layers.settings(UNCONFINED)
    server = layers.serve(repo)
    before = seen_by(server, server.run(task("one", sh(LOOK))))
    (kept,) = (layers.state / "stores").glob("*/pristine")
    script, changed = MEDDLED[how]
    meddler = server.run(task("meddler", sh(f"cd '{kept}'; {script}")))
    assert changed in notices_of(server, meddler)
    later = server.run(task("later", sh(LOOK)))
    assert seen_by(server, later) == before
    assert f"{changed}. They were written anew" in notices_of(server, later)
    how_made = server.ask("run", ticket=later["id"], task="later")["workspace"]
    assert how_made["kind"] == "overlay"
    assert "written anew" not in notices_of(server, server.run(task("last", "true")))


def test_while_others_read_a_spoilt_one_no_more_do_and_they_are_told(
    layers: Machine, repo: Repo
) -> None:
    layers.settings(UNCONFINED)
    gate = layers.gate()
    server = layers.serve(repo)
    ticket = server.dispatch(task("reader", gate.prompt(after="cp a.txt copy.txt")))
    gate.reached()
    (kept,) = (layers.state / "stores").glob("*/pristine")
    server.run(task("meddler", sh(f"echo evil >> '{kept}/a.txt'")))
    later = server.run(task("later", sh("cat a.txt > /dev/stderr")))
    assert "evil" not in seen_by(server, later)
    how_made = server.ask("run", ticket=later["id"], task="later")["workspace"]
    assert "somebody has changed files" in how_made["refused"][0]
    gate.open()
    assert "a.txt. Look whether this work rests on them" in notices_of(
        server, server.settled(ticket)
    )


def seen_by(server: Client, view: Mapping[str, Any]) -> str:
    """What an agent has written to its standard error, without times and sizes of folders."""
    (one,) = view["tasks"]
    text = server.ask("output", ticket=view["id"], task=one["id"], stream="stderr")["text"]
    lines = [line for line in text.splitlines() if not line.startswith("total")]
    return "\n".join(re.sub(r" +\d+ \w{3} +\d+ [\d:]{5} ", " ", line) for line in lines)


def notices_of(server: Client, view: Mapping[str, Any]) -> str:
    """What is told of the work of a ticket's only task."""
    (one,), (proposal,) = view["tasks"], server.proposals(view["id"])
    told = server.ask("proposal", proposal=proposal["id"])["notices"]
    return "\n".join(notice["message"] for notice in (*told, *one["notices"]))
