from __future__ import annotations

from sennit.core.acp.calls import MOST_CALLS, Calls


def test_parts_that_are_told_later_are_added_and_empty_ones_change_nothing() -> None:
    calls = Calls()
    calls.merged({"toolCallId": "a", "title": "edit", "kind": "edit", "rawInput": {}})
    calls.merged({"toolCallId": "a", "locations": [{"path": "x"}], "rawInput": {"n": 1}})
    whole = calls.merged({"toolCallId": "a", "kind": None, "locations": [], "title": ""})
    assert whole == {
        "toolCallId": "a",
        "title": "edit",
        "kind": "edit",
        "locations": [{"path": "x"}],
        "rawInput": {"n": 1},
    }


def test_of_a_change_only_the_place_is_kept_and_nothing_of_what_is_given_out() -> None:
    calls = Calls()
    diff = {"type": "diff", "path": "x", "oldText": "o" * 1000, "newText": "n" * 1000}
    told = {"toolCallId": "a", "content": [diff, {"type": "content"}], "rawOutput": "out" * 1000}
    assert calls.merged(told) == {"toolCallId": "a", "content": [{"type": "diff", "path": "x"}]}


def test_a_call_that_has_ended_is_forgotten() -> None:
    calls = Calls()
    calls.merged({"toolCallId": "a", "kind": "edit"})
    calls.merged({"toolCallId": "a", "status": "completed"})
    assert calls.merged({"toolCallId": "a"}) == {"toolCallId": "a"}


def test_calls_without_an_id_are_kept_apart() -> None:
    calls = Calls()
    calls.merged({"toolCallId": "", "kind": "edit"})
    assert calls.merged({"title": "x"}) == {"title": "x"}
    assert calls.merged({"toolCallId": 7, "title": "y"}) == {"toolCallId": 7, "title": "y"}


def test_no_more_than_so_many_are_kept_and_those_told_of_last() -> None:
    calls = Calls()
    for number in range(MOST_CALLS):
        calls.merged({"toolCallId": str(number), "kind": "edit"})
    calls.merged({"toolCallId": "0", "title": "again"})
    calls.merged({"toolCallId": "one more"})
    assert calls.merged({"toolCallId": "0"})["kind"] == "edit"
    assert "kind" not in calls.merged({"toolCallId": "1"})
