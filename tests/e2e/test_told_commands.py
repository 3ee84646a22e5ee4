"""Commands that people are told to run can be given to a shell as they stand."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.e2e.scene import Machine, Repo, problems, sh, task

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(120)]

ODD = 'it\'s a "$HOME" &\nmore'


def in_a_shell(machine: Machine, command: str, folder: Path) -> str:
    argv, variables = ["bash", "-c", command], machine.environment
    done = subprocess.run(argv, cwd=folder, env=variables, capture_output=True, check=True)
    return done.stdout.decode()


def test_the_fetch_of_work_in_a_submodule(machine: Machine) -> None:
    machine.variables["SENNIT_STATE_DIR"] = str(machine.root / ODD / "state")
    library = machine.repo("library")
    repo = machine.repo()
    repo.git("submodule", "--quiet", "add", str(library.folder), "lib")
    repo.commit("with a submodule")
    server = machine.serve(repo)
    ticket = server.run(task("one", sh("echo changed > lib/a.txt; touch new.txt")))["id"]
    (proposal,) = server.proposals(ticket)
    notices = server.ask("proposal", proposal=proposal["id"])["notices"]
    (said,) = [one["message"] for one in notices if "git fetch" in one["message"]]
    repo.unwatch()
    in_a_shell(machine, f"git fetch {said.partition('git fetch ')[2]}", repo.folder / "lib")
    shown = in_a_shell(machine, "git show FETCH_HEAD:a.txt", repo.folder / "lib")
    assert shown == "changed\n"


def test_the_trust_of_a_folder(machine: Machine) -> None:
    repo = machine.repo(ODD)
    server = machine.serve(repo, trusted=False)
    error = server.refused("dispatch", tasks=[task("one", "true", cwd=str(repo.folder))])
    (problem,) = error["data"]["problems"]
    word = problem["message"].partition("sennit trust grant ")[2]
    assert in_a_shell(machine, f"printf %s {word}", repo.folder) == str(repo.folder)


def test_the_configuration_that_trusts_an_owner(machine: Machine) -> None:
    other = machine.repo(ODD)
    for place, folders, names in os.walk(other.folder):
        for name in (".", *folders, *names):
            os.lchown(Path(place) / name, 12345, 12345)
    machine.repos.remove(other)
    server = machine.serve()
    error = server.refused("dispatch", tasks=[task("one", "true", cwd=str(other.folder))])
    said = problems(error)["tasks[0].cwd"]
    in_a_shell(machine, said.partition("run: ")[2].rstrip("."), machine.root)
    listed = in_a_shell(machine, "git config --global safe.directory", machine.root)
    assert listed == f"{other.folder}\n"
    server.run(task("one", "true", cwd=str(other.folder)))


def test_the_deletion_of_checkouts(machine: Machine, repo: Repo) -> None:
    machine.variables["SENNIT_STATE_DIR"] = str(machine.root / ODD / "state")
    server = machine.serve(repo)
    ticket = server.run(task("one", sh("touch new.txt")))["id"]
    folder = Path(server.ask("materialise", ticket=ticket, task="one")["folder"])
    lines = server.ask("doctor")["lines"]
    (said,) = [one["advice"] for one in lines if "rm -r" in one.get("advice", "")]
    command = said.partition(": ")[2]
    in_a_shell(machine, command.replace("NAME", folder.name), machine.root)
    assert not folder.exists()
