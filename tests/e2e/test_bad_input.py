from __future__ import annotations

from typing import Any

import pytest

from tests.e2e.scene import Client, Machine, problems, task
from tests.wire_client import framed_bytes

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(180)]


@pytest.mark.parametrize(
    ("params", "path", "words"),
    [
        ({}, "tasks", "missing"),
        ({"tasks": []}, "tasks", "empty"),
        ({"tasks": {}}, "tasks", "array"),
        ({"tasks": ["x"]}, "tasks[0]", "object"),
        ({"tasks": [{"id": "one"}]}, "tasks[0].prompt", "missing"),
        ({"tasks": [{"id": 1, "prompt": "true"}]}, "tasks[0].id", "string"),
        ({"tasks": [task("one", "true", agents=["a"])]}, "tasks[0].agents", "not available yet"),
        ({"tasks": [task("one", "true")], "approval": "plan"}, "approval", "not available yet"),
        ({"tasks": [task("one", "true", color=3)]}, "tasks[0].color", "not a known key"),
        ({"tasks": [task("one", "true")], "waits": True}, "waits", "not a known key"),
        ({"tasks": [task("one", "true", workspace="shared")]}, "tasks[0].workspace", ""),
        ({"tasks": [task("one", "true", base="yesterday")]}, "tasks[0].base", ""),
        ({"tasks": [task("one", "true", deadlineMs=0)]}, "tasks[0].deadlineMs", ""),
        ({"tasks": [task("one", "true", idleMs=-1)]}, "tasks[0].idleMs", ""),
        ({"tasks": [task("one", "true", writes=["[a"])]}, "tasks[0].writes[0]", ""),
        ({"tasks": [task("a b", "true")]}, "tasks[0].id", "no task id"),
        ({"tasks": [task("one", " ")]}, "tasks[0].prompt", "empty"),
        ({"tasks": [task("one", "true"), task("one", "true")]}, "tasks[1].id", "taken"),
        ({"tasks": [task("one", "true", dependsOn=["two"])]}, "tasks[0].dependsOn[0]", "no task"),
        ({"tasks": [task("one", "true", dependsOn=["one"])]}, "tasks[0].dependsOn[0]", "itself"),
        (
            {"tasks": [task("a", "true", dependsOn=["b"]), task("b", "true", dependsOn=["a"])]},
            "tasks[0].dependsOn",
            "circle",
        ),
        ({"tasks": [{"id": "x", "prompt": "y", "agent": "nobody"}]}, "tasks[0].agent", ""),
        ({"tasks": [{"id": "x", "prompt": "y"}]}, "tasks[0].agent", "missing"),
        ({"tasks": [task("one", "true", cwd="relative")]}, "tasks[0].cwd", "not absolute"),
        ({"tasks": [task("one", "true", cwd="/no/such/folder")]}, "tasks[0].cwd", ""),
        ({"tasks": [task("one", "true")], "maxConcurrent": 0}, "maxConcurrent", "less than 1"),
        ({"tasks": [task("one", "true")], "operationId": "a b"}, "operationId", "visible"),
        ({"tasks": [task("one", "true")], "workDoneToken": 1}, "workDoneToken", "wait"),
        ({"tasks": [task("one", "echo 'open")]}, "tasks[0].prompt", "quote"),
        ({"tasks": [task("one", "cat a | wc")]}, "tasks[0].prompt", "shell"),
    ],
)
def test_a_wrong_call_is_refused_whole_with_the_place_of_its_fault(
    shared: Client, params: dict[str, object], path: str, words: str
) -> None:
    found = problems(shared.refused("dispatch", **params))
    assert words in found[path], found
    assert problems(shared.refused("preflight", **params))[path] == found[path]
    assert shared.ask("tickets")["tickets"] == []


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """One server for what never starts anything."""
    machine = Machine(tmp_path_factory.mktemp("bad"))
    yield machine.serve(machine.repo())
    machine.close()


