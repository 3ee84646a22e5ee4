"""Conflicts and doubtful merges through the front door: shown, settled, applied, taken back."""

from __future__ import annotations

import shlex
from typing import Any
from urllib.parse import unquote

import pytest

from tests.e2e.scene import Client, Machine, Repo, sh, task

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(180)]

LINES = "".join(f"line {number}\n" for number in range(1, 13))


@pytest.fixture
def repo(machine: Machine) -> Repo:
    made = machine.repo()
    made.write("a.txt", LINES)
    made.write("doubt.txt", "{\n\nc\n}\n{\n}\n{\n")
    made.commit()
    return made


def sed(*edits: str) -> str:
    return sh(f"sed -i {shlex.quote(';'.join(edits))} a.txt")


def whole(name: str, text: str) -> str:
    return sh(f"printf %s {shlex.quote(text)} > {name}")


def views(server: Client, ticket: str) -> dict[str, dict[str, Any]]:
    return {
        one["task"]: server.ask("proposal", proposal=one["id"]) for one in server.proposals(ticket)
    }


def resolve(server: Client, view: dict[str, Any], **choice: str) -> dict[str, Any]:
    conflict = (view["conflicts"] or view["resolved"])[0]
    named = {"proposal": view["summary"]["id"], "revision": view["summary"]["revision"]}
    done = server.ask("resolve", **named, choices=[{"uri": conflict["uri"], **choice}])
    found: dict[str, Any] = done["proposal"]
    return found


def two(server: Client, first: str, second: str, **call: object) -> tuple[str, dict[str, Any]]:
    ticket = server.dispatch(task("first", first), task("second", second), **call)
    server.settled(ticket)
    return ticket, views(server, ticket)["second"]


def test_what_two_merges_disagree_about_is_flagged_and_not_preselected(server: Client) -> None:
    _, view = two(
        server,
        whole("doubt.txt", "{\n}\n{\n}\n{\n}\na\n"),
        whole("doubt.txt", "{\n\nc\n}\n{\n}\nc\nx\n{\n"),
    )
    assert view["summary"]["integration"] == "clean"
    units = [unit for file in view["files"] for unit in file["units"]]
    assert units
    assert all(unit["flags"] == ["uncertain"] for unit in units)
    assert not any(unit["preselected"] for unit in units)


def test_revisions_are_compared_as_they_were_settled_or_as_their_agents_left_them(
    server: Client,
) -> None:
    ticket, view = two(server, sed("s/line 3$/three/"), sed("s/line 3$/drei/"))
    both = LINES.replace("line 3\n", "three, drei\n")
    settled = resolve(server, view, take="text", text=both)
    server.accept_all(ticket)
    assert server.apply(ticket)["state"] == "applied"
    following = {"ticket": ticket, "task": "second", "prompt": sh("echo more > new.txt")}
    server.settled(server.ask("follow", **following)["ticket"])
    first = settled["summary"]
    compared = {"proposal": first["id"], "format": "patch", "against": first["revision"]}
    patch = server.ask("proposal", **compared)["patch"]
    assert "+more" in patch
    assert "a.txt" not in patch
    patch = server.ask("proposal", **compared, text="agent")["patch"]
    assert "-drei\n+three, drei\n" in patch


def test_each_conflict_names_the_tasks_that_collide_there(server: Client) -> None:
    ticket = server.dispatch(
        task("text", sed("s/line 3$/three/")),
        task("doubt", whole("doubt.txt", "other\n")),
        task("beside", sed("s/line 12$/twelve/")),
        task("both", sh("sed -i 's/line 3$/drei/' a.txt; echo both > doubt.txt")),
    )
    server.settled(ticket)
    found = {one["path"]: one for one in views(server, ticket)["both"]["conflicts"]}
    assert {path: one["withTasks"] for path, one in found.items()} == {
        "a.txt": ["text"],
        "doubt.txt": ["doubt"],
    }
    assert "both and doubt change doubt.txt" in found["doubt.txt"]["message"]


@pytest.mark.parametrize(("take", "mode"), [("ours", 0o644), ("theirs", 0o755)])
def test_two_new_files_of_one_text_differ_in_their_mode_alone(
    server: Client, repo: Repo, take: str, mode: int
) -> None:
    text = "printf text > run.sh"
    ticket, view = two(server, sh(text), sh(f"{text}; chmod +x run.sh"))
    [conflict] = view["conflicts"]
    assert conflict["kind"] == "mode"
    assert "only one makes it executable" in conflict["message"]
    assert resolve(server, view, take=take)["summary"]["integration"] == "clean"
    server.accept_all(ticket)
    before = repo.contents()
    done = server.apply(ticket)
    assert done["state"] == "applied", done
    assert repo.path("run.sh").stat().st_mode & 0o777 == mode
    server.ask("undo", application=done["id"])
    assert repo.contents() == before


