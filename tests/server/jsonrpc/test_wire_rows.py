from __future__ import annotations

import json
from collections.abc import Callable, Iterator

import pytest

from tests.wire_client import Message, WireClient, framed, framed_bytes

Starter = Callable[..., WireClient]


@pytest.fixture
def fresh(start: Starter) -> Iterator[WireClient]:
    with start() as client:
        yield client


@pytest.fixture
def client(fresh: WireClient) -> WireClient:
    fresh.initialize()
    return fresh


@pytest.fixture(scope="module")
def shared(start: Starter) -> Iterator[WireClient]:
    """One server for the tests after which it is as before."""
    with start() as client:
        client.initialize()
        yield client


def error(message: Message) -> tuple[object, int]:
    assert "result" not in message
    return message["id"], message["error"]["code"]


def paths(message: Message) -> list[str]:
    return [problem["path"] for problem in message["error"]["data"]["problems"]]


GOOD = {"prompt": "a"}


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
    right = shared.call(method, {"textDocument": {"uri": "file:///a", "more": 1}, "more": 2})
    assert right["result"][0]["command"]["title"] == "file:///a"


@pytest.mark.parametrize("params", [None, {}, [], {"a": 1}])
@pytest.mark.parametrize("method", ["sennit/nope", "$/nope", "textDocument/hover", "", "exit"])
def test_an_unknown_method_is_answered(shared: WireClient, method: str, params: object) -> None:
    id_ = shared.request(method, params)
    assert error(shared.answer_to(id_)) == (id_, -32601)


@pytest.mark.parametrize("method", ["sennit/ask", "sennit/told", "sennit/note"])
def test_what_the_client_may_not_request_is_no_method(shared: WireClient, method: str) -> None:
    assert error(shared.call(method, {}))[1] == -32601


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


ENVELOPE = {"jsonrpc": "2.0", "method": "sennit/echo", "params": GOOD}


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


def test_a_cancel_that_comes_with_its_request_still_cancels_it(shared: WireClient) -> None:
    shared.send(
        {"jsonrpc": "2.0", "id": "a", "method": "sennit/block", "params": {"name": "a"}},
        {"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": "a"}},
    )
    assert error(shared.answer_to("a")) == ("a", -32800)


@pytest.mark.parametrize("params", [None, {}, {"id": None}, {"id": 1.5}, {"id": "gone"}, []])
def test_a_cancel_of_nothing_is_ignored(shared: WireClient, params: object) -> None:
    shared.notify("$/cancelRequest", params)
    shared.nothing_more()


def test_shutdown_ends_what_is_in_flight_and_answers_null(client: WireClient) -> None:
    params = {"command": "sennit.server.block", "arguments": ["c"]}
    command = client.request("workspace/executeCommand", params)
    client.next_of("sennit/told")
    shutdown = client.request("shutdown")
    assert error(client.read()) == (command, -32800)
    assert client.read() == {"jsonrpc": "2.0", "id": shutdown, "result": None}
    client.notify("exit")
    assert client.exit_code() == 0
    assert client.stderr().count("closing") == 1


def test_a_handler_that_does_not_end_does_not_hold_the_shutdown(client: WireClient) -> None:
    blocked = client.request("sennit/block", {"name": "stubborn"})
    client.next_of("sennit/told")
    assert client.call("shutdown")["result"] is None
    assert error(client.answer_to(blocked)) == (blocked, -32800)


@pytest.mark.parametrize("name", ["content-length", "CONTENT-LENGTH", "Content-Length "])
def test_headers_are_accepted_in_any_case(shared: WireClient, name: str) -> None:
    body = json.dumps(ENVELOPE | {"id": "h"}).encode()
    kind = b"content-TYPE: application/vscode-jsonrpc; charset=utf8\r\n"
    shared.send_bytes(kind + name.encode() + b":%d\r\n\r\n" % len(body) + body)
    assert "result" in shared.answer_to("h")


def test_a_header_without_a_length_is_refused_and_the_stream_found_again(
    shared: WireClient,
) -> None:
    shared.send_bytes(b"Content-Length: many\r\n\r\n" + json.dumps(ENVELOPE).encode())
    assert error(shared.read()) == (None, -32600)
    shared.nothing_more()


def test_a_message_over_the_limit_is_drained_and_the_stream_stays_in_sync(start: Starter) -> None:
    with start("100000") as client:
        client.initialize()
        long = ENVELOPE | {"id": "long", "params": {"prompt": "x" * 100_000}}
        client.send(long, ENVELOPE | {"id": "next"})
        refused = client.read()
        assert error(refused) == ("long", -32600)
        assert refused["error"]["data"]["limit"] == 100_000
        assert "result" in client.answer_to("next")


OPEN = {"textDocument": {"uri": "file:///a", "languageId": "x", "version": 1, "text": "one\ntwo"}}


def change(version: int, *changes: object, uri: str = "file:///a") -> dict[str, object]:
    return {"textDocument": {"uri": uri, "version": version}, "contentChanges": list(changes)}


