"""`sennit doctor` finds objects of kept work that are missing or damaged, and whose they are."""

from __future__ import annotations

from hashlib import sha1
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.scene import Client, Machine, Repo, sh, task
from tests.small_disks import small_disks

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(120)]


def looked(server: Client) -> dict[str, Any]:
    (line,) = [line for line in server.ask("doctor")["lines"] if line["area"] == "stores"]
    return dict(line)


def file_of(machine: Machine, content: str) -> Path:
    identity = sha1(f"blob {len(content)}\0{content}".encode(), usedforsecurity=False).hexdigest()
    (file,) = machine.state.glob(f"stores/*/git/objects/{identity[:2]}/{identity[2:]}")
    return file


def proposed(server: Client, name: str) -> str:
    ticket = server.run(task("one", sh(f"echo {name} > {name}.txt")))["id"]
    return str(server.proposals(ticket)[0]["id"])


@pytest.mark.parametrize("how", ["deleted", "emptied", "other bytes", "cut off"])
def test_an_object_that_is_gone_or_spoilt_is_told_with_the_work_that_needs_it(
    machine: Machine, server: Client, how: str
) -> None:
    whole, hit = proposed(server, "whole"), proposed(server, "hit")
    assert looked(server)["health"] == "good"
    assert looked(server)["message"] == "The objects that 2 revisions need are there."
    file = file_of(machine, "hit\n")
    content = file.read_bytes()
    file.chmod(0o600)
    match how:
        case "deleted":
            file.unlink()
        case "emptied":
            file.write_bytes(b"")
        case "cut off":
            file.write_bytes(content[:-2])
        case _:
            other = file_of(machine, "whole\n")
            file.write_bytes(other.read_bytes())
    line = looked(server)
    assert line["health"] == "bad"
    assert hit in line["message"]
    assert file.parent.name + file.name in line["message"]
    assert whole not in line["message"] + line["advice"]
    assert line["advice"].endswith(f"sennit drop {hit}")
    file.write_bytes(content)
    assert looked(server)["health"] == "good"


def test_so_is_a_commit_or_a_whole_store(machine: Machine, server: Client) -> None:
    hit = proposed(server, "hit")
    (head,) = machine.state.glob("stores/*/git/HEAD")
    refs = head.parent / "refs" / "sennit" / "runs"
    commit = next(file.read_text().strip() for file in refs.iterdir())
    lost = head.parent / "objects" / commit[:2] / commit[2:]
    away = lost.rename(machine.root / "away")
    assert hit in looked(server)["message"]
    away.rename(lost)
    assert looked(server)["health"] == "good"
    store = head.parent.parent.rename(machine.root / "store")
    line = looked(server)
    assert (line["health"], "is not there" in line["message"]) == ("bad", True)
    store.rename(head.parent.parent)
    assert looked(server)["health"] == "good"


def test_what_the_users_git_has_pruned_is_no_damage_where_nothing_needs_it(
    tmp_path: Path, machine: Machine
) -> None:
    with small_disks() as put:
        disk = put(tmp_path / "disk")
        machine.settings(f"store.path = '{disk}/stores'\n")
        repo = machine.repo()
        repo.write("a.txt", "of a commit that goes\n")
        repo.commit("goes")
        server = machine.serve(repo)
        ticket = server.run(task("one", sh("echo one > one.txt")))["id"]
        repo.unwatch()
        repo.git("reset", "-q", "--hard", "HEAD~1")
        repo.git("reflog", "expire", "--expire=now", "--all")
        repo.git("gc", "-q", "--prune=now")
        assert looked(server)["health"] == "good"
        server.accept_all(ticket)
        assert server.apply(ticket, confirmMoved=True)["state"] == "applied"
        server.shut_down()


def test_where_nothing_is_kept_nothing_is_said(server: Client) -> None:
    assert [line for line in server.ask("doctor")["lines"] if line["area"] == "stores"] == []


def test_it_is_shown_how_far_that_is(machine: Machine, repo: Repo) -> None:
    first = machine.serve(repo)
    proposed(first, "one")
    server = machine.serve(repo, words={"window": {"workDoneProgress": True}})
    assert looked(server)["health"] == "good"
    told = [server.next_of("$/progress")["params"]["value"] for _ in range(3)]
    assert [value["kind"] for value in told] == ["begin", "report", "end"]
    assert (told[0]["title"], told[1]["message"]) == ("Looking at kept work", "0 of 1")
