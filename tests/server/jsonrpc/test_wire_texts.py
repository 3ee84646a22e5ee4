"""Texts, order, size and pieces of messages."""

from __future__ import annotations

import json

import pytest

from tests.server.jsonrpc.clients import (
    ENVELOPE,
    GOOD,
    OPEN,
    Starter,
    change,
    error,
    insertion,
    paths,
)
from tests.wire_client import WireClient, framed


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