def test_every_problem_is_told_at_once(shared: Client) -> None:
    found = problems(
        shared.refused(
            "dispatch",
            tasks=[
                task("one", "true", dependsOn=["gone"], cwd="relative"),
                task("one", "", agent="nobody"),
            ],
            maxConcurrent=-1,
        )
    )
    assert found.keys() == {
        "tasks[0].dependsOn[0]", "tasks[0].cwd", "tasks[1].id", "tasks[1].prompt",
        "tasks[1].agent", "maxConcurrent",
    }  # fmt: skip


def test_an_unknown_key_comes_with_the_valid_ones(shared: Client) -> None:
    error = shared.refused("dispatch", tasks=[task("one", "true", promt="x")])
    [problem] = error["data"]["problems"]
    assert {"prompt", "agent", "dependsOn"} <= set(problem["valid"])


@pytest.mark.parametrize("method", ["pause", "compare", "deadLetters"])
def test_a_method_of_later_says_so(shared: Client, method: str) -> None:
    error = shared.refused(method)
    assert (error["code"], error["data"]["reason"]) == (-32601, "notAvailableYet")
    assert "not available yet" in error["message"]


REVISION = {"proposal": "p_nope", "revision": "r_nope"}


@pytest.mark.parametrize(
    ("method", "params", "code"),
    [
        ("ticket", {"ticket": "t_nope"}, 2),
        ("ticket", {"ticket": 3}, -32602),
        ("ticket", {}, -32602),
        ("wait", {"ticket": "t_nope"}, 2),
        ("wait", {"ticket": "t_nope", "timeoutMs": -1}, -32602),
        ("tickets", {"limit": 0}, -32602),
        ("tickets", {"limit": 10_000}, -32602),
        ("tickets", {"before": "t_nope"}, 2),
        ("answer", {"ticket": "t_nope", "task": "x", "question": "q", "answer": "a"}, 2),
        ("proposals", {"ticket": "t_nope"}, 2),
        ("proposal", {"proposal": "p_nope"}, 4),
        ("decide", {"proposal": "p_nope", "revision": "r_nope", "choices": []}, 4),
        ("resolve", {"proposal": "p_nope", "revision": "r_nope", "choices": []}, 4),
        ("overlaps", {"ticket": "t_nope"}, 2),
        ("overlaps", {"limit": 0}, -32602),
        ("preview", {"ticket": "t_nope"}, 2),
        ("apply", {"ticket": "t_nope", "target": "disk"}, 2),
        ("undo", {"application": "a_nope"}, 4),
        ("content", {"uri": "sennit:/nowhere"}, 15),
        ("content", {"uri": "sennit://ticket/t_nope/task/x/output"}, 2),
        ("output", {"ticket": "t_nope", "task": "x"}, 2),
        ("run", {"ticket": "t_nope", "task": "x"}, 2),
        ("materialise", {"ticket": "t_nope", "task": "x"}, 2),
        ("story", {"ticket": "t_nope"}, 2),
        ("story", {"ticket": "t_nope", "limit": 0}, -32602),
        ("preview", {"ticket": "t_nope", "proposals": [REVISION]}, -32602),
        ("preview", {}, -32602),
        ("drop", {"ids": ["nope"], "confirm": True}, -32602),
        ("drop", {"ids": []}, -32602),
        ("trust", {"action": "grant"}, -32602),
        ("trust", {"action": "grant", "folder": "/no/such"}, -32602),
        ("trust", {"action": "revoke", "folder": "/no/such"}, 12),
        ("trust", {"action": "love"}, -32602),
        ("doctor", {"cwd": "relative"}, -32602),
        ("agents", {"x": 1}, -32602),
    ],
)
def test_an_unknown_id_or_wrong_value_has_its_code(
    shared: Client, method: str, params: dict[str, object], code: int
) -> None:
    error = shared.refused(method, **params)
    assert error["code"] == code, error
    assert error["message"]


