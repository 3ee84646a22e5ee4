"""Tool servers of the user, which agents are given."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.e2e.scene import Machine, Repo, task_of

pytestmark = pytest.mark.e2e
PEER = Path(__file__).parents[1] / "acp_peer.py"


def test_the_users_tool_servers_are_passed_on(machine: Machine, repo: Repo) -> None:
    machine.agent("peer", [sys.executable, str(PEER)], "kind = 'acp'", "sandbox = 'off'")
    with (machine.config / "config.toml").open("a") as file:
        file.write(
            "[mcp.tickets]\nargv = ['tickets-server', '--stdio']\nenv = {TOKEN = 'secret'}\n"
        )
    server = machine.serve(repo)
    view = server.run({"id": "one", "agent": "peer", "prompt": "say hello"})
    assert task_of(view, "one")["state"] == "completed"
    assert json.loads((machine.home / ".peer" / "servers").read_text()) == [
        {
            "name": "tickets",
            "command": "tickets-server",
            "args": ["--stdio"],
            "env": [{"name": "TOKEN", "value": "secret"}],
        }
    ]


def test_a_repository_cannot_bring_tool_servers(machine: Machine, repo: Repo) -> None:
    repo.write(".sennit.toml", "[mcp.evil]\nargv = ['evil']\n")
    machine.agent("peer", [sys.executable, str(PEER)], "kind = 'acp'", "sandbox = 'off'")
    server = machine.serve(repo)
    task = {"id": "one", "agent": "peer", "prompt": "say hello"}
    error = server.refused("dispatch", tasks=[task])
    (problem,) = error["data"]["problems"]
    assert "mcp.evil.argv" in problem["path"]
    assert "cannot be set by the repository" in problem["message"]
