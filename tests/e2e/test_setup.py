"""The set-up command makes a workspace ready before its agent comes, or fails its task alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.scene import Machine, Repo, sh, task
from tests.wire_client import eventually

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(120)]


def with_setup(machine: Machine, script: str, more: str = "") -> Repo:
    repo = machine.repo()
    repo.write(".gitignore", "packages/\n")
    repo.commit("ignores packages")
    machine.settings(f"[workspace]\nsetup = ['sh', '-c', '''{script}''']\n{more}")
    return repo


def logs(machine: Machine) -> list[Path]:
    return sorted((machine.state / "setups").glob("*.log"))


def test_an_agent_finds_what_the_set_up_made_and_none_of_it_counts_as_its_work(
    machine: Machine,
) -> None:
    repo = with_setup(machine, "mkdir packages; echo made > packages/one; echo installed; pwd >&2")
    server = machine.serve(repo)
    view = server.run(task("one", sh("cat packages/one >> a.txt")))
    assert view["state"] == "completed", view
    [done] = view["tasks"]
    said = [notice["message"] for notice in done["notices"]]
    [log] = logs(machine)
    assert len(said) == 1, said
    assert str(log) in said[0]
    assert log.read_text().startswith("installed\n")
    assert stat_of(log) == 0o600
    [summary] = server.proposals(view["id"])
    proposal = server.ask("proposal", proposal=summary["id"])
    assert [each["path"] for each in proposal["files"]] == ["a.txt"]
    assert not repo.path("packages").exists()
    dropped = server.ask("drop", ids=[view["id"]], confirm=True)
    assert dropped["done"]
    assert eventually(lambda: not logs(machine), 30)


def stat_of(path: Path) -> int:
    return path.stat().st_mode & 0o777


def test_a_failing_set_up_fails_its_task_with_its_reason_and_no_other(machine: Machine) -> None:
    # The first one fails, as a disk or a network may.
    first = machine.root / "first"
    repo = with_setup(machine, f"mkdir {first} || exit 0; echo no network for $PWD/src >&2; exit 3")
    server = machine.serve(repo)
    ticket = server.dispatch(
        task("one", sh("echo x > x.txt")), task("two", sh("echo y > y.txt"), dependsOn=["one"])
    )
    view = server.settled(ticket)
    one, two = view["tasks"]
    assert one["state"] == "failed"
    assert one["failure"]["kind"] == "setup"
    message = one["failure"]["message"]
    assert "exit code 3" in message
    assert f"no network for {repo.folder}/src" in message
    assert str(logs(machine)[0]) in message
    assert two["state"] != "completed"
    assert not list((machine.state / "workspaces").glob("[!.]*"))
    again = server.run(task("one", sh("echo x > x.txt")))
    assert again["state"] == "completed"


def test_a_set_up_that_hangs_is_stopped_with_all_that_it_started(machine: Machine) -> None:
    repo = with_setup(machine, "sleep 600 & sleep 600", "setupMs = 1000\n")
    server = machine.serve(repo)
    view = server.run(task("one", sh("echo x > x.txt")))
    [one] = view["tasks"]
    assert one["failure"]["kind"] == "setup"
    assert "did not end within 1 seconds" in one["failure"]["message"]


def test_a_set_up_ends_with_its_server_and_its_output_is_kept(machine: Machine) -> None:
    gate = machine.gate()
    repo = with_setup(machine, f"echo begun; {gate.script()}")
    server = machine.serve(repo)
    ticket = server.dispatch(task("one", sh("echo x > x.txt")))
    pid = gate.reached()
    server.kill_9()
    assert eventually(lambda: not Path(f"/proc/{pid}").exists(), 30)
    server = machine.serve(repo)
    server.settled(ticket)
    assert logs(machine)[0].read_text() == "begun\n"
    assert not [each for each in (machine.state / "setups").iterdir() if each.is_dir()]


def test_what_a_set_up_changes_that_is_not_ignored_is_told(machine: Machine) -> None:
    repo = machine.repo()
    repo.write(".sennit.toml", "[workspace]\nsetup = ['sh', '-c', 'echo ran > from-setup']\n")
    repo.commit("names a set-up")
    server = machine.serve(repo)
    view = server.run(task("one", sh("cat from-setup && echo x > x.txt")))
    [one] = view["tasks"]
    assert one["state"] == "completed", one
    said = " ".join(notice["message"] for notice in one["notices"])
    assert "part of the proposal: from-setup" in said
