"""A state disk that fills up while agents work: told once, waited for, nothing lost."""

from __future__ import annotations

import resource

from tests.e2e.scene import Client, Machine, Repo, task


def test_a_full_state_disk_is_told_and_the_ticket_goes_on_when_there_is_room(
    machine: Machine, repo: Repo, server: Client
) -> None:
    gate = machine.gate()
    ticket = server.dispatch(task("one", gate.prompt("echo new > new.txt"), cwd=str(repo.folder)))
    gate.reached()
    log = machine.state / "sennit.db-wal"
    before = resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE)
    # No file of the server may become longer than the database's log is now.
    resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (log.stat().st_size, before[1]))
    gate.open()
    said = server.next_of("window/showMessage")["params"]["message"]
    assert "full" in said
    assert "do not end the server" in said
    resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, before)
    assert server.settled(ticket)["state"] == "completed"
    assert not [each for each in server.received if each.get("method") == "window/showMessage"]
    server.accept_all(ticket)
    assert server.apply(ticket)["state"] == "applied"
    assert repo.read("new.txt") == "new\n"
