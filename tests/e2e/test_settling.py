"""What was settled: in order of arrival, shown as it goes in, and what had waited for it."""

from __future__ import annotations

import shlex
from typing import Any

import pytest

from tests.e2e.scene import Client, Machine, Repo, sh, task, task_of
from tests.e2e.talking import peer

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(180)]

LINES = "".join(f"line {number}\n" for number in range(1, 13))


@pytest.fixture
def repo(machine: Machine) -> Repo:
    made = machine.repo()
    made.write("a.txt", LINES)
    made.commit()
    return made


def sed(*edits: str) -> str:
    return sh(f"sed -i {shlex.quote(';'.join(edits))} a.txt")


def views(server: Client, ticket: str) -> dict[str, dict[str, Any]]:
    return {
        one["task"]: server.ask("proposal", proposal=one["id"]) for one in server.proposals(ticket)
    }


def named(view: dict[str, Any]) -> dict[str, str]:
    return {"proposal": view["summary"]["id"], "revision": view["summary"]["revision"]}


def test_what_is_sent_without_waiting_counts_in_the_order_in_which_it_was_sent(
    server: Client, repo: Repo
) -> None:
    ticket = server.dispatch(
        task("first", sed("s/line 3$/three/")),
        task("second", sed("s/line 3$/THREE/", "s/line 8$/EIGHT/")),
        task("third", sed("s/line 8$/eight/")),
    )
    server.settled(ticket)
    found = views(server, ticket)
    uri = found["second"]["conflicts"][0]["uri"]
    text = LINES.replace("line 3\n", "3\n").replace("line 8\n", "8\n")

    def settle(name: str, **choice: str) -> object:
        choices = [{"uri": uri, **choice}]
        return server.request("sennit/resolve", {**named(found[name]), "choices": choices})

    def decide(name: str, decision: str) -> object:
        choices = [{"decision": decision, "all": True}]
        return server.request("sennit/decide", {**named(found[name]), "choices": choices})

    # The third one is in no conflict before the second one is settled: none may overtake another.
    asked = [
        decide("first", "accepted"),
        settle("second", take="ours"),
        decide("second", "rejected"),
        settle("second", take="theirs"),
        settle("third", take="theirs"),
        decide("second", "accepted"),
        settle("second", take="text", text=text),
        decide("third", "accepted"),
        settle("third", take="nothing"),
        settle("third", take="ours"),
    ]
    done = server.request("sennit/apply", {"ticket": ticket, "target": "disk"})
    answers = [server.answer_to(id_).get("result") for id_ in asked]
    assert all(answers), answers
    assert server.answer_to(done)["result"]["state"] == "applied"
    assert repo.read("a.txt") == text
    takes: list[Any] = [each["proposal"].get("resolved") or [{}] for each in answers if each]
    assert [one[0].get("resolution", {}).get("take") for one in takes] == [
        None, "ours", "ours", "theirs", "theirs", "theirs", "text", None, None, "ours",
    ]  # fmt: skip


def look_at_what_the_agent_left(server: Client, view: dict[str, Any]) -> None:
    patch = server.ask("proposal", proposal=view["summary"]["id"], format="patch")["patch"]
    assert "-three\n+3\n" in patch
    assert "new.txt" in patch
    assert "THREE" not in patch
    asked = {"proposal": view["summary"]["id"], "text": "agent"}
    assert "+THREE" in server.ask("proposal", **asked, format="patch")["patch"]
    own = server.ask("proposal", **asked)["files"]
    units = [unit["afterText"] for one in own if one["path"] == "a.txt" for unit in one["units"]]
    assert units == ["THREE\n", "EIGHT\n"]


def test_a_settled_conflict_is_shown_as_what_goes_in_and_decided_as_a_whole(
    server: Client, repo: Repo
) -> None:
    ticket = server.dispatch(
        task("first", sed("s/line 3$/three/", "s/line 12$/twelve/")),
        task("second", sh("sed -i 's/line 3$/THREE/; s/line 8$/EIGHT/' a.txt; echo n > new.txt")),
    )
    server.settled(ticket)
    first, second = views(server, ticket).values()
    server.accept(first["summary"])
    uri = second["conflicts"][0]["uri"]
    text = LINES.replace("line 3\n", "3\n").replace("line 8\n", "EIGHT\n")
    text = text.replace("line 12\n", "twelve\n")
    choice = {"uri": uri, "take": "text", "text": text}
    view = server.ask("resolve", **named(second), choices=[choice])["proposal"]
    file = next(one for one in view["files"] if one["path"] == "a.txt")

    assert file["settled"]["take"] == "text"
    read = {key: server.ask("content", uri=file[key])["text"] for key in ("baseUri", "proposedUri")}
    assert read["proposedUri"] == text
    assert read["baseUri"] == LINES.replace("line 3\n", "three\n").replace("line 12\n", "twelve\n")
    shown = [(unit["beforeText"], unit["afterText"]) for unit in file["units"]]
    assert shown == [("three\n", "3\n"), ("line 8\n", "EIGHT\n")]
    left = server.ask("content", uri=file["settled"]["agentUri"])["text"]
    assert left == LINES.replace("line 3\n", "THREE\n").replace("line 8\n", "EIGHT\n")
    assert any("settled" in note["message"] for note in view["notices"])

    look_at_what_the_agent_left(server, view)

    # One unit of it stands for all: with a part, the sides that were settled would not meet.
    choices = [{"decision": "accepted", "units": [file["units"][1]["id"]]}]
    after = server.ask("decide", **named(view), choices=choices)["proposal"]
    said = {one["path"]: {unit["decision"] for unit in one["units"]} for one in after["files"]}
    assert said == {"a.txt": {"accepted"}, "new.txt": {"undecided"}}
    assert server.apply(ticket)["state"] == "applied"
    assert repo.read("a.txt") == text

    # A text behind a URI stays what it was, however the conflict is settled later.
    assert server.ask("content", uri=file["proposedUri"])["text"] == text


