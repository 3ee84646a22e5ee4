"""Work trees in which something is mounted, or that are read-only: told before anything begins."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.scene import Client, Machine, Repo, sh, task

pytestmark = pytest.mark.e2e

Mount = Callable[..., None]


@pytest.fixture
def mount() -> Iterator[Mount]:
    """Mount by the words of `mount`, the last of which is the place; all goes at the end."""
    places: list[str] = []

    def put(*words: str | Path) -> None:
        argv = ["mount", *map(str, words)]
        done = subprocess.run(argv, capture_output=True, check=False)
        if done.returncode != 0:
            pytest.skip(f"runs where root may mount: {done.stderr.decode().strip()}")
        if argv[-1] not in places:
            places.append(argv[-1])

    yield put
    for place in reversed(places):
        subprocess.run(["umount", "--lazy", place], check=True)


def applied(server: Client, script: str) -> dict[str, Any]:
    ticket = server.run(task("one", sh(script)))
    assert ticket["state"] == "completed"
    server.accept_all(ticket["id"])
    return server.apply(ticket["id"])


def told(view: dict[str, Any]) -> dict[str, str | None]:
    return {one["path"]: one.get("message") for one in view["files"]}


def with_data(repo: Repo) -> None:
    repo.write("data/old", "old\n")
    repo.write("config", "config\n")
    repo.commit("data")


def test_files_on_a_mounted_disk_are_written_and_taken_back(
    mount: Mount, machine: Machine, repo: Repo
) -> None:
    with_data(repo)
    mount("-t", "tmpfs", "none", repo.folder / "data")
    repo.write("data/old", "old\n")
    server = machine.serve(repo)
    before = repo.contents()
    done = applied(server, "git mv data/old moved; mkdir data/new; echo 1 > data/new/file")
    assert done["state"] == "applied"
    assert (repo.read("moved"), repo.read("data/new/file")) == ("old\n", "1\n")
    assert not repo.path("data/old").exists()
    assert server.ask("undo", application=done["id"])["state"] == "applied"
    assert repo.contents() == before


def test_what_is_a_mount_itself_is_named_and_all_else_is_written(
    mount: Mount, machine: Machine, repo: Repo
) -> None:
    with_data(repo)
    elsewhere = machine.root / "config-of-this-machine"
    elsewhere.write_text("config\n")
    mount("--bind", elsewhere, repo.folder / "config")
    mount("-t", "tmpfs", "none", repo.folder / "data")
    repo.write("data/old", "old\n")
    server = machine.serve(repo)
    script = "sed -i s/two/TWO/ a.txt; echo changed > config; rm -r data; echo file > data"
    done = applied(server, script)
    assert done["state"] == "partlyApplied"
    messages = told(done)
    assert messages.pop("a.txt") is None
    assert "TWO" in repo.read("a.txt")
    assert messages.keys() == {"config", "data", "data/old"}
    assert all("something is mounted there" in message for message in messages.values() if message)
    assert messages["data/old"] is not None
    assert messages["data/old"].startswith("data: ")
    assert (repo.read("config"), repo.read("data/old")) == ("config\n", "old\n")
    assert elsewhere.read_text() == "config\n"


def test_a_read_only_disk_is_worked_on_and_refused_as_that(
    mount: Mount, machine: Machine, repo: Repo
) -> None:
    repo.write("new", "not in git yet\n")
    before = repo.contents()
    mount("--bind", repo.folder, repo.folder)
    mount("-o", "remount,ro,bind", repo.folder)
    server = machine.serve(repo)
    done = applied(server, "cat new > newer; rm src/b.txt; sed -i s/two/TWO/ a.txt")
    assert done["state"] == "failed"
    messages = told(done)
    assert messages.keys() == {"newer", "src/b.txt", "a.txt"}
    assert all("mounted read-only" in (message or "") for message in messages.values())
    assert repo.contents() == before
