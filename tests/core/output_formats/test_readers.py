"""Single lines that the transcripts do not hold, and what is read from them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sennit.core.agent_events import (
    AgentEvent,
    Failed,
    Finished,
    Logged,
    MessageSaid,
    TextSaid,
    ThoughtSaid,
    ToDoSet,
    ToolUpdated,
    UsageStep,
    Warned,
)
from sennit.core.agents import OutputFormat
from sennit.core.output_formats.formats import reader_of
from sennit.core.output_formats.tools import kind_of
from sennit_protocol.agents import (
    ToDoEntry,
    ToDoStatus,
    ToolKind,
    ToolStatus,
    Usage,
    UsageKnown,
)
from sennit_protocol.states import FailureKind

TODO = (ToDoEntry("one", ToDoStatus.COMPLETED), ToDoEntry("two", ToDoStatus.PENDING))
TODOS = {"todos": [{"content": "one", "status": "completed"}, {"content": "two"}]}


def read(format_: OutputFormat, told: object) -> tuple[AgentEvent, ...]:
    return reader_of(format_)(told if isinstance(told, str) else json.dumps(told))


def said_by_claude(*blocks: object, **more: object) -> dict[str, Any]:
    return {"type": "assistant", "message": {"content": list(blocks)}, **more}


def failure(kind: FailureKind, text: str, resets_at: int | None = None) -> Failed:
    return Failed(kind, text, resets_at)


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        (
            {"type": "stream_event", "event": {"delta": {"type": "text_delta", "text": "a"}}},
            (TextSaid("a"),),
        ),
        ({"type": "stream_event", "event": {"type": "message_stop"}}, ()),
        (said_by_claude({"type": "thinking", "thinking": "hm"}), (ThoughtSaid("hm"),)),
        (
            said_by_claude({"type": "text", "text": "x"}, parent_tool_use_id="t"),
            (ThoughtSaid("x"),),
        ),
        (
            {"type": "system", "subtype": "api_retry", "attempt": 1, "max_retries": 10,
             "error_status": 529, "error": "overloaded"},
            (Warned("The model answered overloaded (529), attempt 1 of 10."),),
        ),
        (
            {"type": "rate_limit_event",
             "rate_limit_info": {"status": "rejected", "resetsAt": 1_767_225_600}},
            (failure(FailureKind.RATE_LIMITED, "The limit of the account is reached",
                     1_767_225_600_000),),
        ),
        ({"type": "rate_limit_event", "rate_limit_info": {"status": "allowed"}}, ()),
    ],
)  # fmt: skip
def test_claude_tells_pieces_thoughts_and_limits(
    told: object, expected: tuple[AgentEvent, ...]
) -> None:
    assert read(OutputFormat.CLAUDE, told) == expected


def test_the_plan_of_an_agent_is_read_from_its_tool() -> None:
    block = {"type": "tool_use", "id": "1", "name": "TodoWrite", "input": TODOS}
    claude = read(OutputFormat.CLAUDE, said_by_claude(block))
    assert claude[1] == ToDoSet(TODO)
    part = {"callID": "1", "tool": "todowrite", "state": {"status": "completed", "input": TODOS}}
    assert read(OutputFormat.OPENCODE, {"type": "tool_use", "part": part})[1] == ToDoSet(TODO)
    items = [{"text": "one", "completed": True}, {"text": "two", "completed": False}]
    item = {"type": "todo_list", "items": items}
    assert read(OutputFormat.CODEX, {"type": "item.updated", "item": item}) == (ToDoSet(TODO),)


@pytest.mark.parametrize(
    ("subtype", "kind"),
    [
        ("error_max_turns", FailureKind.LIMIT),
        ("error_during_execution", FailureKind.MODEL_ERROR),
    ],
)
def test_a_result_of_claude_that_is_an_error_is_a_failure(subtype: str, kind: FailureKind) -> None:
    told = read(OutputFormat.CLAUDE, {"type": "result", "subtype": subtype, "is_error": True})
    assert told[-1] == failure(kind, subtype)
    assert not any(isinstance(event, Finished) for event in told)


@pytest.mark.parametrize(
    ("item", "status"),
    [
        ({"status": "declined"}, ToolStatus.FAILED),
        ({"status": "completed", "exit_code": 1}, ToolStatus.FAILED),
        ({"status": "completed", "exit_code": 0}, ToolStatus.COMPLETED),
        ({}, ToolStatus.COMPLETED),
    ],
)
def test_a_command_of_codex_fails_by_its_exit_code(item: object, status: ToolStatus) -> None:
    whole = {"id": "1", "type": "command_execution", "command": "a\n b", **dict(item)}  # type: ignore[call-overload]
    (told,) = read(OutputFormat.CODEX, {"type": "item.completed", "item": whole})
    assert told == ToolUpdated("1", "a b", ToolKind.EXECUTE, status, ())


def test_files_that_codex_changes_are_the_paths_of_its_tool() -> None:
    changes = [{"path": "a", "kind": "add"}, {"path": "b", "kind": "update"}]
    item = {"id": "1", "type": "file_change", "changes": changes, "status": "completed"}
    (told,) = read(OutputFormat.CODEX, {"type": "item.completed", "item": item})
    expected = ToolUpdated("1", "a, b", ToolKind.EDIT, ToolStatus.COMPLETED, ("a", "b"))
    assert told == expected


def test_a_connection_that_codex_tries_again_is_no_failure() -> None:
    told = read(OutputFormat.CODEX, {"type": "error", "message": "Reconnecting... 1/5"})
    assert told == (Warned("Reconnecting... 1/5"),)
    told = read(OutputFormat.CODEX, {"type": "error", "message": "429 Too Many Requests"})
    assert told == (failure(FailureKind.RATE_LIMITED, "429 Too Many Requests"),)


def test_gemini_tells_warnings_and_whole_messages() -> None:
    told: object = {"type": "error", "severity": "warning", "message": "Loop detected"}
    assert read(OutputFormat.GEMINI, told) == (Warned("Loop detected"),)
    told = {"type": "message", "role": "assistant", "content": "Hi"}
    assert read(OutputFormat.GEMINI, told) == (MessageSaid("Hi"),)
    told = {"type": "result", "status": "error", "error": {"message": "quota exceeded"}}
    assert read(OutputFormat.GEMINI, told) == (failure(FailureKind.RATE_LIMITED, "quota exceeded"),)


def test_what_opencode_refuses_by_itself_is_told_among_the_json() -> None:
    line = "! permission requested: external_directory (/x/*); auto-rejecting"
    told = "permission requested: external_directory (/x/*); auto-rejecting"
    assert read(OutputFormat.OPENCODE, line) == (Warned(told),)
    assert read(OutputFormat.OPENCODE, "other") == (Logged("other"),)


def test_the_end_of_pi_counts_only_when_it_does_not_try_again() -> None:
    message = {"role": "assistant", "stopReason": "error", "errorMessage": "overloaded"}
    told = {"type": "agent_end", "messages": [message]}
    assert read(OutputFormat.PI, told) == (failure(FailureKind.MODEL_ERROR, "overloaded"),)
    assert read(OutputFormat.PI, {**told, "willRetry": True}) == ()
    assert read(OutputFormat.PI, {**told, "messages": []}) == ()
    aborted = {"role": "assistant", "stopReason": "aborted"}
    (found,) = read(OutputFormat.PI, {"type": "agent_end", "messages": [aborted]})
    assert isinstance(found, Failed)


def test_kimi_may_give_its_answer_in_blocks() -> None:
    blocks = [{"type": "think", "think": "hm"}, {"type": "text", "text": "Hi"}]
    assert read(OutputFormat.KIMI, {"role": "assistant", "content": blocks}) == (
        ThoughtSaid("hm"),
        MessageSaid("Hi"),
        Finished("end_turn"),
    )


@pytest.mark.parametrize(
    ("line", "usage"),
    [
        ("Tokens: 1.2k sent, 34 received.", Usage(UsageKnown.SUM, 1_200, 34, turns=1)),
        (
            "Tokens: 2.5M sent, 1,234 received. Cost: $0.01 message, $0.02 session.",
            Usage(UsageKnown.SUM, 2_500_000, 1_234, cost=0.01, currency="USD", turns=1),
        ),
        (
            "Tokens: 3k sent, 1k cache hit, 12 received. Cost: $1.50 message, $2 session.",
            Usage(UsageKnown.SUM, 3_000, 12, cost=1.5, currency="USD", turns=1),
        ),
    ],
)
def test_usage_is_read_from_the_words_of_aider(line: str, usage: Usage) -> None:
    assert read(OutputFormat.TEXT, line) == (TextSaid(f"{line}\n"), UsageStep(usage))


def test_words_about_tokens_are_no_usage() -> None:
    for line in ("Tokens: many sent, few received.", "The Tokens: 1k sent, 2 received."):
        assert read(OutputFormat.TEXT, line) == (TextSaid(f"{line}\n"),)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("Write", ToolKind.EDIT),
        ("str_replace_file", ToolKind.EDIT),
        ("run_shell_command", ToolKind.EXECUTE),
        ("Bash", ToolKind.EXECUTE),
        ("list-directory", ToolKind.SEARCH),
        ("WebFetch", ToolKind.FETCH),
        ("mcp__server__do", ToolKind.OTHER),
        ("", ToolKind.OTHER),
    ],
)
def test_what_a_tool_does_is_known_by_its_name_however_it_is_spelled(
    name: str, kind: ToolKind
) -> None:
    assert kind_of(name) is kind


CLAUDE_USES = {"type": "tool_use", "id": "1", "name": "Read", "input": {}}


@pytest.mark.parametrize(
    ("output", "begun"),
    [
        (OutputFormat.CLAUDE, {"type": "assistant", "message": {"content": [CLAUDE_USES]}}),
        (OutputFormat.CODEX, {"type": "item.started", "item": {"id": "1", "type": "web_search"}}),
        (OutputFormat.GEMINI, {"type": "tool_use", "tool_id": "1", "tool_name": "read_file"}),
        (OutputFormat.KIMI, {"role": "assistant", "tool_calls": [{"id": "1"}]}),
        (OutputFormat.PI, {"type": "tool_execution_start", "toolCallId": "1"}),
    ],
)
def test_a_call_that_begins_is_another_one_whatever_its_id(
    output: OutputFormat, begun: object
) -> None:
    told = [event for event in read(output, begun) if isinstance(event, ToolUpdated)]
    assert [event.begins for event in told] == [True]
