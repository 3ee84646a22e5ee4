"""`sennit gc` tells first, takes only what nobody needs, and never what is young or undecided."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest

from tests.e2e.scene import Client, Machine, Repo, sh, task
from tests.wire_client import eventually

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(120)]


def age(machine: Machine) -> None:
    """Make everything in the stores two hours older."""
    age_below(machine.state / "stores")


def age_below(stores: Path) -> None:
    """Make everything in a folder of stores two hours older."""
    for folder, folders, names in os.walk(stores):
        for name in [*folders, *names]:
            path = Path(folder) / name
            # The user's own object files are the same inodes, and none of ours to date.
            if path.is_file() and path.lstat().st_nlink == 1:
                at = path.stat().st_mtime - 7_200
                os.utime(path, (at, at))
    for file in stores.rglob("workspaces/*.json"):
        record = json.loads(file.read_text())
        file.write_text(json.dumps({**record, "created": record["created"] - 7_200}))


def spares_unused_for_days(machine: Machine, days: int) -> list[str]:
    """Make folders that are kept to be used again that old; gives those that are there."""
    for file in machine.state.glob("stores/*/workspaces/spare-*.json"):
        at = time.time() - days * 24 * 3_600 - 60
        os.utime(file, (at, at))
    return [folder.name for folder in machine.state.glob("workspaces/.spare/spare-*")]


def settled(server: Client, script: str) -> str:
    ticket = server.dispatch(task("one", sh(script)))
    assert server.settled(ticket)["state"] == "completed"
    return ticket


def objects(machine: Machine) -> set[str]:
    return {file.name for file in machine.state.glob("stores/*/git/objects/??/*")}


def test_what_was_dropped_is_collected_and_an_undecided_proposal_is_not(
    machine: Machine, repo: Repo, server: Client
) -> None:
    dropped = settled(server, "seq 1 2000 > dropped.txt; git add -A; git commit -qm mine")
    kept = settled(server, "seq 1 3000 > kept.txt")
    server.ask("drop", ids=[dropped], confirm=True)
    assert eventually(lambda: len(list(machine.state.glob("runs/*"))) == 1, 30)
    assert server.ask("gc")["items"] == []
    age(machine)
    before = objects(machine)
    told = server.ask("gc")
    assert not told["done"]
    assert [item["kind"] for item in told["items"]] == ["store"]
    assert told["freedBytes"] > 0
    assert server.ask("gc", confirm=True, dryRun=True)["items"] == told["items"]
    assert objects(machine) == before
    done = server.ask("gc", confirm=True)
    assert done["done"]
    assert done["kept"] == []
    assert done["freedBytes"] > 0
    assert objects(machine) < before
    assert server.ask("gc")["items"] == []
    spares = spares_unused_for_days(machine, 8)
    assert [item["kind"] for item in server.ask("gc")["items"]] == ["spare"]
    assert spares_unused_for_days(machine, 8) == spares
    assert server.ask("gc", confirm=True)["kept"] == []
    assert spares_unused_for_days(machine, 0) == []
    server.accept_all(kept)
    assert server.apply(kept)["state"] == "applied"
    assert repo.read("kept.txt").splitlines()[-1] == "3000"
    repo.git("fsck", "--strict")


def test_a_run_that_never_started_keeps_no_object_from_going(machine: Machine, repo: Repo) -> None:
    # The first fails while its workspace is made, the second where its program is to start.
    machine.settings("[workspace]\nsetup = ['test', '!', '-e', 'broken']\n")
    server = machine.serve(repo)
    dropped = settled(server, "seq 1 2000 > dropped.txt; git add -A; git commit -qm mine")
    repo.write("broken", "")
    for _ in range(2):
        view = server.run(task("one", "/no/such/program"))
        assert view["tasks"][0]["state"] == "failed"
        repo.path("broken").unlink(missing_ok=True)
    record = (
        machine.state / "runs" / Path(server.ask("run", ticket=dropped, task="one")["folder"]).name
    )
    server.ask("drop", ids=[dropped], confirm=True)
    assert eventually(lambda: not record.exists(), 30)
    age(machine)
    before = objects(machine)
    assert server.ask("gc", confirm=True)["kept"] == []
    assert objects(machine) < before


@pytest.mark.parametrize(("kept_longer", "goes"), [("applied", "dropped"), ("dropped", "applied")])
def test_what_was_dropped_and_what_was_applied_are_kept_as_long_as_each_is_to_be(
    machine: Machine, repo: Repo, kept_longer: str, goes: str
) -> None:
    machine.settings(f"[retention]\n{kept_longer} = 30\n{goes} = 2\n")
    server = machine.serve(repo)
    applied = settled(server, "echo applied > applied.txt")
    server.accept_all(applied)
    assert server.apply(applied)["state"] == "applied"
    dropped = settled(server, "echo dropped > dropped.txt")
    (proposal,) = server.proposals(dropped)
    server.ask("drop", ids=[proposal["id"]], confirm=True)
    server.shut_down()
    server = machine.serve(repo, clock_ahead_h=3 * 24)
    told = [item["id"] for item in server.ask("gc")["items"] if item["kind"] == "ticket"]
    assert told == [{"applied": applied, "dropped": dropped}[goes]]


def test_workspaces_of_tickets_that_are_collected_are_told_with_them_alone(
    machine: Machine, repo: Repo
) -> None:
    # What git ignores is nowhere else, so that the workspaces stay when all else is applied.
    repo.write(".gitignore", "*.log\n")
    repo.commit()
    server = machine.serve(repo)
    tickets = []
    for number in range(6):
        scripts = (f"echo > {number}-{n}; echo > left.log" for n in range(2))
        ticket = server.dispatch(*(task(f"k{n}", sh(one)) for n, one in enumerate(scripts)))
        server.settled(ticket)
        server.accept_all(ticket)
        assert server.apply(ticket)["state"] == "applied"
        tickets.append(ticket)
    server.shut_down()
    assert len(list(machine.state.glob("workspaces/n_*"))) == 2 * len(tickets)
    server = machine.serve(repo, clock_ahead_h=15 * 24)
    told = server.ask("gc")["items"]
    assert {item["id"] for item in told if item["kind"] == "ticket"} == set(tickets)
    done = server.ask("gc", confirm=True)
    assert done["kept"] == []
    assert [item["kind"] for item in done["items"] if item["kind"] == "workspace"] == []
    assert eventually(lambda: not list(machine.state.glob("workspaces/n_*")), 30)


def test_a_full_quota_is_told_before_it_is_reached_and_refuses_workspaces_then(
    machine: Machine, repo: Repo
) -> None:
    limit = 64 << 20
    machine.settings(f"[limits]\nstoreBytes = {limit}\n")
    ballast = machine.state / "stores/ballast/git/objects/large"
    ballast.parent.mkdir(parents=True)
    ballast.write_bytes(b"x" * (limit * 9 // 10))
    server = machine.serve(repo)
    view = server.run(task("one", sh("echo x > x.txt")))
    [one] = view["tasks"]
    assert one["state"] == "completed"
    assert any("limits.storeBytes" in notice["message"] for notice in one["notices"])
    ballast.write_bytes(b"x" * (limit + 1))
    lines = {line["area"]: line for line in server.ask("doctor")["lines"]}
    assert lines["storage"]["health"] == "bad"
    refused = server.settled(server.dispatch(task("one", sh("echo x > x.txt"))))
    failure = refused["tasks"][0]["failure"]
    assert failure["kind"] == "setup"
    assert "sennit gc" in failure["message"]
    ballast.unlink()
    assert server.run(task("one", sh("echo x > x.txt")))["state"] == "completed"


def test_nothing_of_another_state_folder_is_collected_where_both_keep_their_stores(
    machine: Machine, repo: Repo
) -> None:
    together = machine.root / "large disk"
    machine.settings(f"[store]\npath = '{together}'\n")
    one = machine.serve(repo)
    kept = settled(one, "seq 1 3000 > kept.txt")
    machine.variables["SENNIT_STATE_DIR"] = str(machine.root / "another state")
    other = machine.serve(repo)
    theirs = settled(other, "seq 1 4000 > theirs.txt")
    age_below(together)
    for server in (other, one):
        assert server.ask("gc", confirm=True)["kept"] == []
    for server, ticket in ((one, kept), (other, theirs)):
        (proposal,) = server.proposals(ticket)
        assert server.ask("proposal", proposal=proposal["id"])
        server.accept(proposal)
        assert server.apply(ticket)["state"] == "applied"
    # What was decided once stays so, whoever comes first the next time.
    other.shut_down()
    again = machine.serve(repo)
    assert again.ask("proposal", proposal=again.proposals(theirs)[0]["id"])
