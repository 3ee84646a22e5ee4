"""A client of a real server that knows the words of Sennit."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Self

import pytest

from tests.nursery import launch_from_nursery
from tests.wire_client import Message, NoMessageError, WireClient

FINAL = {"completed", "partial", "failed", "cancelled", "interrupted", "skipped", "blocked"}
PATIENCE_S = 60
"""How long anything may take; long, for a machine that many tests share."""

WORDS = {"experimental": {"sennit": {"protocolVersion": "0.1", "clientId": "test", "review": True}}}


class Client(WireClient):
    """A client that knows the words of Sennit."""

    @classmethod
    def on(cls, env: Mapping[str, str], cwd: Path, clock_ahead_h: int = 0) -> Self:
        """Start ``sennit serve``, with a clock that is ahead; see ``tests.nursery``."""
        argv = ["by another clock", str(clock_ahead_h)] if clock_ahead_h else ["serve"]
        return cls(argv, env=env, cwd=cwd, deadline_s=PATIENCE_S, launch=launch_from_nursery)

    def ask(self, method: str, **params: object) -> Any:
        """The result of a request that must succeed."""
        answer = self.call(f"sennit/{method}", params)
        assert "result" in answer, answer
        return answer["result"]

    def refused(self, method: str, **params: object) -> Message:
        """The error of a request that must fail."""
        answer = self.call(f"sennit/{method}", params)
        assert "error" in answer, answer
        error: Message = answer["error"]
        return error

    def dispatch(self, *tasks: Mapping[str, object], **call: object) -> str:
        """Dispatch and give the ticket."""
        ticket: str = self.ask("dispatch", tasks=list(tasks), **call)["ticket"]
        return ticket

    def settled(self, ticket: str) -> dict[str, Any]:
        """Wait for a ticket; gives its view."""
        result = self.ask("wait", ticket=ticket, timeoutMs=PATIENCE_S * 1000)
        assert not result["timedOut"], result
        view: dict[str, Any] = result["view"]
        return view

    def run(self, *tasks: Mapping[str, object], **call: object) -> dict[str, Any]:
        """Dispatch and wait for the end."""
        return self.settled(self.dispatch(*tasks, **call))

    def task(self, ticket: str, name: str) -> dict[str, Any]:
        """One task as it is now."""
        return task_of(self.ask("ticket", ticket=ticket), name)

    def until(
        self, ticket: str, name: str, condition: Callable[[dict[str, Any]], object]
    ) -> dict[str, Any]:
        """Wait until a task is as wanted."""
        end = time.monotonic() + PATIENCE_S
        view = self.ask("ticket", ticket=ticket)
        while not condition(task_of(view, name)):
            assert time.monotonic() < end, task_of(view, name)
            done = self.ask(
                "wait", ticket=ticket, until="change", since=view["sequence"], timeoutMs=500
            )
            view = done["view"]
        return task_of(view, name)

    def until_state(self, ticket: str, name: str, *states: str) -> dict[str, Any]:
        """Wait until a task is in one of the states."""
        return self.until(ticket, name, lambda found: found["state"] in states)

    def proposals(self, ticket: str) -> list[dict[str, Any]]:
        """The proposals of a ticket."""
        found: list[dict[str, Any]] = self.ask("proposals", ticket=ticket)["proposals"]
        return found

    def accept_all(self, ticket: str) -> None:
        """Accept every clean proposal whole."""
        for proposal in self.proposals(ticket):
            if proposal["integration"] == "clean":
                self.accept(proposal)

    def accept(self, proposal: Mapping[str, Any]) -> None:
        """Accept a proposal whole."""
        choices = [{"decision": "accepted", "all": True}]
        self.ask("decide", proposal=proposal["id"], revision=proposal["revision"], choices=choices)

    def apply(self, ticket: str, **more: object) -> dict[str, Any]:
        """Apply what is accepted to the disk."""
        result: dict[str, Any] = self.ask("apply", ticket=ticket, target="disk", **more)
        return result

    def apply_one(self, proposal: Mapping[str, Any]) -> dict[str, Any]:
        """Apply what is accepted of one proposal to the disk."""
        named = {"proposal": proposal["id"], "revision": proposal["revision"]}
        result: dict[str, Any] = self.ask("apply", proposals=[named], target="disk")
        return result

    def story(self, ticket: str) -> str:
        """What happened to a ticket, a line an event."""
        return "\n".join(event["message"] for event in self.ask("story", ticket=ticket)["events"])

    def kill_9(self) -> None:
        """Let the server die without a word."""
        self.process.kill()
        self.process.wait()


def task_of(view: Mapping[str, Any], name: str) -> dict[str, Any]:
    """A task of a ticket's view."""
    found: dict[str, Any] = next(each for each in view["tasks"] if each["id"] == name)
    return found


def problems(error: Message) -> dict[str, str]:
    """The problems that an error tells, by path."""
    assert error["code"] == -32602, error
    return {each["path"]: each["message"] for each in error["data"]["problems"]}


def until_no_message(client: Client) -> list[Message]:
    """All that the server has sent by now."""
    marker = client.request("sennit-test/none")
    try:
        client.answer_to(marker)
    except NoMessageError:
        pytest.fail(client.stderr())
    return list(client.received)
