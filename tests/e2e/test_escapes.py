"""A run fails as escaped only with evidence that names it; people's own changes fail nothing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.e2e.scene import Machine, Repo, task_of
from tests.e2e.talking import held_at, let_go, peer

pytestmark = pytest.mark.e2e


def told_only(path: Path) -> str:
    """A line that lets the peer say that it changed a file, which it does not."""
    update = {"sessionUpdate": "tool_call", "toolCallId": "x", "title": "write", "kind": "edit",
              "status": "completed", "locations": [{"path": str(path)}]}  # fmt: skip
    message = {"jsonrpc": "2.0", "method": "session/update", "params": {"update": update}}
    return f"raw {json.dumps(message)}"


def test_only_evidence_that_names_a_run_makes_it_escaped(machine: Machine, repo: Repo) -> None:
    peer(machine, "peer")
    server = machine.serve(repo)
    outside = machine.root / "outside.txt"
    place = machine.gates / "here"
    prompts = {
        "writes": f"write {outside} yes\nwrite kept.txt yes",
        "says": f"{told_only(machine.root / 'never.txt')}\nwrite kept.txt yes",
        "looks-on": f"write kept.txt yes\nat {place}",
    }
    tickets = {
        name: server.dispatch({"id": "one", "agent": "peer", "prompt": prompt})
        for name, prompt in prompts.items()
    }
    held_at(place)
    repo.write("a.txt", "saved by a person\n")
    let_go(place)
    views = {name: task_of(server.settled(ticket), "one") for name, ticket in tickets.items()}
    assert {name: view["state"] for name, view in views.items()} == {
        "writes": "failed", "says": "completed", "looks-on": "completed",
    }  # fmt: skip
    failure = views["writes"]["failure"]
    assert failure["kind"] == "escaped"
    assert str(outside) in failure["message"]
    assert any(str(outside) in note["message"] for note in views["writes"]["notices"])
    assert str(outside) in server.story(tickets["writes"])
    [kept] = server.proposals(tickets["writes"])
    assert kept["integration"] == "retained"
