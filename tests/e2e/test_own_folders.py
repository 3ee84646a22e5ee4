"""Nothing is dispatched from within Sennit's own folders, nor where these lie in the work tree."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.scene import Client, Machine, Repo, problems, sh, task

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(180)]


def refusal(server: Client, folder: Path, method: str = "dispatch") -> str:
    error = server.refused(method, tasks=[task("one", "true", cwd=str(folder))])
    message = problems(error)["tasks[0].cwd"]
    assert "cannot be worked on" in message
    return message


def repository_lines(server: Client, folder: Path) -> list[Any]:
    lines = server.ask("doctor", cwd=str(folder))["lines"]
    return [line for line in lines if line["area"] in {"repository", "trust"}]


@pytest.mark.parametrize("below", ["", "src"])
def test_a_workspace_is_no_place_to_dispatch_from(
    machine: Machine, repo: Repo, server: Client, below: str
) -> None:
    gate = machine.gate()
    where = machine.gates / "where"
    ticket = server.dispatch(task("one", gate.prompt(f"pwd > {where}")))
    gate.reached()
    workspace = Path(where.read_text().strip())
    for method in ("dispatch", "preflight"):
        message = refusal(server, workspace / below, method)
        assert f"Use your own folder {repo.folder}." in message
    (line,) = repository_lines(server, workspace / below)
    assert line["health"] == "bad"
    assert str(repo.folder) in line["advice"]
    gate.open()
    assert server.settled(ticket)["state"] == "completed"
    assert [one["id"] for one in server.ask("tickets")["tickets"]] == [ticket]


def test_a_folder_of_ours_without_a_repository_is_none_either(
    machine: Machine, server: Client
) -> None:
    assert "Sennit keeps" in refusal(server, machine.state / "workspaces")


def test_nor_is_a_checkout_that_was_asked_for(server: Client) -> None:
    ticket = server.dispatch(task("one", sh("echo more > more.txt")))
    server.settled(ticket)
    folder = server.ask("materialise", ticket=ticket, task="one")["folder"]
    message = refusal(server, Path(folder))
    assert "Use your own folder." in message
    assert "where `sennit materialise` makes checkouts" in message
    assert "deletes them" not in message


def test_a_checkout_that_was_asked_for_is_told_of_until_its_user_deletes_it(
    machine: Machine, server: Client
) -> None:
    def told() -> tuple[list[Any], list[str]]:
        kept = [one for one in server.ask("retained")["items"] if one["kind"] == "checkout"]
        lines = [line["message"] for line in server.ask("doctor")["lines"]]
        return kept, [line for line in lines if "`sennit materialise`" in line]

    assert told() == ([], [])
    ticket = server.dispatch(task("one", sh("echo more > more.txt")))
    server.settled(ticket)
    folder = server.ask("materialise", ticket=ticket, task="one")["folder"]
    assert server.ask("drop", ids=[ticket], confirm=True)["done"]
    assert server.ask("gc", confirm=True)["done"]
    ((kept,), (line,)) = told()
    assert kept["id"] == Path(folder).name
    assert kept["bytes"] > 0
    assert kept["reason"].endswith(f"in {Path(folder).parent}")
    assert f"1 checkout of `sennit materialise` in {machine.state / 'looks'}" in line
    shutil.rmtree(folder)
    assert told() == ([], [])


@pytest.mark.parametrize("ignored", [False, True])
def test_a_state_folder_in_the_work_tree_is_refused_before_anything_starts(
    machine: Machine, repo: Repo, *, ignored: bool
) -> None:
    state = repo.folder / ".local/state/sennit"
    machine.variables["SENNIT_STATE_DIR"] = str(state)
    if ignored:
        repo.write(".gitignore", ".local\n")
    other = machine.repo("other")
    server = machine.serve(repo, other)
    for method in ("dispatch", "preflight"):
        message = refusal(server, repo.folder / "src", method)
        assert str(state) in message
        assert "SENNIT_STATE_DIR" in message
    assert server.ask("tickets")["tickets"] == []
    assert not list((state / "stores").iterdir())
    (line,) = repository_lines(server, repo.folder)
    assert line["health"] == "bad"
    assert str(state) in line["advice"]
    # A repository beside it, or within the outer one, is not concerned.
    assert server.run(task("one", "true", cwd=str(other.folder)))["state"] == "completed"


def test_a_repository_within_the_one_that_holds_the_state_folder_is_worked_on(
    machine: Machine,
) -> None:
    home = machine.repo("dotfiles")
    machine.variables["SENNIT_STATE_DIR"] = str(home.folder / ".local/state/sennit")
    inner = machine.repo("dotfiles/project")
    server = machine.serve(inner)
    ticket = server.dispatch(task("one", sh("echo more > more.txt")))
    assert server.settled(ticket)["state"] == "completed"
    (proposal,) = server.proposals(ticket)
    assert proposal["files"] == 1
    assert repository_lines(server, inner.folder)[0]["health"] == "good"


@pytest.mark.parametrize("how", ["store.path", "link"])
def test_so_is_a_part_of_it_that_lies_there(machine: Machine, repo: Repo, how: str) -> None:
    place = repo.folder / "place"
    if how == "link":
        machine.state.mkdir(mode=0o700)
        place.mkdir()
        (machine.state / "workspaces").symlink_to(place)
    else:
        machine.settings(f"store.path = '{place}'\n")
    server = machine.serve(repo)
    message = refusal(server, repo.folder)
    assert str(place) in message
    assert ("store.path" in message) == (how == "store.path")


def test_each_may_be_a_link_to_another_disk(machine: Machine, repo: Repo) -> None:
    machine.state.mkdir(mode=0o700)
    for name in ("runs", "setups", "stores", "workspaces", "looks"):
        elsewhere = machine.root / "large disk" / name
        elsewhere.mkdir(parents=True)
        (machine.state / name).symlink_to(elsewhere)
    server = machine.serve(repo)
    for number in range(2):
        ticket = server.run(task("one", sh(f"echo {number} > new-{number}; rm -f a.txt")))
        assert ticket["state"] == "completed"
        looked_at = server.ask("materialise", ticket=ticket["id"], task="one")["folder"]
        assert not Path(looked_at, "a.txt").exists()
        server.accept_all(ticket["id"])
        assert server.apply(ticket["id"])["state"] == "applied"
        dropped = server.ask("drop", ids=[ticket["id"]], confirm=True)
        assert (dropped["done"], dropped["kept"]) == (True, [])
    how = server.ask("doctor", cwd=repo.folder.as_uri())["lines"]
    assert [line for line in how if line["health"] == "bad"] == []
    assert repo.contents().keys() == {b"new-0", b"new-1", b"src/b.txt"}
