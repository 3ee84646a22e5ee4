from __future__ import annotations

import json
import re

import pytest

from tests.server.jsonrpc.clients import ENVELOPE, GOOD, error, paths
from tests.wire_client import WireClient, framed_bytes


@pytest.mark.parametrize(
    ("params", "wrong"),
    [
        ({}, ["prompt"]),
        (None, ["prompt"]),
        ([], [""]),
        ("text", [""]),
        (5, [""]),
        ({"prompt": {}}, ["prompt"]),
        (GOOD | {"dryRun": "false"}, ["dryRun"]),
        (GOOD | {"agents": "abc"}, ["agents"]),
        (GOOD | {"extra": 1}, ["extra"]),
        (GOOD | {"inner": {"jsonrpc": 2}}, ["inner.jsonrpc"]),
        ({"dryRun": 1, "x": 1}, ["dryRun", "prompt", "x"]),
    ],
)
def test_wrong_params_are_answered_with_the_paths_of_all_problems(
    shared: WireClient, params: object, wrong: list[str]
) -> None:
    answer = shared.call("sennit/echo", params)
    assert error(answer)[1] == -32602
    assert sorted(paths(answer)) == wrong


def test_an_unknown_key_lists_the_valid_ones(shared: WireClient) -> None:
    answer = shared.call("sennit/echo", GOOD | {"extra": 1})
    assert "dryRun" in answer["error"]["data"]["problems"][0]["valid"]


def test_wrong_params_of_lsp_are_answered_and_unknown_keys_are_allowed(shared: WireClient) -> None:
    method = "textDocument/codeLens"
    assert error(shared.call(method))[1] == -32602
    wrong = shared.call(method, {"textDocument": {"uri": 5}})
    assert error(wrong)[1] == -32602
    assert paths(wrong) == ["textDocument.uri"]
    assert "must be a string, not a number" in wrong["error"]["message"]
    nonsense: tuple[object, ...] = ("file:///a", 5, [], None)
    for value in nonsense:
        other = shared.call(method, {"textDocument": value})
        assert paths(other)[0].startswith("textDocument")
        assert not re.search("NoneType|indices|iterable|object is not", other["error"]["message"])
    right = shared.call(method, {"textDocument": {"uri": "file:///a", "more": 1}, "more": 2})
    assert right["result"][0]["command"]["title"] == "file:///a"


@pytest.mark.parametrize("params", [None, {}, [], {"a": 1}])
@pytest.mark.parametrize("method", ["sennit/nope", "$/nope", "textDocument/hover", "", "exit"])
def test_an_unknown_method_is_answered(shared: WireClient, method: str, params: object) -> None:
    id_ = shared.request(method, params)
    assert error(shared.answer_to(id_)) == (id_, -32601)


@pytest.mark.parametrize(("method", "words"), [
    ("sennit/ask", "is what the server sends"),
    ("sennit/told", "is what the server sends"),
    ("sennit/note", "is a notification"),
    ("sennit/nope", "lists ours"),
])  # fmt: skip
def test_what_the_client_may_not_request_is_no_method(
    shared: WireClient, method: str, words: str
) -> None:
    answer = shared.call(method, {})
    assert error(answer)[1] == -32601
    assert words in answer["error"]["message"]


def test_a_method_of_a_later_version_says_so(shared: WireClient) -> None:
    answer = shared.call("sennit/later", {"whatever": 1})
    assert error(answer)[1] == -32601
    assert answer["error"]["data"] == {"reason": "notAvailableYet"}
    assert "not available yet" in answer["error"]["message"]


@pytest.mark.parametrize(
    "body",
    [b"{", b"", b"nonsense", b'"\xff"', b"\xff\xfe{}", b'{"a": NaN}', b"[" * 100_000, b"1" * 5000],
)
def test_what_is_not_json_is_answered_with_id_null(shared: WireClient, body: bytes) -> None:
    shared.send_bytes(framed_bytes(body))
    assert error(shared.read()) == (None, -32700)
    shared.nothing_more()


@pytest.mark.parametrize(
    ("value", "id_"),
    [
        ([ENVELOPE | {"id": 9}], None),
        ([], None),
        ("text", None),
        (5, None),
        (None, None),
        ({}, None),
        ({"method": "sennit/echo", "id": 9}, 9),
        (ENVELOPE | {"jsonrpc": "1.0", "id": 9}, 9),
        (ENVELOPE | {"jsonrpc": 2.0}, None),
        (ENVELOPE | {"id": None}, None),
        (ENVELOPE | {"id": 1.5}, None),
        (ENVELOPE | {"id": 1.0}, None),
        (ENVELOPE | {"id": True}, None),
        (ENVELOPE | {"id": [1]}, None),
        ({"jsonrpc": "2.0", "id": 9}, 9),
        ({"jsonrpc": "2.0", "id": 9, "method": 5}, 9),
        ({"jsonrpc": "2.0", "method": None}, None),
    ],
)
def test_what_is_no_request_is_an_invalid_request(
    shared: WireClient, value: object, id_: object
) -> None:
    shared.send(value)
    assert error(shared.read()) == (id_, -32600)
    shared.nothing_more()


