"""A rename by case alone goes in on a disk that takes both names for one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.scene import Machine, Repo, sh, task
from tests.folding_disk import folding_disk

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(180)]


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Machine]:
    """A machine with such a disk, which is there as long as its servers are."""
    with folding_disk(tmp_path / "folding"):
        made = Machine(tmp_path)
        yield made
        made.close()


@pytest.fixture
def repo(machine: Machine) -> Repo:
    """A repository on that disk; all else of the machine lies elsewhere."""
    made = machine.repo("folding/repo")
    made.git("config", "core.ignoreCase", "true")
    return made


def test_a_rename_by_case_is_applied_and_taken_back(machine: Machine, repo: Repo) -> None:
    server = machine.serve(repo)
    script = "git mv a.txt A.txt && sed -i s/two/TWO/ A.txt && git mv src SRC && git mv SRC Src"
    ticket = server.run(task("one", sh(script)))
    assert ticket["state"] == "completed"
    server.accept_all(ticket["id"])
    done = server.apply(ticket["id"])
    assert done["state"] == "applied", str(done)
    assert {one.name for one in repo.folder.iterdir()} == {".git", "A.txt", "Src"}
    assert repo.read("A.txt") == "one\nTWO\nthree\nfour\nfive\nsix\n"
    told = {one["path"]: one["message"] for one in done["notices"] if "path" in one}
    assert "git mv -- a.txt A.txt" in told["A.txt"]
    # The command that is told does what it is told for.
    repo.unwatch()
    repo.git("mv", "a.txt", "A.txt")
    repo.git("mv", "src/b.txt", "Src/b.txt")
    assert repo.git("ls-files").split() == [b"A.txt", b"Src/b.txt"]


def test_an_undo_gives_every_byte_back(machine: Machine, repo: Repo) -> None:
    server = machine.serve(repo)
    ticket = server.run(task("one", sh("git mv a.txt A.txt; sed -i s/two/TWO/ A.txt")))
    server.accept_all(ticket["id"])
    done = server.apply(ticket["id"])
    assert repo.read("a.txt") == "one\nTWO\nthree\nfour\nfive\nsix\n"
    assert server.ask("undo", application=done["id"])["state"] == "applied"
    assert repo.read("a.txt") == "one\ntwo\nthree\nfour\nfive\nsix\n"
    repo.unwatch()
    assert repo.git("status", "--porcelain") == b""


def test_a_new_file_that_the_disk_takes_for_one_that_is_there_is_named(
    machine: Machine, repo: Repo
) -> None:
    server = machine.serve(repo)
    before = repo.contents()
    ticket = server.run(task("one", sh("echo new > A.txt; echo new > c.txt")))
    server.accept_all(ticket["id"])
    done = server.apply(ticket["id"])
    messages = {one["path"]: one.get("message") for one in done["files"]}
    assert messages["c.txt"] is None
    assert "same name as a.txt on this disk" in messages["A.txt"]
    assert repo.contents() == {**before, b"c.txt": ("file", b"new\n")}


@pytest.mark.parametrize(
    "script",
    ["mv src Src", "mv src Src; mv a.txt A.txt; echo new > new", "mv src Src; echo c > Src/b.txt"],
)
def test_renames_by_case_alone_are_undone(machine: Machine, repo: Repo, script: str) -> None:
    server = machine.serve(repo)
    before = repo.contents()
    ticket = server.run(task("one", sh(script)))
    server.accept_all(ticket["id"])
    done = server.apply(ticket["id"])
    assert done["state"] == "applied"
    assert b"Src/b.txt" in repo.contents()
    undone = server.ask("undo", application=done["id"])
    assert (undone["state"], undone["notices"]) == ("applied", [])
    assert repo.contents() == before


def test_a_rename_by_case_is_one_though_the_store_is_on_such_a_disk(machine: Machine) -> None:
    machine.settings(f"[store]\npath = '{machine.root / 'folding' / 'stores'}'\n")
    repo = machine.repo("elsewhere")
    server = machine.serve(repo)
    ticket = server.run(task("one", sh("mv a.txt A.txt; mv src Src; git add -A; git status -s")))
    said = server.ask("output", ticket=ticket["id"], task="one")["text"].splitlines()
    assert said == ["R  a.txt -> A.txt", "R  src/b.txt -> Src/b.txt"]
    server.accept_all(ticket["id"])
    assert server.apply(ticket["id"])["state"] == "applied"
    assert repo.contents().keys() == {b"A.txt", b"Src/b.txt"}


def test_modes_and_new_files_are_as_they_are_though_workspaces_are_on_such_a_disk(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(machine.variables, "SENNIT_STATE_DIR", str(machine.root / "folding/state"))
    machine.settings(f"[store]\npath = '{machine.root / 'stores'}'\n")
    repo = machine.repo("elsewhere")
    server = machine.serve(repo)
    lines = [line for line in server.ask("doctor")["lines"] if line["health"] == "warning"]
    assert [line for line in lines if "what an agent renames so" in line["message"]]
    ticket = server.run(task("one", sh("git config core.ignoreCase; mv src Src; chmod +x a.txt")))
    assert server.ask("output", ticket=ticket["id"], task="one")["text"] == "true\n"
    server.accept_all(ticket["id"])
    assert server.apply(ticket["id"])["state"] == "applied"
    # The folder is the same one by either name there, so no file is new.
    assert repo.contents().keys() == {b"a.txt", b"src/b.txt"}
    assert repo.contents()[b"a.txt"][0] == "executable"
