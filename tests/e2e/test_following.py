"""Follow-ups: the same workspace's path, the agent's session, the next revision of a proposal."""

from __future__ import annotations

import json
import shlex
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.scene import Client, Machine, Repo, sh, task, task_of
from tests.e2e.talking import held_at, log_of, peer

pytestmark = pytest.mark.e2e

A_TXT = "one\ntwo\nthree\nfour\nfive\nsix\n"


@pytest.fixture
def server(machine: Machine, repo: Repo) -> Client:
    peer(machine, "peer")
    peer(machine, "forgetful", "forgets")
    return machine.serve(repo)


def follow(server: Client, ticket: str, **more: object) -> dict[str, Any]:
    """Follow a ticket's only task, and wait for the end; gives the view of the new ticket."""
    made = server.ask("follow", ticket=ticket, task="one", **more)["ticket"]
    return server.settled(made)


def shown(server: Client, view: dict[str, Any]) -> dict[str, Any]:
    """The only proposal of a ticket, in full."""
    [summary] = server.proposals(view["id"])
    found: dict[str, Any] = server.ask("proposal", proposal=summary["id"])
    return found


def paths(proposal: dict[str, Any]) -> set[str]:
    return {file["path"] for file in proposal["files"]}


def prompts(machine: Machine, session: str) -> list[str]:
    """What the peer was told in a session, turn by turn."""
    lines = (machine.home / ".peer" / session).read_text().splitlines()
    return ["\n".join(json.loads(line)) for line in lines]


def folder_of(server: Client, view: dict[str, Any]) -> str:
    found: str = server.ask("run", ticket=view["id"], task="one")["folder"]
    return found


def session_of(view: dict[str, Any]) -> str:
    found: str = task_of(view, "one")["runs"][-1]["session"]
    return found


def test_a_follow_up_goes_on_in_the_same_folder_and_session_and_adds_a_revision(
    machine: Machine, server: Client
) -> None:
    first = server.run({"id": "one", "agent": "peer", "prompt": "write new.txt yes"})
    before = shown(server, first)

    second = follow(server, first["id"], prompt="write more.txt yes")

    one = task_of(second, "one")
    assert (one["state"], one["runs"][-1]["resumed"]) == ("completed", True)
    assert session_of(second) == session_of(first)
    assert folder_of(server, second) == folder_of(server, first)
    loads = [line for line in log_of(machine) if "loads" in line]
    assert loads[-1].endswith(f"loads {session_of(first)} in {folder_of(server, first)}")
    assert any("went on with its earlier session" in note["message"] for note in one["notices"])
    told = prompts(machine, session_of(first))[-1]
    assert told.startswith("write more.txt yes")
    assert "write new.txt yes" not in told

    after = shown(server, second)
    assert paths(after) == {"new.txt", "more.txt"}
    assert after["summary"]["id"] == before["summary"]["id"]
    assert after["summary"]["revision"] != before["summary"]["revision"]
    assert [each["number"] for each in after["revisions"]] == [1, 2]
    assert [each["ticket"] for each in after["revisions"]] == [first["id"], second["id"]]
    assert server.proposals(first["id"]) == []
    assert second["following"]["revision"] == before["summary"]["revision"]
    assert server.task(first["id"], "one")["followedBy"] == second["id"]


def test_an_old_revision_is_looked_at_and_compared_and_the_new_one_applied(
    repo: Repo, server: Client
) -> None:
    first = server.run(task("one", sh("echo yes > new.txt")))
    before = shown(server, first)
    repo.write("a.txt", A_TXT.replace("six", "SIX"))
    second = follow(server, first["id"], prompt=sh("echo yes > more.txt"))

    named = {"proposal": before["summary"]["id"], "revision": before["summary"]["revision"]}
    assert paths(server.ask("proposal", **named)) == {"new.txt"}
    newest = {"proposal": named["proposal"], "format": "patch", "against": named["revision"]}
    patch = server.ask("proposal", **newest)["patch"]
    assert "more.txt" in patch
    assert "new.txt" not in patch
    choices = [{"decision": "accepted", "all": True}]
    assert "newest revision" in server.refused("decide", **named, choices=choices)["message"]
    server.accept_all(second["id"])
    assert server.apply(second["id"])["state"] == "applied"
    assert repo.read("more.txt") == repo.read("new.txt") == "yes\n"
    assert repo.read("a.txt").endswith("SIX\n")


def test_an_agent_that_cannot_go_on_is_told_what_came_before(
    machine: Machine, server: Client
) -> None:
    first = server.run(
        {"id": "one", "agent": "forgetful", "prompt": "write new.txt yes\nsay Done."}
    )
    second = follow(server, first["id"], prompt="write more.txt yes")
    one = task_of(second, "one")
    assert (one["state"], one["runs"][-1]["resumed"]) == ("completed", False)
    assert session_of(second) != session_of(first)
    assert any("began a new one" in note["message"] for note in one["notices"])
    told = prompts(machine, session_of(second))[-1]
    assert "write new.txt yes" in told
    assert "new.txt" in told.split("changed files:")[1]
    assert "Done." in told
    assert paths(shown(server, second)) == {"new.txt", "more.txt"}


