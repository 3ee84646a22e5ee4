"""What a server has told of outlasts a failure of the power, which is played; see ``tests.power``.

The database waits for the disk by itself; what counts here are the objects that its rows name.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.client import PATIENCE_S
from tests.e2e.scene import WORDS, Client, Machine, Repo, sh, task
from tests.nursery import launch_from_nursery
from tests.power import lose_unsynced, noted_in

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(120)]


@pytest.fixture
def notes(machine: Machine) -> Path:
    file = machine.root / "notes"
    file.touch()
    return file


def serve_noting(machine: Machine, notes: Path, *repos: Repo) -> Client:
    """A server that notes what it waits for."""
    client = Client(
        ["noting", str(notes)],
        env=machine.environment,
        cwd=machine.root,
        deadline_s=PATIENCE_S,
        launch=launch_from_nursery,
    )
    machine.servers.append(client)
    folders = [repo.folder for repo in repos]
    client.initialize(WORDS, options={"trusted": True}, folders=folders)
    return client


def power_fails(machine: Machine, notes: Path, server: Client) -> None:
    server.kill_9()
    on_disk = noted_in(notes)
    for store in (machine.state / "stores").iterdir():
        for part in ("objects", "refs"):
            lose_unsynced(store / "git" / part, on_disk)


def open_unsaved(server: Client, file: Path, text: str) -> None:
    item = {"uri": file.as_uri(), "languageId": "plaintext", "version": 1, "text": text}
    server.notify("textDocument/didOpen", {"textDocument": item})


def many(folder: str) -> str:
    """More new files than become objects one by one."""
    return sh(f"mkdir {folder}; for n in $(seq 40); do echo $n > {folder}/$n.txt; done")


def test_finished_proposals_can_be_read_and_applied(
    machine: Machine, repo: Repo, notes: Path
) -> None:
    repo.write("untracked.txt", "the user's\n")
    server = serve_noting(machine, notes, repo)
    open_unsaved(server, repo.path("a.txt"), "ONE\ntwo\nthree\nfour\nfive\nsix\n")
    ticket = server.run(
        task("one", sh("sed -i s/six/SIX/ a.txt")),
        task("two", sh("sed -i s/three/THREE/ a.txt; echo by two >> untracked.txt")),
        task("many", many("made")),
        task("on-top", sh("echo more >> made/1.txt"), dependsOn=["many"]),
    )["id"]
    before = server.proposals(ticket)
    power_fails(machine, notes, server)
    after = machine.serve(repo)
    assert [one["integration"] for one in before] == ["clean"] * 4
    assert after.proposals(ticket) == before
    repo.write("a.txt", "ONE\ntwo\nthree\nfour\nfive\nsix\n")
    after.accept_all(ticket)
    assert after.apply(ticket)["state"] == "applied"
    assert repo.read("a.txt") == "ONE\ntwo\nTHREE\nfour\nfive\nSIX\n"
    assert repo.read("untracked.txt") == "the user's\nby two\n"
    assert (repo.read("made/1.txt"), repo.read("made/40.txt")) == ("1\nmore\n", "40\n")


def test_what_was_applied_can_be_undone(machine: Machine, repo: Repo, notes: Path) -> None:
    repo.write("a.txt", "what is in no commit\n")
    server = serve_noting(machine, notes, repo)
    ticket = server.run(task("one", sh("echo new > a.txt")), task("many", many("made")))["id"]
    server.accept_all(ticket)
    applied = server.apply(ticket)
    assert (applied["state"], repo.read("a.txt")) == ("applied", "new\n")
    power_fails(machine, notes, server)
    after = machine.serve(repo)
    assert after.ask("undo", application=applied["id"])["state"] == "applied"
    assert repo.read("a.txt") == "what is in no commit\n"
    assert not repo.path("made").exists()
