"""Agents in the sandbox of the system, through the server; where there is none, what is said."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from sennit.adapters.sandbox.probing import probe
from sennit.core.sandbox import SandboxMissing, SandboxReady
from tests.e2e.scene import Client, Machine, Repo, task

AVAILABLE = probe(os.environ)
CANARY = "untouched\n"


def works(name: str = "worker", prompt: str = "go") -> dict[str, object]:
    return {"id": "t", "agent": name, "prompt": prompt}


def agent(machine: Machine, script: str, *lines: str) -> None:
    """A configured agent that runs a script, whatever it is asked."""
    file = machine.home / "agent.sh"
    file.write_text(script)
    machine.agent("worker", ["sh", str(file)], 'prompt = "none"', *lines)


def canaries(machine: Machine, repo: Repo) -> list[Path]:
    """Files that no agent has any business with, each in a place of another kind."""
    places = [repo.folder, repo.git_dir, machine.home, machine.state, machine.config]
    machine.state.mkdir(mode=0o700)
    made = [place / "canary.txt" for place in places]
    for each in made:
        each.write_text(CANARY)
    return made


def record_of(server: Client, ticket: str) -> dict[str, Any]:
    record: dict[str, Any] = server.ask("run", ticket=ticket, task="t")
    return record


def without_bubblewrap(machine: Machine) -> None:
    """Give the machine a PATH with all that is needed but bubblewrap."""
    folder = machine.root / "bin"
    folder.mkdir()
    for name in ("git", "sh", "touch", "sed", "env"):
        found = shutil.which(name)
        assert found is not None, name
        (folder / name).symlink_to(found)
    machine.variables["PATH"] = str(folder)


def needed() -> SandboxReady:
    if isinstance(AVAILABLE, SandboxMissing):
        pytest.skip(f"runs where a sandbox works, which `sennit doctor` tells: {AVAILABLE.told}")
    return AVAILABLE


def test_an_agent_writes_in_its_workspace_and_nowhere_else(machine: Machine, repo: Repo) -> None:
    needed()
    places = canaries(machine, repo)
    lines = [f"echo changed > '{each}' || echo refused" for each in places]
    agent(machine, "\n".join(["echo inside > new.txt", *lines, "exit 0"]))
    server = machine.serve(repo)
    ticket = server.run(works())["id"]
    assert server.task(ticket, "t")["state"] == "completed"
    assert [each.read_text() for each in places] == [CANARY] * len(places)
    written = server.ask("output", ticket=ticket, task="t")["text"]
    assert written.split() == ["refused"] * len(places)
    (proposal,) = server.proposals(ticket)
    shown = server.ask("proposal", proposal=proposal["id"], format="patch")
    assert "+inside" in shown["patch"]
    sandbox = record_of(server, ticket)["sandbox"]
    assert sandbox["confined"]
    assert sandbox["wanted"] == "preferred"
    assert "whyNot" not in sandbox


def test_the_same_agent_writes_everywhere_without_a_sandbox(machine: Machine, repo: Repo) -> None:
    canary = machine.home / "canary.txt"
    agent(machine, f"echo changed > '{canary}'; echo inside > new.txt", 'sandbox = "off"')
    server = machine.serve(repo)
    ticket = server.run(works())["id"]
    assert canary.read_text() == "changed\n"
    sandbox = record_of(server, ticket)["sandbox"]
    assert not sandbox["confined"]
    assert "off" in sandbox["whyNot"]


def test_an_agent_keeps_its_state_where_its_settings_say(machine: Machine, repo: Repo) -> None:
    needed()
    script = 'echo kept > "$HOME/.worker/session"; echo no > "$HOME/.other/session"; exit 0'
    agent(machine, script, 'stateFolders = ["~/.worker", "~/"]')
    (machine.home / ".other").mkdir()
    server = machine.serve(repo)
    ticket = server.run(works())["id"]
    assert (machine.home / ".worker" / "session").read_text() == "kept\n"
    assert not (machine.home / ".other" / "session").exists()
    sandbox = record_of(server, ticket)["sandbox"]
    assert sandbox["writable"] == [str(machine.home / ".worker")]
    assert [each.partition(":")[0] for each in sandbox["leftOut"]] == ["~/"]


def test_what_a_person_typed_is_not_confined_unless_everything_is(
    machine: Machine, repo: Repo
) -> None:
    canary = machine.home / "canary.txt"
    server = machine.serve(repo)
    ticket = server.run(task("t", f"touch '{canary}'"))["id"]
    assert canary.exists()
    assert not record_of(server, ticket)["sandbox"]["confined"]


def test_everything_is_confined_where_a_sandbox_is_required(machine: Machine, repo: Repo) -> None:
    machine.settings('sandbox = "required"\n')
    canary = machine.home / "canary.txt"
    server = machine.serve(repo)
    if isinstance(AVAILABLE, SandboxMissing):
        error = server.refused("dispatch", tasks=[task("t", f"touch '{canary}'")])
        assert AVAILABLE.problem in str(error["data"])
        assert not canary.exists()
        return
    ticket = server.run(task("t", f"touch '{canary}' here.txt"))["id"]
    assert server.task(ticket, "t")["state"] == "failed"
    assert not canary.exists()
    sandbox = record_of(server, ticket)["sandbox"]
    assert (sandbox["confined"], sandbox["wanted"]) == (True, "required")


def test_an_agent_below_the_top_of_the_repository_writes_in_all_of_its_workspace(
    machine: Machine, repo: Repo
) -> None:
    needed()
    agent(machine, "pwd; echo up > ../up.txt; echo here > here.txt; git status --short")
    server = machine.serve(repo)
    ticket = server.run({**works(), "cwd": (repo.folder / "src").as_uri()})["id"]
    written = server.ask("output", ticket=ticket, task="t")["text"]
    assert sorted(written.splitlines()[1:]) == ["?? ../up.txt", "?? here.txt"]
    assert server.task(ticket, "t")["state"] == "completed"


def test_an_agent_commits_in_its_workspace_and_nothing_reaches_the_users_git(
    machine: Machine, repo: Repo
) -> None:
    needed()
    script = (
        "echo x > c.txt && git add c.txt && git commit -qm mine && git log --format=%s -1\n"
        f"git -C '{repo.folder}' branch stolen || echo refused\n"
    )
    agent(machine, script)
    server = machine.serve(repo)
    ticket = server.run(works())["id"]
    written = server.ask("output", ticket=ticket, task="t")["text"]
    assert written.splitlines() == ["mine", "refused"]
    # That the git directory of the user is as it was is looked at when the machine is closed.
    assert len(server.proposals(ticket)) == 1


def test_an_agent_that_must_be_confined_is_refused_where_it_cannot_be(
    machine: Machine, repo: Repo
) -> None:
    without_bubblewrap(machine)
    agent(machine, "touch ran", 'sandbox = "required"')
    server = machine.serve(repo)
    error = server.refused("dispatch", tasks=[works()])
    assert "bubblewrap (`bwrap`) is not installed" in str(error["data"])
    assert "Install the package" in str(error["data"])
    (found,) = [each for each in server.ask("agents")["agents"] if each["name"] == "worker"]
    assert not found["usable"]
    assert "sandbox" in found["problem"]
    lines = server.ask("doctor")["lines"]
    (line,) = [each for each in lines if each["area"] == "sandbox"]
    assert line["health"] == "warning"
    (line,) = [each for each in lines if each["area"] == "agents" and "sandbox" in each["message"]]
    assert "bubblewrap" in line["message"]


def test_an_agent_that_would_rather_be_confined_goes_on_without_and_it_is_told(
    machine: Machine, repo: Repo
) -> None:
    without_bubblewrap(machine)
    agent(machine, "echo x > ran.txt")
    server = machine.serve(repo)
    ticket = server.run(works())["id"]
    assert server.task(ticket, "t")["state"] == "completed"
    sandbox = record_of(server, ticket)["sandbox"]
    assert (sandbox["confined"], sandbox["wanted"]) == (False, "preferred")
    assert "not installed" in sandbox["whyNot"]
    (line,) = [each for each in server.ask("doctor")["lines"] if each["area"] == "sandbox"]
    assert (line["health"], "not installed" in line["message"]) == ("warning", True)
    assert "bubblewrap" in line["advice"]


def test_doctor_says_whether_there_is_a_sandbox(machine: Machine, repo: Repo) -> None:
    server = machine.serve(repo)
    (line,) = [each for each in server.ask("doctor")["lines"] if each["area"] == "sandbox"]
    if isinstance(AVAILABLE, SandboxMissing):
        assert line["health"] == "warning"
        assert AVAILABLE.problem in line["message"]
    else:
        assert line["health"] == "good"
        assert AVAILABLE.version in line["message"]


def test_a_cancel_and_the_death_of_the_server_leave_nothing_in_a_sandbox(
    machine: Machine, repo: Repo
) -> None:
    needed()
    script = "setsid sleep 1000 & (sleep 1000 &) & echo here; echo > started.txt; wait"
    agent(machine, script)
    server = machine.serve(repo)
    ticket = server.dispatch(works())
    server.until(ticket, "t", lambda found: "here" in str(found.get("progress")))
    server.ask("cancel", ticket=ticket, force=True)
    assert server.settled(ticket)["tasks"][0]["state"] == "cancelled"
    other = server.dispatch(works())
    server.until(other, "t", lambda found: "here" in str(found.get("progress")))
    server.kill_9()
    again = machine.serve(repo)
    assert again.settled(other)["tasks"][0]["state"] == "interrupted"
    # That no process is left is looked at when the machine is closed.
    assert again.ask("run", ticket=other, task="t")["survivors"] == []