def test_work_that_was_applied_is_no_part_of_the_next_revision(repo: Repo, server: Client) -> None:
    first = server.run(task("one", sh("echo yes > new.txt")))
    server.accept_all(first["id"])
    server.apply(first["id"])
    shutil.rmtree(folder_of(server, first))

    second = follow(server, first["id"], prompt=sh("cat new.txt > more.txt"))

    assert folder_of(server, second) == folder_of(server, first)
    assert paths(shown(server, second)) == {"more.txt"}
    assert repo.path("new.txt").exists()


def test_decisions_go_over_where_a_unit_is_the_same(repo: Repo, server: Client) -> None:
    script = "sed -i 's/one/ONE/; s/six/SIX/' a.txt; echo x > c.txt; echo y > d.txt"
    first = server.run(task("one", sh(script)))
    before = shown(server, first)
    by_text = {unit.get("afterText", ""): unit["id"] for file in before["files"]
               for unit in file["units"]}  # fmt: skip
    one, six, c_txt, d_txt = (by_text[text] for text in ("ONE\n", "SIX\n", "x\n", "y\n"))
    choices = [
        {"decision": "accepted", "units": [one, c_txt]},
        {"decision": "rejected", "units": [six, d_txt]},
    ]
    summary = before["summary"]
    server.ask("decide", proposal=summary["id"], revision=summary["revision"], choices=choices)
    # A line above moves what is below it; the units are the same all the same.
    repo.write("a.txt", A_TXT.replace("three", "3\n3"))

    second = follow(server, first["id"], prompt=sh("echo other > d.txt"))

    after = shown(server, second)
    decided = {unit.get("afterText", ""): unit["decision"] for file in after["files"]
               for unit in file["units"]}  # fmt: skip
    assert decided == {
        "ONE\n": "accepted", "SIX\n": "rejected", "x\n": "accepted", "other\n": "undecided",
    }  # fmt: skip
    assert after["summary"]["review"] == "partlyAccepted"
    assert any("could not be carried over" in each["message"] for each in after["notices"])


def test_what_conflicts_with_the_text_by_now_is_told_and_the_rest_is_merged(
    machine: Machine, repo: Repo, server: Client
) -> None:
    prompt = "write a.txt mine\nwrite new.txt yes"
    first = server.run({"id": "one", "agent": "peer", "prompt": prompt})
    repo.write("a.txt", A_TXT.replace("one", "uno"))

    second = follow(server, first["id"], prompt="write seen.txt yes", session="fresh")

    told = prompts(machine, session_of(second))[-1]
    assert "do not go together with what the user has written" in told
    assert "+mine" in told
    assert paths(shown(server, second)) == {"new.txt", "seen.txt"}
    third = follow(server, second["id"], begin="live", prompt="write last.txt yes")
    assert paths(shown(server, third)) == {"last.txt"}
    assert "without the earlier change" in prompts(machine, session_of(third))[-1]
    assert [each["number"] for each in shown(server, third)["revisions"]] == [1, 2, 3]


def test_one_follow_up_at_a_time_goes_on_with_a_task(machine: Machine, server: Client) -> None:
    place = machine.gates / "here"
    first = server.dispatch({"id": "one", "agent": "peer", "prompt": f"at {place}"})
    held_at(place)
    error = server.refused("follow", ticket=first, task="one", prompt="say no")
    assert error["data"] == {"reason": "notEnded", "ticket": first, "task": "one"}
    named = {"id": "two", "agent": "peer", "prompt": "say no", "resume": f"{first}/one"}
    error = server.refused("dispatch", tasks=[named])
    assert "has not ended" in error["message"]
    Path(f"{place}.go").touch()
    server.settled(first)

    other = machine.gates / "there"
    second = server.ask("follow", ticket=first, task="one", prompt=f"at {other}")["ticket"]
    held_at(other)
    error = server.refused("follow", ticket=first, task="one", prompt="say no")
    assert error["data"] == {"reason": "inUse", "ticket": second, "task": "one"}
    error = server.refused("dispatch", tasks=[named])
    assert error["data"] == {"reason": "inUse", "ticket": second, "task": "one"}
    Path(f"{other}.go").touch()
    server.settled(second)
    error = server.refused("follow", ticket=first, task="one", prompt="say no")
    assert error["data"] == {"reason": "followed", "ticket": second, "task": "one"}

    # A later task of another call goes on with the session, by either of its names.
    going_on = server.run(named)
    assert task_of(going_on, "two")["runs"][-1]["resumed"] is True
    session = task_of(going_on, "two")["runs"][-1]["session"]
    by_name = server.run({**named, "resume": session})
    assert task_of(by_name, "two")["runs"][-1]["session"] == session


