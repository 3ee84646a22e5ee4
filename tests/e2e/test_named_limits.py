"""Limits of providers, models and agents count on the whole machine, and hold up nobody else."""

from __future__ import annotations

from typing import Any

import pytest

from tests.e2e.scene import Gate, Machine, Repo

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(180)]


def agent(machine: Machine, name: str, *lines: str) -> None:
    """An agent that does what its prompt says, as a script."""
    machine.agent(name, ["sh", "-c", "{prompt}"], "sandbox = 'off'", *lines)


def held(name: str, agent_name: str, gate: Gate) -> dict[str, Any]:
    return {"id": name, "agent": agent_name, "prompt": gate.script()}


def waits(view: dict[str, Any]) -> tuple[str, str | None]:
    return view["state"], view.get("queuedFor")


def test_agents_of_one_provider_take_turns_and_others_go_on(machine: Machine, repo: Repo) -> None:
    machine.settings("limits.provider.us = 1\n")
    agent(machine, "one", "provider = 'us'")
    agent(machine, "two", "provider = 'us'")
    agent(machine, "free")
    first, second, third = (machine.gate(name) for name in ("first", "second", "third"))
    server = machine.serve(repo)
    ticket = server.dispatch(
        held("a", "one", first), held("b", "two", second), held("c", "free", third)
    )
    first.reached()
    third.reached()
    assert waits(server.task(ticket, "b")) == ("queued", "provider")
    assert not second.was_reached
    assert "waits: limits.provider.us lets 1 run at once" in server.story(ticket)
    first.open()
    second.reached()
    third.open()
    second.open()
    assert server.settled(ticket)["state"] == "completed"


def test_a_limit_that_the_client_raises_lets_the_next_task_start(
    machine: Machine, repo: Repo
) -> None:
    machine.settings("limits.model.'maxi-1.5/large' = 1\n")
    agent(machine, "one", "model = 'maxi-1.5/large'")
    first, second = machine.gate("first"), machine.gate("second")
    server = machine.serve(repo)
    ticket = server.dispatch(held("a", "one", first), held("b", "one", second))
    first.reached()
    assert waits(server.task(ticket, "b")) == ("queued", "model")
    server.notify(
        "workspace/didChangeConfiguration",
        {"settings": {"limits": {"model": {"maxi-1.5/large": 2}}}},
    )
    second.reached()
    first.open()
    second.open()
    assert server.settled(ticket)["state"] == "completed"


def test_a_limit_of_one_server_holds_for_the_tasks_of_another(machine: Machine) -> None:
    agent(machine, "one")
    agent(machine, "two")
    mine, theirs, free = (machine.gate(name) for name in ("mine", "theirs", "free"))
    here, there = machine.repo("here"), machine.repo("there")
    server = machine.serve(here, options={"limits": {"agent": {"one": 1}}})
    neighbour = machine.serve(there)
    ours = server.dispatch(held("a", "one", mine))
    mine.reached()
    ticket = neighbour.dispatch(held("b", "one", theirs), held("c", "two", free))
    free.reached()
    assert waits(neighbour.task(ticket, "b")) == ("queued", "agent")
    assert neighbour.ask("wait", ticket=ticket, until="change", timeoutMs=400)
    assert not theirs.was_reached
    mine.open()
    theirs.reached()
    theirs.open()
    free.open()
    assert server.settled(ours)["state"] == neighbour.settled(ticket)["state"] == "completed"