def test_a_conflict_settled_by_what_is_there_puts_nothing_in(server: Client) -> None:
    ticket = server.dispatch(
        task("first", sed("s/line 3$/three/")),
        task("second", sed("s/line 3$/THREE/")),
        task("third", sh("rm a.txt")),
    )
    server.settled(ticket)
    found = views(server, ticket)
    for name, take in (("second", "ours"), ("third", "theirs")):
        [conflict] = found[name]["conflicts"]
        choices = [{"uri": conflict["uri"], "take": take}]
        found[name] = server.ask("resolve", **named(found[name]), choices=choices)["proposal"]
    [file] = found["second"]["files"]
    [unit] = file["units"]
    assert (unit["beforeText"], unit["afterText"]) == ("", "")
    assert server.ask("content", uri=file["proposedUri"])["text"].splitlines()[2] == "three"
    [gone] = found["third"]["files"]
    assert [unit["kind"] for unit in gone["units"]] == ["delete"]
    assert "three" in gone["units"][0]["beforeText"]


def test_on_conflict_follow_gives_the_agent_one_more_turn_on_what_it_met(
    machine: Machine, repo: Repo
) -> None:
    peer(machine, "peer")
    server = machine.serve(repo)
    view = server.run(
        task("first", sed("s/line 3$/three/")),
        {"id": "second", "agent": "peer", "prompt": "write a.txt mine"},
        task("third", sh("cp a.txt copy.txt"), dependsOn=["second"]),
        onConflict="follow",
    )
    assert view["state"] == "completed", (view, server.story(view["id"]))
    states = {one["id"]: (one["state"], one.get("followedBy")) for one in view["tasks"]}
    assert states == {
        "first": ("completed", None),
        "second": ("completed", view["id"]),
        "second-again": ("completed", None),
        "third": ("completed", None),
    }
    again = task_of(view, "second-again")
    assert again["following"]["task"] == "second"
    assert again["runs"][0]["resumed"] is True
    told = "".join((machine.home / ".peer" / again["runs"][0]["session"]).read_text())
    assert "conflicted with the work of other tasks" in told
    assert "merged in (first)" in told

    found = views(server, view["id"])
    assert list(found) == ["first", "second-again", "third"]
    assert found["second-again"]["summary"]["number"] == 2
    assert {one["summary"]["integration"] for one in found.values()} == {"clean"}
    server.accept_all(view["id"])
    assert server.apply(view["id"])["state"] == "applied"
    assert repo.read("copy.txt") == repo.read("a.txt") == "mine\n"


def test_a_second_turn_that_changes_nothing_keeps_the_first_in_review(server: Client) -> None:
    view = server.run(
        task("first", sed("s/line 3$/three/")),
        task("second", sed("s/line 3$/THREE/")),
        onConflict="follow",
    )
    assert view["state"] == "partial", server.story(view["id"])
    assert view.get("following") is None
    found = views(server, view["id"])["second"]
    [told] = [each["message"] for each in task_of(view, "second-again")["notices"]
              if "stays as it was" in each["message"]]  # fmt: skip
    assert found["summary"]["id"] in told
    server.ask("resolve", **named(found),
               choices=[{"uri": found["conflicts"][0]["uri"], "take": "theirs"}])  # fmt: skip
    again = server.settled(
        server.ask(
            "follow", ticket=view["id"], task="second-again", prompt=sh("echo more > new.txt")
        )["ticket"]
    )
    [summary] = server.proposals(again["id"])
    assert (summary["id"], summary["number"]) == (found["summary"]["id"], 2)