def test_an_editor_without_an_extension_follows_by_a_command(server: Client) -> None:
    first = server.run(task("one", sh("echo yes > new.txt")))
    argument = {"ticket": first["id"], "task": "one", "prompt": sh("echo yes > more.txt")}
    asked = {"command": "sennit.server.follow", "arguments": [argument]}
    made = server.call("workspace/executeCommand", asked)["result"]
    assert paths(shown(server, server.settled(made["ticket"]))) == {"new.txt", "more.txt"}


def test_unfinished_work_does_not_take_the_place_of_what_it_follows(server: Client) -> None:
    first = server.run(task("one", sh("echo yes > new.txt")))
    before = shown(server, first)
    second = follow(server, first["id"], prompt=sh("echo half > half.txt; exit 3"))
    assert task_of(second, "one")["state"] == "failed"
    kept = shown(server, second)
    assert kept["summary"]["integration"] == "retained"
    assert kept["summary"]["id"] != before["summary"]["id"]
    assert [each["revision"] for each in server.proposals(first["id"])] == [
        before["summary"]["revision"]
    ]
    # Its work can be gone on with, and what it follows as well.
    third = follow(server, second["id"], prompt="true")
    assert paths(shown(server, third)) == {"new.txt", "half.txt"}
    again = follow(server, first["id"])
    assert shown(server, again)["summary"]["id"] == before["summary"]["id"]


HEADLESS = """\
import json, os, sys
session = sys.argv[1] if len(sys.argv) > 2 else "s-first"
prompt = sys.argv[-1]
with open(os.path.expanduser("~/headless"), "a") as file:
    file.write(json.dumps([sys.argv[1:], os.getcwd()]) + "\\n")
print(json.dumps({"type": "system", "subtype": "init", "session_id": session}))
with open("turns.txt", "a") as file:
    file.write(prompt.split()[0] + "\\n")
print(json.dumps({"type": "result", "subtype": "success", "is_error": False, "result": "ok"}))
"""


def test_a_program_goes_on_with_its_session_by_its_arguments(
    machine: Machine, server: Client
) -> None:
    program = machine.root / "headless.py"
    program.write_text(HEADLESS)
    start = [sys.executable, str(program)]
    resume = ", ".join(f"'{word}'" for word in (*start, "{session}"))
    also = ("output = 'claude-json'", "sandbox = 'off'", f"resumeArgv = [{resume}]")
    machine.agent("headless", start, *also)
    first = server.run({"id": "one", "agent": "headless", "prompt": "first"})
    second = follow(server, first["id"], prompt="second")
    calls = [json.loads(line) for line in (machine.home / "headless").read_text().splitlines()]
    assert calls[0][0] == ["first"]
    assert calls[1][0][0] == "s-first"
    assert calls[1][0][1].startswith("second")
    assert calls[0][1] == calls[1][1]
    assert task_of(second, "one")["runs"][-1]["resumed"] is True
    [file] = shown(server, second)["files"]
    assert file["units"][0]["afterText"] == "first\nsecond\n"


def test_a_follow_up_whose_server_is_killed_can_be_followed(
    machine: Machine, repo: Repo, server: Client
) -> None:
    first = server.run({"id": "one", "agent": "peer", "prompt": "write new.txt yes"})
    place = machine.gates / "here"
    more = f"write half.txt yes\nat {place}"
    second = server.ask("follow", ticket=first["id"], task="one", prompt=more)["ticket"]
    held_at(place)
    server.kill_9()
    other = machine.serve(repo)
    assert task_of(other.settled(second), "one")["state"] == "interrupted"
    third = follow(other, second, prompt="write done.txt yes")
    assert paths(shown(other, third)) == {"new.txt", "half.txt", "done.txt"}
    assert session_of(third) == session_of(first)
    # What is dropped gives its proposals back.
    other.ask("drop", ids=[third["id"], second], confirm=True)
    [summary] = other.proposals(first["id"])
    assert summary["number"] == 1
    assert "followedBy" not in other.task(first["id"], "one")


def test_nothing_is_followed_without_trust(machine: Machine, repo: Repo, server: Client) -> None:
    first = server.run(task("one", "true"))
    error = server.refused("follow", ticket=first["id"], task="two")
    assert error["code"] == 3
    server.ask("trust", action="revoke", folder=repo.folder.as_uri())
    other = machine.serve(repo, trusted=False)
    assert other.refused("follow", ticket=first["id"], task="one")["code"] == 7
    wrong = server.refused("follow", ticket=first["id"], task="one", agent=shlex.quote("no body"))
    assert wrong["data"]["problems"][0]["path"] == "agent"
