from __future__ import annotations

import json
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sennit.core.agent_events import AgentEvent, Logged
from sennit.core.agent_report import Report, take
from sennit.core.agents import OutputFormat
from sennit.core.output_formats.formats import reader_of

EVENTS = get_args(AgentEvent)
WORDS = [
    "type", "role", "message", "content", "text", "usage", "item", "part", "state", "tokens",
    "cache", "id", "status", "result", "error", "stats", "tool_calls", "function", "arguments",
    "todos", "todo_list", "items", "tool_use", "tool_result", "assistant", "user", "system", "init",
    "subtype", "api_retry", "stream_event", "event", "delta", "session", "session_id", "sessionID",
    "item.completed", "item.started", "command_execution", "file_change", "changes", "step_finish",
    "step_start", "cost", "total", "message_end", "message_update", "assistantMessageEvent",
    "agent_end", "messages", "stopReason", "tool_id", "callID", "toolCallId", "data", "name",
    "input", "reason", "rate_limit_event", "rate_limit_info", "resetsAt", "rejected", "turn.failed",
    "turn.completed", "thread.started", "thread_id", "permission_denials", "errors", "parameters",
    "tool_use_id", "tool_call_id", "tool", "kind", "is_error", "input_tokens", "num_turns",
]  # fmt: skip
SCALARS = (
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)
    | st.sampled_from(WORDS)
)  # fmt: skip
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(WORDS), inner),
    max_leaves=12,
)


def read(format_: OutputFormat, line: str) -> tuple[AgentEvent, ...]:
    found = reader_of(format_)(line)
    assert all(isinstance(event, EVENTS) for event in found)
    report = Report()
    for event in found:
        report = take(report, event)
    return found


# What is made up is read in every format, for making it up takes longer than reading it.


def read_in_every_format(line: str) -> None:
    for format_ in OutputFormat:
        try:
            read(format_, line)
        except BaseException as error:
            error.add_note(f"read as {format_}")
            raise


@given(line=st.text())
def test_any_text_gives_events(line: str) -> None:
    read_in_every_format(line)


@settings(max_examples=50)
@given(value=VALUES)
def test_any_json_gives_events(value: object) -> None:
    read_in_every_format(json.dumps(value))


TYPES = [
    "system", "assistant", "user", "stream_event", "rate_limit_event", "result", "thread.started",
    "item.completed", "turn.completed", "turn.failed", "error", "init", "message", "tool_use",
    "tool_result", "step_start", "step_finish", "text", "reasoning", "session", "message_end",
    "message_update", "tool_execution_start", "tool_execution_end", "agent_end", "auto_retry_start",
]  # fmt: skip


@settings(max_examples=50)
@given(kind=st.sampled_from(TYPES), rest=st.dictionaries(st.sampled_from(WORDS), VALUES))
def test_known_messages_with_wrong_insides_give_events(kind: str, rest: dict[str, object]) -> None:
    read_in_every_format(json.dumps({**rest, "type": kind, "role": rest.get("role", kind)}))


@pytest.mark.parametrize(
    "format_", [each for each in OutputFormat if each is not OutputFormat.TEXT]
)
@pytest.mark.parametrize(
    "line",
    [
        "42", "null", "[1]", '"x"', "{", '{"a":1', "word", "{}", '{"type":"new"}', '{"type":[]}',
        "[" * 100_000, '{"a":' * 100_000, '{"a":' + "1" * 5_000 + "}", '{"type":NaN}',
    ],
)  # fmt: skip
def test_what_is_unknown_is_logged(format_: OutputFormat, line: str) -> None:
    assert read(format_, line) == (Logged(line),)


@pytest.mark.parametrize(
    "format_", [each for each in OutputFormat if each is not OutputFormat.TEXT]
)
def test_empty_lines_are_nothing(format_: OutputFormat) -> None:
    assert read(format_, "") == read(format_, "  ") == ()
