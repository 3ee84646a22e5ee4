"""What was done before costs nothing later: after many tickets all is as quick as after few."""

from __future__ import annotations

import contextlib
import os
import sqlite3

import pytest

from tests.adapters.git.faulty_git import FaultyGit
from tests.e2e.scene import Client, Machine, Repo, sh, task

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(120)]


def one_ticket(server: Client, script: str) -> str:
    ticket = server.dispatch(task("one", sh(script)))
    assert server.settled(ticket)["state"] == "completed"
    return ticket


def test_lenses_of_a_file_ask_git_about_the_proposals_that_touch_it_alone(
    machine: Machine, repo: Repo
) -> None:
    counted = FaultyGit(machine.root / "counting", machine.environment)
    counted.counting()
    machine.variables["PATH"] = f"{counted.folder}:{os.environ['PATH']}"
    server = machine.serve(repo)
    for number in range(4):
        one_ticket(server, f"echo {number} > other-{number}.txt")
    through = one_ticket(server, "sed -i s/two/TWO/ a.txt")
    server.accept_all(through)
    assert server.apply(through)["state"] == "applied"
    one_ticket(server, "sed -i s/six/SIX/ a.txt")
    server.shut_down()
    # One that has looked at none of them yet.
    server = machine.serve(repo)
    counted.counting()
    document = {"uri": repo.path("a.txt").as_uri()}
    lenses = server.call("textDocument/codeLens", {"textDocument": document})["result"]
    assert [one["command"]["title"] for one in lenses][:1] == ["Sennit, one: 1 change"]
    assert counted.calls().count("diff-tree") == 1
    server.call("textDocument/codeLens", {"textDocument": document})
    assert counted.calls().count("diff-tree") == 1


def told_of(machine: Machine, ticket: str) -> int:
    """How many lines of the story of a ticket the database has."""
    with contextlib.closing(sqlite3.connect(machine.state / "sennit.db")) as database:
        asked = "SELECT count(*) FROM story WHERE ticket = ?"
        return int(database.execute(asked, (ticket,)).fetchone()[0])


def events(machine: Machine) -> int:
    with contextlib.closing(sqlite3.connect(machine.state / "sennit.db")) as database:
        return int(database.execute("SELECT count(*) FROM events").fetchone()[0])


def test_what_is_told_of_a_dropped_ticket_goes_with_the_next_collection(
    machine: Machine, repo: Repo
) -> None:
    server = machine.serve(repo)
    kept = one_ticket(server, "echo kept > kept.txt")
    dropped = one_ticket(server, "echo dropped > dropped.txt")
    server.ask("drop", ids=[dropped], confirm=True)
    assert server.ask("gc", confirm=True)["kept"] == []
    # It is young.
    assert told_of(machine, dropped) > 0
    story = server.story(kept)
    before = events(machine)
    server.shut_down()
    server = machine.serve(repo, clock_ahead_h=2)
    assert server.ask("gc", confirm=True)["kept"] == []
    assert told_of(machine, dropped) == 0
    assert events(machine) < before
    assert server.story(kept) == story
