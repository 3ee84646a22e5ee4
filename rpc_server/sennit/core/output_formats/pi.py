"""`pi --mode json`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sennit.core.agent_events import (
    AgentEvent,
    Failed,
    Finished,
    Logged,
    MessageSaid,
    SessionOpened,
    TextSaid,
    ThoughtSaid,
    UsageStep,
    Warned,
)
from sennit.core.output_formats.fields import array, count, mapping, money, object_of, text
from sennit.core.output_formats.model_failures import model_failure
from sennit.core.output_formats.tools import called, ended, to_do_in
from sennit_protocol.agents import Usage, UsageKnown
from sennit_protocol.states import FailureKind

_SILENT = frozenset(
    {
        "agent_start",
        "agent_settled",
        "turn_start",
        "turn_end",
        "message_start",
        "tool_execution_update",
    }
)


def events(line: str) -> tuple[AgentEvent, ...]:
    """Read one line."""
    told = object_of(line)
    if told is None:
        return (Logged(line),) if line.strip() else ()
    return () if text(told, "type") in _SILENT else tuple(_events(told, line))


def _events(told: Mapping[str, object], line: str) -> Iterator[AgentEvent]:
    match told.get("type"):
        case "session" if session := text(told, "id"):
            yield SessionOpened(session)
        case "message_update":
            yield from _piece(mapping(told, "assistantMessageEvent"))
        case "message_end":
            yield from _message(mapping(told, "message"))
        case "tool_execution_start" if call := text(told, "toolCallId"):
            given = mapping(told, "args")
            yield called(call, text(told, "toolName"), given)
            yield from to_do_in(given)
        case "tool_execution_end" if call := text(told, "toolCallId"):
            yield ended(call, failed=told.get("isError") is True)
        case "auto_retry_start":
            yield Warned(f"The model failed and is tried again: {text(told, 'errorMessage')}")
        case "agent_end":
            yield from _end(told)
        case _:
            yield Logged(line)


def _piece(told: Mapping[str, object]) -> Iterator[AgentEvent]:
    match told.get("type"):
        case "text_delta":
            yield TextSaid(text(told, "delta"))
        case "thinking_delta":
            yield ThoughtSaid(text(told, "delta"))
        case _:
            # The calls of tools come again, whole, when they begin.
            pass


def _message(message: Mapping[str, object]) -> Iterator[AgentEvent]:
    if text(message, "role") != "assistant":
        return
    said = "".join(text(each, "text") for each in array(message, "content"))
    yield MessageSaid(said)
    yield UsageStep(_usage(mapping(message, "usage")))
    yield from _outcome(message)


def _end(told: Mapping[str, object]) -> Iterator[AgentEvent]:
    if told.get("willRetry") is True:
        return
    answers = [
        message
        for each in array(told, "messages")
        if text(message := mapping(each), "role") == "assistant"
    ]
    if answers:
        yield from _outcome(answers[-1])


def _outcome(message: Mapping[str, object]) -> Iterator[AgentEvent]:
    """Tell how the turn ended, if it did: it ends with exit code 0 in every case."""
    match reason := text(message, "stopReason"):
        case "error":
            yield model_failure(text(message, "errorMessage") or "The model failed.")
        case "aborted":
            words = text(message, "errorMessage") or "The turn was broken off."
            yield Failed(FailureKind.MODEL_ERROR, words)
        case "toolUse":
            return
        case _:
            yield Finished(reason)


def _usage(used: Mapping[str, object]) -> Usage:
    cost = money(used, "cost", "total")
    return Usage(
        UsageKnown.SUM,
        input=count(used, "input"),
        output=count(used, "output"),
        cached_read=count(used, "cacheRead"),
        cached_write=count(used, "cacheWrite"),
        reasoning=count(used, "reasoning"),
        cost=cost,
        currency=None if cost is None else "USD",
        turns=1,
    )
