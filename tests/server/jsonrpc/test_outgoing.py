from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.wire_client import Message, WireClient

Starter = Callable[..., WireClient]
PROGRESS = {"window": {"workDoneProgress": True}}


@pytest.fixture
def fresh(start: Starter) -> Iterator[WireClient]:
    with start() as client:
        yield client


@pytest.fixture(scope="module")
def client(start: Starter) -> Iterator[WireClient]:
    with start() as shared:
        shared.initialize()
        yield shared


def ask(client: WireClient, reply: object) -> Message:
    id_ = client.request("sennit/ask-client", {"name": "you"})
    question = client.next_of("sennit/ask")
    assert question["params"] == {"name": "you"}
    assert isinstance(reply, dict)
    client.send({"jsonrpc": "2.0", "id": question["id"]} | reply)
    result: Message = client.answer_to(id_)["result"]
    return result


@pytest.mark.parametrize(
    ("reply", "outcome"),
    [
        ({"result": {"name": "me", "grown": 1}}, "answer"),
        ({"result": {"name": 5}}, "nonsense"),
        ({"result": None}, "nonsense"),
        ({"error": {"code": 1, "message": "no"}}, "error"),
        ({"error": "no"}, "error"),
        ({}, "nonsense"),
    ],
)
def test_a_reply_is_an_answer_an_error_or_nonsense_as_a_value(
    client: WireClient, reply: object, outcome: str
) -> None:
    assert ask(client, reply)["outcome"] == outcome


def test_a_client_that_does_not_answer_is_told_and_left(client: WireClient) -> None:
    id_ = client.request("sennit/ask-client", {"name": "you"})
    question = client.next_of("sennit/ask")
    assert client.answer_to(id_)["result"] == {"outcome": "timeout"}
    assert client.next_of("$/cancelRequest")["params"] == {"id": question["id"]}
    client.respond(question, {"name": "late"})
    client.respond(question, {"name": "later"})
    client.nothing_more()
    assert "InvalidStateError" not in client.stderr()


def test_a_cancelled_waiter_and_a_late_reply_leave_nothing(client: WireClient) -> None:
    id_ = client.request("sennit/ask-client", {"name": "you"})
    question = client.next_of("sennit/ask")
    client.notify("$/cancelRequest", {"id": id_})
    assert client.answer_to(id_)["error"]["code"] == -32800
    client.respond(question, {"name": "late"})
    assert client.call("sennit/facts", {})["result"]["waiting"] == 0


@pytest.mark.parametrize("id_", ["nobody", 5, None, ["x"], {"a": 1}, 1.5])
def test_a_reply_to_nobody_is_dropped(client: WireClient, id_: object) -> None:
    client.send({"jsonrpc": "2.0", "id": id_, "result": {}})
    client.send({"jsonrpc": "2.0", "id": id_, "error": {"code": 1, "message": ""}})
    client.nothing_more()


def test_a_client_that_shows_no_progress_is_not_asked(client: WireClient) -> None:
    client.received.clear()
    id_ = client.request("sennit/progress", {"name": ""})
    assert client.answer_to(id_)["result"] == {"name": "0 tokens"}
    assert not client.received


def test_progress_uses_the_token_of_the_request(client: WireClient) -> None:
    client.received.clear()
    params = {"command": "sennit.server.progress", "workDoneToken": "mine"}
    assert client.call("workspace/executeCommand", params)["result"] == {"name": "0 tokens"}
    shown = [client.next_of("$/progress")["params"] for _ in range(3)]
    assert [(s["token"], s["value"]["kind"]) for s in shown] == [
        ("mine", "begin"),
        ("mine", "report"),
        ("mine", "end"),
    ]
    assert not client.received


def test_progress_is_created_where_the_client_shows_it(fresh: WireClient) -> None:
    fresh.initialize(PROGRESS)
    id_ = fresh.request("sennit/progress", {"name": "until cancelled"})
    create = fresh.next_of("window/workDoneProgress/create")
    fresh.respond(create, None)
    token = create["params"]["token"]
    begin = fresh.next_of("$/progress")["params"]
    value = {"kind": "begin", "title": "Working", "cancellable": True}
    assert begin == {"token": token, "value": value}
    report = fresh.next_of("$/progress")["params"]["value"]
    assert report == {"kind": "report", "message": "half", "percentage": 50}
    assert fresh.call("sennit/facts", {})["result"]["tokens"] == 1
    fresh.notify("window/workDoneProgress/cancel", {"token": token})
    assert fresh.next_of("$/progress")["params"]["value"] == {"kind": "end"}
    assert fresh.answer_to(id_)["result"] == {"name": "0 tokens"}


def test_a_client_that_refuses_progress_gets_none(fresh: WireClient) -> None:
    fresh.initialize(PROGRESS)
    id_ = fresh.request("sennit/progress", {})
    create = fresh.next_of("window/workDoneProgress/create")
    refusal = {"code": -32603, "message": "no"}
    fresh.send({"jsonrpc": "2.0", "id": create["id"], "error": refusal})
    assert "result" in fresh.answer_to(id_)
    assert not fresh.received


def test_a_cancel_of_no_progress_is_ignored(client: WireClient) -> None:
    for params in ({"token": "x"}, {}, None, {"token": [1]}):
        client.notify("window/workDoneProgress/cancel", params)
    client.nothing_more()


def test_what_the_client_told_of_itself_is_known(fresh: WireClient, tmp_path: Path) -> None:
    fresh.initialize(
        {"general": {"positionEncodings": ["utf-16", "utf-32"]}},
        options={"trusted": True},
        folders=[tmp_path],
    )
    facts = fresh.call("sennit/facts", {})["result"]
    assert facts["positionEncoding"] == "utf-32"
    assert facts["trusted"] is True
    assert facts["folders"] == [tmp_path.as_uri()]


def test_workspace_folders_are_followed(client: WireClient) -> None:
    added = [{"uri": f"file:///{name}", "name": name} for name in ("a", "b")]
    change = {"event": {"added": added, "removed": []}}
    client.notify("workspace/didChangeWorkspaceFolders", change)
    assert client.call("sennit/facts", {})["result"]["folders"] == ["file:///a", "file:///b"]
    change = {"event": {"added": [], "removed": added[:1]}}
    client.notify("workspace/didChangeWorkspaceFolders", change)
    assert client.call("sennit/facts", {})["result"]["folders"] == ["file:///b"]
