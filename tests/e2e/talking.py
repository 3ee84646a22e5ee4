"""Agents of a test that speak ACP: the scripted peer, under any name and with any habits."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from attrs import field, frozen

from tests import acp_peer
from tests.e2e.scene import PATIENCE_S, Client, Machine
from tests.wire_client import eventually

_PEER = acp_peer.__file__


def settings_of_peer(name: str, *habits: str) -> str:
    """The settings that make such an agent."""
    words = ", ".join(f"'{word}'" for word in (sys.executable, _PEER, *habits))
    return f"[agents.{name}]\nargv = [{words}]\nkind = 'acp'\nsandbox = 'off'\n"


def peer(machine: Machine, name: str, *habits: str, also: tuple[str, ...] = ()) -> None:
    """Add an agent to the user's settings."""
    lines = ("kind = 'acp'", "sandbox = 'off'", *also)
    machine.agent(name, [sys.executable, _PEER, *habits], *lines)


@frozen
class Case:
    """What an agent does, and what is to become of its task."""

    prompt: str
    habits: tuple[str, ...] = ()
    state: str = "completed"
    kind: str | None = None
    says: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    more: dict[str, Any] = field(factory=dict)


def outcome(machine: Machine, server: Client, cases: dict[str, Case]) -> dict[str, dict[str, Any]]:
    """Run every case as a task of its own ticket, all at once; give the views of the tasks.

    What differs from the expected is told for all cases together.
    """
    tickets = {
        name: server.dispatch({"id": name, "agent": name, "prompt": case.prompt, **case.more})
        for name, case in cases.items()
    }
    found, wrong = {}, []
    for name, case in cases.items():
        [view] = server.settled(tickets[name])["tasks"]
        view["files"] = [each["path"] for one in server.proposals(tickets[name])
                         for each in _files(server, one)]  # fmt: skip
        view["story"] = server.story(tickets[name])
        found[name] = view
        failure = view.get("failure", {})
        said = failure.get("message", "")
        if (view["state"], failure.get("kind")) != (case.state, case.kind):
            wrong.append(f"{name}: {view['state']}, {failure}")
        wrong += [f"{name} does not say {word!r}: {said}" for word in case.says if word not in said]
        if case.state == "failed" and "kept.txt" in case.prompt and not view["files"]:
            wrong.append(f"{name} has lost its work")
    assert not wrong, "\n".join(wrong)
    assert not strays(machine)
    return found


def _files(server: Client, proposal: dict[str, Any]) -> list[dict[str, Any]]:
    files: list[dict[str, Any]] = server.ask("proposal", proposal=proposal["id"])["files"]
    return files


def strays(machine: Machine) -> dict[int, str]:
    """Processes of agents that are left, after a moment for those that end just now."""

    def left() -> dict[int, str]:
        return {pid: line for pid, line in machine.ours().items()
                if "acp_peer" in line or "sleep" in line}  # fmt: skip

    eventually(lambda: not left())
    return left()


def log_of(machine: Machine) -> list[str]:
    """What all peers have noted, in order."""
    file = machine.home / ".peer" / "log"
    return file.read_text().splitlines() if file.exists() else []


def held_at(place: Path) -> int:
    """Wait until a peer stands at `at PLACE`; gives its pid."""
    file = Path(f"{place}.at")
    assert eventually(file.exists, PATIENCE_S), f"nobody came to {place}"
    return int(file.read_text())


def let_go(place: Path) -> None:
    """Let the peer that stands there go on."""
    Path(f"{place}.go").touch()


def written(server: Client, ticket: str, name: str) -> str:
    """What a task has written to a new file."""
    for proposal in server.proposals(ticket):
        for file in server.ask("proposal", proposal=proposal["id"])["files"]:
            if file["path"] == name:
                text: str = file["units"][0]["afterText"]
                return text.strip()
    raise AssertionError(f"nobody wrote {name}")
