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
    assert "git mv a.txt A.txt" in told["A.txt"]
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
