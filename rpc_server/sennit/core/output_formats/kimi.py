"""`kimi -p --output-format stream-json`: the messages of the conversation, one a line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sennit.core.agent_events import (
    AgentEvent,
    Finished,
    Logged,
    MessageSaid,
    SessionOpened,
    ThoughtSaid,
)
from sennit.core.output_formats.fields import array, first_text, mapping, object_of, text
from sennit.core.output_formats.tools import arguments_of, called, ended, to_do_in


def events(line: str) -> tuple[AgentEvent, ...]:
    """Read one line."""
    told = object_of(line)
    if told is None:
        return (Logged(line),) if line.strip() else ()
    return tuple(_events(told, line))


def _events(told: Mapping[str, object], line: str) -> Iterator[AgentEvent]:
    if session := first_text(told, "session_id", "sessionId"):
        yield SessionOpened(session)
    match told.get("role"):
        case "assistant":
            yield from _assistant(told)
        case "tool" if call := text(told, "tool_call_id"):
            yield ended(call, failed=told.get("is_error") is True)
        case "user" | "system" | "meta":
            pass
        case _:
            yield Logged(line)


def _assistant(told: Mapping[str, object]) -> Iterator[AgentEvent]:
    yield from _content(told)
    calls = array(told, "tool_calls")
    for each in calls:
        given = arguments_of(mapping(each, "function").get("arguments"))
        if call := text(each, "id"):
            yield called(call, text(each, "function", "name"), given)
            yield from to_do_in(given)
    if not calls:
        # There is no closing line: the turn is over with the answer that calls no tool.
        yield Finished("end_turn")


def _content(told: Mapping[str, object]) -> Iterator[AgentEvent]:
    if said := text(told, "content"):
        yield MessageSaid(said)
        return
    blocks = array(told, "content")
    for each in blocks:
        if thought := first_text(each, "think", "thinking"):
            yield ThoughtSaid(thought)
    if said := "".join(text(each, "text") for each in blocks):
        yield MessageSaid(said)
