"""`gemini -o stream-json`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sennit.core.agent_events import (
    AgentEvent,
    Finished,
    Logged,
    MessageSaid,
    SessionOpened,
    TextSaid,
    UsageTotal,
    Warned,
)
from sennit.core.output_formats.fields import count, first_text, mapping, object_of, text, without
from sennit.core.output_formats.model_failures import model_failure
from sennit.core.output_formats.tools import called, ended, to_do_in
from sennit_protocol.agents import Usage, UsageKnown


def events(line: str) -> tuple[AgentEvent, ...]:
    """Read one line."""
    told = object_of(line)
    if told is None:
        return (Logged(line),) if line.strip() else ()
    return tuple(_events(told, line))


def _events(told: Mapping[str, object], line: str) -> Iterator[AgentEvent]:
    match told.get("type"):
        case "init" if session := text(told, "session_id"):
            yield SessionOpened(session)
        case "message":
            yield from _message(told)
        case "tool_use" if call := text(told, "tool_id"):
            given = mapping(told, "parameters")
            yield called(call, text(told, "tool_name"), given)
            yield from to_do_in(given)
        case "tool_result" if call := text(told, "tool_id"):
            yield ended(call, failed=text(told, "status") == "error")
        case "error":
            yield Warned(text(told, "message"))
        case "result":
            yield from _result(told)
        case _:
            yield Logged(line)


def _message(told: Mapping[str, object]) -> Iterator[AgentEvent]:
    if text(told, "role") == "assistant":
        said = text(told, "content")
        yield TextSaid(said) if told.get("delta") is True else MessageSaid(said)


def _result(told: Mapping[str, object]) -> Iterator[AgentEvent]:
    used = mapping(told, "stats")
    if used:
        yield UsageTotal(_usage(used))
    if text(told, "status") == "success":
        yield Finished("end_turn")
    else:
        error = mapping(told, "error")
        message = first_text(error, "message", "type") or text(told, "error")
        yield model_failure(message, count(error, "code"))


def _usage(used: Mapping[str, object]) -> Usage:
    cached = count(used, "cached")
    read = count(used, "input")
    return Usage(
        UsageKnown.TOTAL,
        input=without(count(used, "input_tokens"), cached) if read is None else read,
        output=count(used, "output_tokens"),
        cached_read=cached,
    )
