"""Whatever one call of git does to a server, it says so, loses nothing, and the next try works."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from tests.adapters.git.faulty_git import Fault, FaultyGit
from tests.e2e.client import FINAL, Client
from tests.e2e.scene import Machine, Repo, sh, task
from tests.wire_client import Message

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(240)]

MOST_CALLS = 60
"""More than the whole way of two tasks takes."""
EVERY = 1 if "SENNIT_FAULTS" in os.environ else 9
FAULTS = (Fault.FAILS, Fault.KILLED, Fault.HALF_THEN_KILLED)
BEFORE = "one\ntwo\nthree\nfour\nfive\nsix\n"
BOTH = "ONE\ntwo\nthree\nfour\nfive\nSIX\n"
TASKS = (
    task("first", sh("sed -i s/one/ONE/ a.txt; echo new > new.txt")),
    task("second", sh("sed -i s/six/SIX/ a.txt")),
)


@pytest.fixture
def faulty(machine: Machine) -> FaultyGit:
    return FaultyGit(machine.root / "faulty", machine.environment)


def cases() -> Iterator[tuple[int, Fault]]:
    for number in range(1, MOST_CALLS + 1):
        for place, fault in enumerate(FAULTS):
            if EVERY == 1 or (number + place) % EVERY == 0:
                yield number, fault


@pytest.mark.parametrize(("number", "fault"), list(cases()))
def test_one_bad_call_is_told_and_the_next_try_works(
    machine: Machine, repo: Repo, faulty: FaultyGit, number: int, fault: Fault
) -> None:
    faulty.at(number, fault)
    machine.variables["PATH"] = f"{faulty.folder}:{os.environ['PATH']}"
    server = machine.serve(repo)
    told = whole_way(server)
    is_done = not told and repo.read("a.txt") == BOTH and repo.read("new.txt") == "new\n"
    assert is_done or all("git" in each for each in told), told
    # Files are as they were or as they were to become, never anything between.
    assert repo.read("a.txt") in {
        BEFORE,
        BOTH,
        BEFORE.replace("one", "ONE"),
        BEFORE.replace("six", "SIX"),
    }
    assert "Traceback" not in server.stderr()
    if not is_done:
        told = whole_way(server)
        assert not told
        assert (repo.read("a.txt"), repo.read("new.txt")) == (BOTH, "new\n")
    assert server.shut_down() == 0


def whole_way(server: Client) -> list[str]:
    """Dispatch, review, apply; gives what went wrong, in the words that a user is told."""
    answer = server.call("sennit/dispatch", {"tasks": list(TASKS)})
    if "error" in answer:
        return said(answer)
    view = server.settled(answer["result"]["ticket"])
    assert all(each["state"] in FINAL for each in view["tasks"])
    told = [each["failure"]["message"] for each in view["tasks"] if each["state"] != "completed"]
    proposals = server.proposals(view["id"])
    assert len(proposals) + len(told) >= len(TASKS)
    told += [each.get("message", "") for each in proposals if each["integration"] == "failed"]
    clean = [each for each in proposals if each["integration"] == "clean"]
    for proposal in clean:
        choices = [{"decision": "accepted", "all": True}]
        named = {"proposal": proposal["id"], "revision": proposal["revision"]}
        told += said(server.call("sennit/decide", {**named, "choices": choices}))
    if clean:
        told += said(server.call("sennit/apply", {"ticket": view["id"], "target": "disk"}))
    return told


def said(answer: Message) -> list[str]:
    return [answer["error"]["message"]] if "error" in answer else []
