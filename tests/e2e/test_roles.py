"""Roles: ways to work, chosen by a task; and tasks that may only read."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.e2e.scene import Client, Machine, Repo, task_of

pytestmark = pytest.mark.e2e
PEER = Path(__file__).parents[1] / "acp_peer.py"
ARGV = [sys.executable, str(PEER)]


@pytest.fixture
def server(machine: Machine, repo: Repo) -> Client:
    machine.agent(
        "reader",
        ARGV,
        "kind = 'acp'",
        "sandbox = 'off'",
        "roles = ['review']",
        "modelClass = 'big'",
    )
    machine.agent("writer", ARGV, "kind = 'acp'", "sandbox = 'off'", "roles = ['implement']")
    repo.write(
        ".claude/agents/poet.md",
        "---\nname: poet\ndescription: rhymes\ntools: Read\n---\nYou rhyme.\n",
    )
    return machine.serve(repo)


def run_of(server: Client, **task: object) -> tuple[dict[str, object], str]:
    """The task after its end, and the prompt that its agent was given."""
    view = server.run({"id": "one", "prompt": "say hello", **task})
    run = server.ask("run", ticket=view["id"], task="one")
    return task_of(view, "one"), run["prompt"]


def test_a_role_chooses_an_agent_and_tells_it_how_to_work(server: Client) -> None:
    task, prompt = run_of(server, role="review")
    assert task["agent"] == "reader"
    assert prompt.startswith("You review work of others.")
    assert "Do not change any file" in prompt
    assert "unchanged" not in task["flags"]  # type: ignore[operator]


def test_a_role_of_the_repository_goes_to_the_agent_that_is_named(server: Client) -> None:
    task, prompt = run_of(server, role="poet", agent="writer")
    assert task["agent"] == "writer"
    assert prompt.startswith("You rhyme.\n\nUse only these tools: Read.")


def test_a_class_of_model_chooses_an_agent_too(server: Client) -> None:
    task, _ = run_of(server, modelClass="big")
    assert task["agent"] == "reader"


def test_what_nobody_has_is_a_problem(server: Client) -> None:
    tasks = [
        {"id": "one", "prompt": "x", "role": "clown"},
        {"id": "two", "prompt": "x", "role": "review", "modelClass": "tiny"},
    ]
    error = server.refused("dispatch", tasks=tasks)
    found = {each["path"]: each for each in error["data"]["problems"]}
    assert set(found["tasks[0].role"]["valid"]) >= {"explore", "review", "poet"}
    assert "fits no usable agent" in found["tasks[1].modelClass"]["message"]


def test_read_access_is_refused_where_nothing_holds_the_agent_to_it(server: Client) -> None:
    task = {"id": "one", "prompt": "x", "agent": "writer", "access": "read"}
    error = server.refused("dispatch", tasks=[task])
    (problem,) = error["data"]["problems"]
    assert problem["path"] == "tasks[0].access"
    assert problem["valid"] == ["write"]