def test_a_conflict_is_settled_by_a_suggestion_a_side_or_a_text_and_taken_back(
    machine: Machine, server: Client, repo: Repo
) -> None:
    ticket, view = two(server, sed("s/line 3$/three/", "s/line 8$/eight/"), sed("s/line 4$/four/"))
    assert view["summary"]["integration"] == "conflict"
    [conflict] = view["conflicts"]
    assert conflict["regions"][0]["ours"] == {"start": 2, "count": 2}
    assert conflict["suggestions"][0]["kind"] == "adjacentEdits"
    assert not any(unit["preselected"] for file in view["files"] for unit in file["units"])
    settled = resolve(server, view, take="suggestion", suggestion="adjacentEdits")
    assert settled["summary"]["integration"] == "clean"
    assert not settled["conflicts"]
    assert settled["resolved"][0]["resolution"]["take"] == "suggestion"
    ours = settled["resolved"][0]["ours"]["uri"]
    assert server.ask("content", uri=ours)["text"] == LINES.replace("line 3\n", "three\n").replace(
        "line 8\n", "eight\n"
    )
    back = resolve(server, settled, take="nothing")
    assert back["summary"]["integration"] == "conflict"
    theirs = resolve(server, back, take="theirs")
    assert theirs["summary"]["integration"] == "clean"
    mine = LINES.replace("line 3\nline 4\n", "3 and 4\n").replace("line 8\n", "eight\n")
    own = resolve(server, theirs, take="text", text=mine)
    assert own["resolved"][0]["resolution"]["take"] == "text"
    # What was settled outlives the server.
    server.kill_9()
    server = machine.serve(repo)
    assert views(server, ticket)["second"]["resolved"] == own["resolved"]
    server.accept_all(ticket)
    # The user goes on typing elsewhere in the file.
    repo.write("a.txt", LINES.replace("line 12\n", "typed\n"))
    done = server.apply(ticket)
    assert done["state"] == "applied", done
    assert repo.read("a.txt") == mine.replace("line 12\n", "typed\n")
    assert "the conflict in a.txt is resolved: text" in server.story(ticket)
    server.ask("undo", application=done["id"])
    assert repo.read("a.txt") == LINES.replace("line 12\n", "typed\n")


def test_a_resolution_that_is_of_no_use_without_the_other_proposal_is_told(
    server: Client, repo: Repo
) -> None:
    _, view = two(server, sed("s/line 3$/three/"), sed("s/line 3$/THREE/"))
    text = LINES.replace("line 3\n", "Three\n")
    settled = resolve(server, view, take="text", text=text)["summary"]
    server.accept(settled)
    named = {"proposal": settled["id"], "revision": settled["revision"]}
    shown = server.ask("preview", proposals=[named])
    assert "THREE" in shown["patch"]
    done = server.apply_one(settled)
    for told in (shown["notices"], done["notices"]):
        [notice] = told
        assert notice["path"] == "a.txt"
        assert "apply both" in notice["message"]
    assert repo.read("a.txt") == LINES.replace("line 3\n", "THREE\n")


def test_what_cannot_settle_a_conflict_is_refused_with_what_can(server: Client) -> None:
    _, view = two(server, sed("s/line 3$/three/"), sed("s/line 3$/THREE/"))
    named = {"proposal": view["summary"]["id"], "revision": view["summary"]["revision"]}
    uri = view["conflicts"][0]["uri"]
    for choice, word in (
        ({"uri": "file:///elsewhere", "take": "ours"}, uri),
        ({"uri": uri, "take": "text"}, "text"),
        ({"uri": uri, "take": "ours", "text": "x"}, "text"),
        ({"uri": uri, "take": "suggestion", "suggestion": "imports"}, "imports"),
    ):
        error = server.refused("resolve", **named, choices=[choice])
        assert error["code"] == -32602
        assert word in str(error["data"]), (choice, error)
    error = server.refused("resolve", **named, choices=[])
    assert "empty" in error["message"]
    both = [{"uri": uri, "take": side} for side in ("ours", "theirs")]
    assert "named twice" in server.refused("resolve", **named, choices=both)["message"]
    assert unquote(uri).endswith("/a.txt")


def test_work_that_meets_is_shown_also_while_an_agent_runs(
    machine: Machine, server: Client, repo: Repo
) -> None:
    gate = machine.gate()
    done = server.dispatch(task("done", sed("s/line 3$/three/")))
    server.settled(done)
    running = server.dispatch(
        task("running", gate.prompt(before="sed -i s/line.4$/four/ a.txt; rm src/b.txt"))
    )
    gate.reached()
    found = server.ask("overlaps", folder=str(repo.folder))
    assert not found.get("notices"), found
    [pair] = found["overlaps"]
    assert (pair["one"]["task"], pair["other"]["task"]) == ("done", "running")
    assert "proposal" in pair["one"]
    assert "proposal" not in pair["other"]
    [met] = pair["files"]
    assert (met["path"], met["kind"]) == ("a.txt", "lines")
    assert met["lines"] == [{"start": 2, "count": 1}]
    assert not server.ask("overlaps", ticket=done, running=False)["overlaps"]
    gate.open()
    server.settled(running)
    assert server.ask("overlaps", running=False)["total"] == 1


def test_the_order_with_the_fewest_conflicts_is_found_and_told(server: Client) -> None:
    tasks = [
        task("both", sed("s/line 3$/x/", "s/line 9$/x/")),
        task("upper", sed("s/line 3$/three/")),
        task("lower", sed("s/line 9$/nine/")),
    ]
    ticket = server.dispatch(*tasks, order="fewestConflicts", maxConcurrent=1)
    server.settled(ticket)
    found = {name: view["summary"] for name, view in views(server, ticket).items()}
    assert {name: one["integration"] for name, one in found.items()} == {
        "both": "conflict",
        "upper": "clean",
        "lower": "clean",
    }
    assert [found[name]["order"] for name in ("upper", "lower", "both")] == [0, 1, 2]
    assert "merges in the order upper, lower, both, in which 2 of 3 go in" in server.story(ticket)