def test_a_follow_up_begins_with_the_conflict_as_it_was_settled(server: Client, repo: Repo) -> None:
    ticket = server.dispatch(
        task("first", sed("s/line 3$/three/", "s/line 9$/nine/")),
        task("second", sh("sed -i 's/line 3$/drei/;s/line 9$/neun/' a.txt; echo more > new.txt")),
    )
    server.settled(ticket)
    server.accept_all(ticket)
    assert server.apply(ticket)["state"] == "applied"
    found = views(server, ticket)["second"]
    both = LINES.replace("line 3\n", "three, drei\n").replace("line 9\n", "nine\n")
    text = {"uri": found["conflicts"][0]["uri"], "take": "text", "text": both}
    server.ask("resolve", **named(found), choices=[text])
    # What the user types elsewhere is kept.
    repo.write("a.txt", repo.read("a.txt").replace("line 12", "line twelve"))

    following = {"ticket": ticket, "task": "second", "prompt": sed("s/drei/DREI/")}
    after = server.settled(server.ask("follow", **following)["ticket"])
    server.accept_all(after["id"])
    assert server.apply(after["id"])["state"] == "applied"
    wanted = both.replace("drei", "DREI").replace("line 12", "line twelve")
    assert repo.read("a.txt") == wanted
    assert repo.read("new.txt") == "more\n"


def test_what_a_conflict_had_blocked_is_started_once_that_is_settled_and_applied(
    machine: Machine, server: Client, repo: Repo
) -> None:
    gate = machine.gate()
    ticket = server.dispatch(
        task("first", sed("s/line 3$/three/")),
        task("second", gate.prompt(sed("s/line 3$/THREE/"))),
        task("third", sh("cp a.txt copy.txt"), dependsOn=["second"]),
    )
    # Whoever is merged second is in conflict.
    server.until_state(ticket, "first", "completed")
    gate.open()
    third = task_of(server.settled(ticket), "third")
    found = views(server, ticket)["second"]
    proposal = found["summary"]["id"]
    assert third["state"] == "blocked"
    for words in (f"sennit resolve {proposal}", "apply second", f"sennit follow {ticket}/third"):
        assert words in third["failure"]["message"]

    choices = [{"uri": found["conflicts"][0]["uri"], "take": "theirs"}]
    server.ask("resolve", **named(found), choices=choices)
    assert task_of(server.ask("ticket", ticket=ticket), "third")["state"] == "blocked"
    refused = server.refused("follow", ticket=ticket, task="third")["message"]
    assert f"second ({proposal}) is not applied" in refused
    assert f"sennit review {proposal}" in refused
    without = server.settled(
        server.ask("follow", ticket=ticket, task="third", begin="live")["ticket"]
    )
    assert task_of(without, "third")["state"] == "completed"

    server.accept_all(ticket)
    assert server.apply(ticket)["state"] == "applied"
    after = server.settled(server.ask("follow", ticket=ticket, task="third")["ticket"])
    server.accept_all(after["id"])
    server.apply(after["id"])
    assert repo.read("copy.txt") == repo.read("a.txt") == LINES.replace("line 3\n", "THREE\n")


def test_an_earlier_revision_is_undone_alone_and_brought_back_after_a_follow_up(
    server: Client, repo: Repo
) -> None:
    def applied(ticket: str) -> str:
        server.accept_all(ticket)
        name: str = server.apply(ticket)["id"]
        return name

    def edited(*edits: tuple[int, str]) -> str:
        lines = LINES.splitlines(keepends=True)
        for line, text in edits:
            lines[line - 1] = f"{text}\n"
        return "".join(lines)

    first = server.run(task("one", sed("s/line 3$/three/")))
    one = applied(first["id"])
    made = server.ask("follow", ticket=first["id"], task="one", prompt=sed("s/line 9$/nine/"))
    second = server.settled(made["ticket"])
    two = applied(second["id"])
    assert repo.read("a.txt") == edited((3, "three"), (9, "nine"))

    undone = server.ask("undo", application=one)
    assert repo.read("a.txt") == edited((9, "nine"))
    assert f"sennit undo {undone['id']}" in undone["notices"][-1]["message"]
    back = server.ask("undo", application=undone["id"])
    assert repo.read("a.txt") == edited((3, "three"), (9, "nine"))
    assert not back.get("notices")
    server.ask("undo", application=two)
    assert repo.read("a.txt") == edited((3, "three"))


def test_another_server_tells_its_client_what_becomes_of_a_ticket_until_it_is_dropped(
    machine: Machine, server: Client, repo: Repo
) -> None:
    other = machine.serve(repo)
    ticket = server.dispatch(task("one", sh("echo x > new.txt")))
    told: list[str] = []
    while not told or told[-1] != "completed":
        told.append(other.next_of("sennit/ticketChanged")["params"]["ticket"]["state"])
    server.ask("drop", ids=[ticket], confirm=True)
    for each in (server, other):
        assert each.next_of("sennit/ticketDropped")["params"] == {"ticket": ticket}
    assert other.ask("tickets")["tickets"] == []
