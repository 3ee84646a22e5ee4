"""Object files that a store shares with the user's repository stay whole, whatever agents try."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.scene import Machine, Repo, task
from tests.e2e.test_sandbox import agent, needed, works

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(120)]

SPOIL = """
objects=$(cat .git/objects/info/alternates)
find "$objects" -type f -path '*/??/*' -o -name '*.pack' | while read -r file; do
  chmod u+w "$file" && echo spoilt >> "$file" && echo "spoilt $file"
done
echo x > made.txt
"""


def object_files(folder: Path) -> dict[Path, tuple[bytes, int]]:
    return {
        path: (path.read_bytes(), path.stat().st_mode)
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_an_agent_in_the_sandbox_cannot_spoil_them(machine: Machine, repo: Repo) -> None:
    needed()
    repo.git("repack", "-q", "-a", "-d")
    repo.write("loose.txt", "loose\n")
    repo.commit("loose")
    before = object_files(repo.git_dir / "objects")
    agent(machine, SPOIL)
    server = machine.serve(repo)
    ticket = server.run(works())["id"]
    assert server.task(ticket, "t")["state"] == "completed"
    assert "spoilt " not in server.ask("output", ticket=ticket, task="t")["text"]
    assert object_files(repo.git_dir / "objects") == before
    repo.git("fsck", "--strict")
    repo.unwatch()
    repo.git("gc", "-q", "--prune=now")
    server.accept_all(ticket)
    assert server.apply(ticket)["state"] == "applied"
    repo.git("fsck", "--strict")


def test_doctor_says_that_without_a_sandbox_they_are_at_risk(machine: Machine, repo: Repo) -> None:
    machine.settings("sandbox = 'off'\n")
    server = machine.serve(repo)
    lines = {line["area"]: line for line in server.ask("doctor")["lines"]}
    assert lines["objects"]["health"] == "warning"
    assert "damage both" in lines["objects"]["message"]


def test_doctor_says_that_the_sandbox_guards_them(machine: Machine, repo: Repo) -> None:
    needed()
    server = machine.serve(repo)
    lines = {line["area"]: line for line in server.ask("doctor")["lines"]}
    assert lines["objects"]["health"] == "good"


def test_in_copies_an_agent_without_a_sandbox_spoils_none(machine: Machine, repo: Repo) -> None:
    repo.git("repack", "-q", "-a", "-d")
    repo.write("loose.txt", "loose\n")
    repo.commit("loose")
    before = object_files(repo.git_dir / "objects")
    machine.settings("sandbox = 'off'\nobjects = 'copy'\n")
    agent(machine, SPOIL)
    server = machine.serve(repo)
    lines = {line["area"]: line for line in server.ask("doctor")["lines"]}
    assert lines["objects"]["health"] == "good"
    assert "config.toml" in lines["objects"]["message"]
    assert lines["mirror"]["message"].startswith("No store has anything of ")
    server.run(task("before", "true"))
    lines = {line["area"]: line for line in server.ask("doctor")["lines"]}
    assert lines["mirror"]["message"].startswith("The store has copies of the files of ")
    ticket = server.run(works())["id"]
    assert "spoilt " in server.ask("output", ticket=ticket, task="t")["text"]
    assert object_files(repo.git_dir / "objects") == before
    repo.git("fsck", "--strict")
    repo.unwatch()
    repo.git("gc", "-q", "--prune=now")
    repo.git("repack", "-q", "-a", "-d", "-f")
    repo.git("fsck", "--strict")
