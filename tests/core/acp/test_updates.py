from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sennit.core.acp.updates import prompt_usage, tool_paths, tool_update, update_events
from sennit.core.agent_events import (
    ContextFilled,
    Logged,
    TextSaid,
    ThoughtSaid,
    ToDoSet,
    ToolUpdated,
    UsageTotal,
    Warned,
)
from sennit_protocol.agents import ToDoEntry, ToDoStatus, ToolKind, ToolStatus, Usage, UsageKnown

KINDS: tuple[object, ...] = (
    "agent_message_chunk", "agent_thought_chunk", "tool_call", "tool_call_update", "plan",
    "usage_update", "notice", "user_message_chunk", "subagent_update", "", 7, None, [],
)  # fmt: skip
KEYS = ("content", "text", "toolCallId", "title", "kind", "status", "locations", "path", "type",
        "rawInput", "entries", "used", "size", "cost", "amount", "currency", "message")  # fmt: skip

values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=4)
    ),
    max_leaves=12,
)


@given(st.sampled_from(KINDS), st.dictionaries(st.sampled_from(KEYS), values))
def test_any_update_is_read_without_an_error(kind: object, body: dict[str, Any]) -> None:
    update_events({"sessionUpdate": kind, **body})
    tool_update(body)
    assert all(tool_paths(body))


@given(values)
def test_any_answer_to_a_prompt_is_read_without_an_error(answer: object) -> None:
    prompt_usage(answer)
    prompt_usage({"usage": answer, "_meta": {"quota": {"token_count": answer}}})


def test_what_is_said_and_thought_is_told_in_pieces() -> None:
    said = {"content": {"type": "text", "text": "a\n"}}
    assert update_events({"sessionUpdate": "agent_message_chunk", **said}) == (TextSaid("a\n"),)
    assert update_events({"sessionUpdate": "agent_thought_chunk", **said}) == (ThoughtSaid("a\n"),)
    picture = {"sessionUpdate": "agent_message_chunk", "content": {"type": "image"}}
    assert update_events(picture) == (Logged("a block of 'image'"),)


def test_a_call_tells_only_the_parts_that_are_there() -> None:
    whole = {
        "sessionUpdate": "tool_call", "toolCallId": "a", "title": "edit\n  it", "kind": "edit",
        "status": "in_progress", "locations": [{"path": "/x"}, {"line": 1}],
    }  # fmt: skip
    assert update_events(whole) == (
        ToolUpdated("a", "edit it", ToolKind.EDIT, ToolStatus.IN_PROGRESS, ("/x",), begins=True),
    )
    part = {"sessionUpdate": "tool_call_update", "toolCallId": "a", "kind": None, "title": ""}
    assert update_events(part) == (ToolUpdated("a"),)
    odd = {**part, "kind": "teleport", "status": "sideways"}
    assert update_events(odd) == (ToolUpdated("a"),)
    assert isinstance(update_events({"sessionUpdate": "tool_call"})[0], Logged)


def test_paths_come_from_places_changes_and_inputs_each_once() -> None:
    call = {
        "locations": [{"path": "a"}],
        "content": [{"type": "diff", "path": "b"}, {"type": "content", "path": "no"}],
        "rawInput": {"file_path": "c", "path": "a", "destination": "d", "content": "no"},
    }
    assert tool_paths(call) == ("a", "b", "c", "d")


def test_paths_of_several_changes_are_found_in_the_input_of_a_tool() -> None:
    given = {
        "paths": ["a", 5, "b"],
        "edits": [{"filePath": "c", "newString": "x"}, {"file_path": "d", "inner": {"path": "e"}}],
        "source": "top",
        "code": {"source": "no path"},
    }
    assert tool_paths({"rawInput": given}) == ("a", "b", "c", "d", "e", "top")
    deep: object = {"path": "too deep"}
    for _ in range(50):
        deep = {"x": [deep]}
    assert tool_paths({"rawInput": deep}) == ()


def test_a_plan_is_told_whole_and_odd_entries_are_left_out() -> None:
    entries = [{"content": "one", "status": "completed"}, {"content": "two", "status": "odd"}, 7]
    assert update_events({"sessionUpdate": "plan", "entries": entries}) == (
        ToDoSet((ToDoEntry("one", ToDoStatus.COMPLETED), ToDoEntry("two", ToDoStatus.PENDING))),
    )


def test_the_context_and_the_cost_are_told_as_far_as_they_are_known() -> None:
    filled = {"sessionUpdate": "usage_update", "used": 5, "size": 10}
    assert update_events(filled) == (ContextFilled(5, 10),)
    cost = {**filled, "size": None, "cost": {"amount": 0.5, "currency": "USD"}}
    assert update_events(cost) == (UsageTotal(Usage(UsageKnown.TOTAL, cost=0.5, currency="USD")),)


@pytest.mark.parametrize(
    "answer",
    [
        {"usage": {"inputTokens": 1, "outputTokens": 2}},
        {"_meta": {"quota": {"token_count": {"input_tokens": 1, "output_tokens": 2}}}},
    ],
)
def test_the_usage_of_a_turn_is_found_where_agents_put_it(answer: object) -> None:
    [told] = prompt_usage(answer)
    assert (told.usage.input, told.usage.output) == (1, 2)


def test_zeros_of_a_cancelled_turn_say_nothing() -> None:
    assert prompt_usage({"usage": {"inputTokens": 0, "outputTokens": 0}}) == ()


def test_an_unknown_kind_is_noted_and_a_notice_is_a_warning() -> None:
    [noted] = update_events({"sessionUpdate": "subagent_update" * 9})
    assert isinstance(noted, Logged)
    assert len(noted.text) < 100
    assert update_events({"sessionUpdate": "notice", "message": "slow"}) == (Warned("slow"),)
    assert update_events({"sessionUpdate": "current_mode_update"}) == ()