@pytest.fixture(scope="module")
def done(shared: Client) -> dict[str, str]:
    """The ids of a task that has ended, with its proposal."""
    ticket = shared.dispatch(task("one", "sed -i s/two/TWO/ a.txt"))
    shared.settled(ticket)
    (proposal,) = shared.ask("proposals", ticket=ticket)["proposals"]
    return {"ticket": ticket, "proposal": proposal["id"], "revision": proposal["revision"]}


@pytest.mark.parametrize(
    ("choices", "path"),
    [
        ([], "choices"),
        ([{}], "choices[0]"),
        ([{"units": []}], "choices[0]"),
        ([{"all": False, "files": []}], "choices[0]"),
        ([{"all": True}, {"all": True, "units": ["r_nope:0:a"]}], "choices[1]"),
        ([{"units": ["r_nope:0:a"]}], "choices[0].units"),
        ([{"files": ["file:///nope"]}], "choices[0].files"),
    ],
)
def test_a_decision_about_nothing_or_about_what_is_not_there_decides_nothing(
    shared: Client, done: dict[str, str], choices: list[dict[str, object]], path: str
) -> None:
    said = [{"decision": "accepted", **choice} for choice in choices]
    named = {"proposal": done["proposal"], "revision": done["revision"]}
    error = shared.refused("decide", **named, choices=said)
    assert [problem["path"] for problem in error["data"]["problems"]] == [path]
    (proposal,) = shared.ask("proposals", ticket=done["ticket"])["proposals"]
    assert proposal["review"] == "offered"


@pytest.mark.parametrize("empty", [{"units": []}, {"files": []}, {"units": [], "files": []}])
@pytest.mark.parametrize("command", ["accept", "reject"])
def test_a_command_with_an_empty_list_decides_nothing(
    shared: Client, done: dict[str, str], command: str, empty: dict[str, object]
) -> None:
    argument = {"proposal": done["proposal"], "revision": done["revision"], **empty}
    params = {"command": f"sennit.server.{command}", "arguments": [argument]}
    assert shared.call("workspace/executeCommand", params)["error"]["code"] == -32602
    (proposal,) = shared.ask("proposals", ticket=done["ticket"])["proposals"]
    assert proposal["review"] == "offered"


@pytest.mark.parametrize(
    ("wrong", "path"),
    [
        ({"deadlineMs": 0}, "deadlineMs"),
        ({"deadlineMs": -1}, "deadlineMs"),
        ({"agent": ""}, "agent"),
        ({"prompt": ""}, "prompt"),
        ({"description": "x" * 201}, "description"),
        ({"budget": {"timeMs": 0}}, "budget.timeMs"),
        ({"operationId": ""}, "operationId"),
    ],
)
def test_a_follow_up_is_looked_at_like_any_call(
    shared: Client, done: dict[str, str], wrong: dict[str, object], path: str
) -> None:
    error = shared.refused("follow", ticket=done["ticket"], task="one", **wrong)
    assert {problem["path"] for problem in error["data"]["problems"]} == {path}


@pytest.mark.parametrize(
    ("page", "paths"),
    [
        ({"offset": -1}, ["offset"]),
        ({"limit": 0}, ["limit"]),
        ({"offset": -1, "limit": 0}, ["limit", "offset"]),
    ],
)
def test_a_page_of_output_names_what_is_wrong_with_it(
    shared: Client, done: dict[str, str], page: dict[str, int], paths: list[str]
) -> None:
    error = shared.refused("output", ticket=done["ticket"], task="one", **page)
    assert [problem["path"] for problem in error["data"]["problems"]] == paths


def test_what_is_to_be_dropped_twice_is_listed_once(shared: Client, done: dict[str, str]) -> None:
    told = shared.ask("drop", ids=[done["ticket"], done["ticket"]])
    assert [item["id"] for item in told["items"]] == [done["ticket"]]


def test_broken_messages_leave_the_server_answering(server: Client) -> None:
    for body in (b"{", b"[]", b'"x"', b"\xff\xfe", b'{"jsonrpc":"2.0","id":[],"method":"x"}'):
        server.send_bytes(framed_bytes(body))
    assert server.ask("tickets")["tickets"] == []
    assert server.run(task("one", "true"))["state"] == "completed"