def test_nested_objects_with_a_jsonrpc_key_are_plain_data(shared: WireClient) -> None:
    inner = {"jsonrpc": "2.0", "id": 3}
    anything = {"jsonrpc": "2.0", "method": "exit", "id": 1, "params": {"jsonrpc": "9"}}
    answer = shared.call("sennit/echo", GOOD | {"inner": inner, "anything": anything})
    assert answer["result"]["inner"] == inner
    assert answer["result"]["anything"] == anything


def test_a_duplicate_id_in_flight_is_refused_and_the_first_goes_on(shared: WireClient) -> None:
    shared.request("sennit/block", {"name": "first"}, id_="x")
    shared.next_of("sennit/told")
    shared.request("sennit/echo", GOOD, id_="x")
    assert error(shared.read()) == (None, -32600)
    shared.send({"id": "x", "method": "sennit/echo"})
    assert error(shared.read()) == (None, -32600)
    shared.notify("$/cancelRequest", {"id": "x"})
    assert error(shared.answer_to("x")) == ("x", -32800)
    shared.request("sennit/echo", GOOD, id_="x")
    assert "result" in shared.answer_to("x")


def test_ids_of_different_types_are_different(shared: WireClient) -> None:
    shared.request("sennit/block", {"name": "first"}, id_="1000")
    shared.next_of("sennit/told")
    shared.request("sennit/echo", GOOD, id_=1000)
    assert "result" in shared.answer_to(1000)


def test_requests_before_initialize_are_refused_and_notifications_dropped(
    fresh: WireClient,
) -> None:
    fresh.notify("sennit/note", {"name": "early"})
    assert error(fresh.call("sennit/echo", GOOD))[1] == -32002
    assert error(fresh.call("sennit/nope"))[1] == -32002
    assert error(fresh.call("shutdown"))[1] == -32002
    fresh.initialize()
    assert fresh.call("sennit/seen", {})["result"]["agents"] == []


@pytest.mark.parametrize(
    "params",
    [None, [], {}, {"capabilities": []}, {"capabilities": {}, "processId": "1"}],
)
def test_a_wrong_initialize_is_refused_and_may_be_mended(fresh: WireClient, params: object) -> None:
    assert error(fresh.call("initialize", params))[1] == -32602
    assert error(fresh.call("sennit/echo", GOOD))[1] == -32002
    assert "capabilities" in fresh.initialize()


def test_initialize_comes_only_once(shared: WireClient) -> None:
    assert error(shared.call("initialize", {"capabilities": {}}))[1] == -32600


def test_after_shutdown_requests_are_refused(client: WireClient) -> None:
    assert client.call("shutdown")["result"] is None
    for method in ("sennit/echo", "shutdown", "initialize", "nope"):
        assert error(client.call(method, {"capabilities": {}}))[1] == -32600
    client.notify("exit")
    assert client.exit_code() == 0


def test_the_text_of_an_exception_stays_in_the_log(client: WireClient) -> None:
    answer = client.call("sennit/raise", {"name": "sauce"})
    assert error(answer)[1] == -32603
    assert "sauce" not in json.dumps(answer)
    assert "Traceback" not in json.dumps(answer)
    assert "secret sauce" in client.stderr()
    assert "Traceback" in client.stderr()


def test_a_result_that_cannot_travel_is_an_internal_error(shared: WireClient) -> None:
    assert error(shared.call("sennit/bad-result", {}))[1] == -32603


def test_a_failure_as_a_value_becomes_the_error(shared: WireClient) -> None:
    answer = shared.call("sennit/refuse", {"name": "because"})
    assert answer["error"] == {
        "code": 77,
        "message": "because",
        "data": {"problems": [{"path": "name", "message": "is not nice", "valid": ["nice"]}]},
    }


def test_a_cancelled_command_ends_inside(client: WireClient) -> None:
    id_ = client.request(
        "workspace/executeCommand", {"command": "sennit.server.block", "arguments": ["inner"]}
    )
    client.next_of("sennit/told")
    client.notify("$/cancelRequest", {"id": id_})
    assert error(client.answer_to(id_)) == (id_, -32800)
    assert client.call("sennit/seen", {})["result"]["agents"] == ["inner cancelled"]


def test_an_unknown_command_lists_the_known_ones(shared: WireClient) -> None:
    answer = shared.call("workspace/executeCommand", {"command": "other"})
    assert error(answer)[1] == -32602
    assert answer["error"]["data"]["problems"][0]["valid"] == [
        "sennit.server.block",
        "sennit.server.progress",
    ]