def insertion(text: str, line: int = 0, character: int = 0) -> dict[str, object]:
    place = {"line": line, "character": character}
    return {"range": {"start": place, "end": place}, "text": text}


def texts(client: WireClient) -> tuple[object, object]:
    facts = client.call("sennit/facts", {})["result"]
    return facts["texts"], facts["unknown"]


def test_a_drained_change_makes_the_text_unknown_until_it_is_sent_whole(start: Starter) -> None:
    with start("100000") as client:
        client.initialize()
        client.notify("textDocument/didOpen", OPEN)
        client.notify("textDocument/didChange", change(2, insertion("x" * 100_000)))
        assert error(client.read()) == (None, -32600)
        assert texts(client) == ({"file:///a": None}, ["file:///a"])
        client.notify("textDocument/didChange", change(3, insertion("y")))
        assert texts(client) == ({"file:///a": None}, ["file:///a"])
        client.notify("textDocument/didChange", change(4, {"text": "whole"}, insertion("a ")))
        assert texts(client) == ({"file:///a": "a whole"}, [])


@pytest.mark.parametrize(
    "bad",
    [
        change(2, insertion("x", line=9)),
        change(0, insertion("x")),
        change(2, {"range": 1, "text": "x"}),
        {"textDocument": {"uri": "file:///a"}},
        {},
    ],
)
def test_a_change_that_does_not_fit_makes_the_text_unknown(shared: WireClient, bad: object) -> None:
    shared.notify("textDocument/didOpen", OPEN)
    shared.notify("textDocument/didChange", bad)
    assert texts(shared) == ({"file:///a": None}, ["file:///a"])
    shared.notify("textDocument/didOpen", OPEN)
    assert texts(shared) == ({"file:///a": "one\ntwo"}, [])


def test_five_thousand_notifications_leave_nothing_behind(client: WireClient) -> None:
    before = client.call("sennit/facts", {})["result"]
    note = {"jsonrpc": "2.0", "method": "sennit/note", "params": {"name": "n"}}
    client.send(*[note] * 5000)
    assert client.call("sennit/seen", {})["result"]["agents"] == ["n"] * 5000
    after = client.call("sennit/facts", {})["result"]
    assert after["tasks"] == before["tasks"]
    assert after["futures"] <= before["futures"] + 5


def test_notifications_keep_their_order_and_come_before_later_requests(
    client: WireClient,
) -> None:
    notes = [
        {"jsonrpc": "2.0", "method": "sennit/note", "params": {"name": name}}
        for name in ("a", "raise", "b")
    ]
    client.send(*notes)
    assert client.call("sennit/seen", {})["result"]["agents"] == ["a", "b"]


def test_wrong_and_unknown_notifications_are_ignored(shared: WireClient) -> None:
    before = shared.call("sennit/seen", {})["result"]
    shared.notify("sennit/note", {"name": 5})
    shared.notify("sennit/nope", {})
    shared.notify("$/nope")
    shared.notify("sennit/echo", GOOD)
    assert shared.call("sennit/seen", {})["result"] == before


def test_what_prints_does_not_corrupt_the_stream(shared: WireClient) -> None:
    assert shared.call("sennit/print", {})["result"] == {"name": "printed"}
    assert {"printed", "written", "child"} <= set(shared.stderr().split())
    shared.nothing_more()


def test_a_large_result_arrives_whole_while_the_client_reads_slowly(client: WireClient) -> None:
    client.request("sennit/large", {}, id_="large")
    client.request("sennit/echo", GOOD, id_="after")
    assert len(client.answer_to("large")["result"]["prompt"]) == 20_000_000
    assert "result" in client.answer_to("after")


def test_bad_settings_are_shown_once_and_answered_until_mended(start: Starter) -> None:
    with start("1000000", "broken-settings") as client:
        client.initialize()
        shown = client.next_of("window/showMessage")["params"]
        assert shown["type"] == 1
        assert "limits.tasks" in shown["message"]
        for _ in range(2):
            answer = client.call("sennit/echo", GOOD)
            assert error(answer)[1] == 8
            assert paths(answer) == ["limits.tasks"]
        assert "result" in client.call("sennit/doctor", {})
        client.notify("workspace/didChangeConfiguration", {"settings": {}})
        client.notify("sennit/note", {"name": "mended"})
        assert "result" in client.call("sennit/echo", GOOD)
        assert not client.received


def test_what_is_sent_has_its_envelope(client: WireClient) -> None:
    client.request("sennit/block", {"name": "a"})
    assert client.read() == {
        "jsonrpc": "2.0",
        "method": "sennit/told",
        "params": {"name": "a started"},
    }


def test_messages_may_come_in_any_pieces(shared: WireClient) -> None:
    data = framed(ENVELOPE | {"id": "a"}) + framed(ENVELOPE | {"id": "b"})
    for byte in data:
        shared.send_bytes(bytes([byte]))
    assert [shared.read()["id"], shared.read()["id"]] == ["a", "b"]
