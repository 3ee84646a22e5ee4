"""`codex exec --json`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from attrs import evolve

from sennit.core.agent_events import (
    AgentEvent,
    Finished,
    Logged,
    MessageSaid,
    SessionOpened,
    ThoughtSaid,
    ToDoSet,
    ToolUpdated,
    UsageTotal,
    Warned,
)
from sennit.core.output_formats.fields import (
    array,
    count,
    first_text,
    mapping,
    object_of,
    text,
    without,
)
from sennit.core.output_formats.model_failures import model_failure
from sennit_protocol.agents import (
    ToDoEntry,
    ToDoStatus,
    ToolKind,
    ToolStatus,
    Usage,
    UsageKnown,
)

_LONGEST_TITLE = 200
_TOOLS = {
    "command_execution": ToolKind.EXECUTE,
    "file_change": ToolKind.EDIT,
    "web_search": ToolKind.FETCH,
    "mcp_tool_call": ToolKind.OTHER,
    "collab_tool_call": ToolKind.OTHER,
}
_STATUSES = {
    "in_progress": ToolStatus.IN_PROGRESS,
    "completed": ToolStatus.COMPLETED,
    "failed": ToolStatus.FAILED,
    "declined": ToolStatus.FAILED,
}


def events(line: str) -> tuple[AgentEvent, ...]:
    """Read one line."""
    told = object_of(line)
    if told is None:
        return (Logged(line),) if line.strip() else ()
    return tuple(_events(told, line))


def _events(told: Mapping[str, object], line: str) -> Iterator[AgentEvent]:
    match told.get("type"):
        case "thread.started" if session := text(told, "thread_id"):
            yield SessionOpened(session)
        case "item.started" | "item.updated" | "item.completed" as when:
            yield from _item(mapping(told, "item"), when)
        case "turn.completed":
            yield UsageTotal(_usage(mapping(told, "usage")))
            yield Finished("end_turn")
        case "turn.failed":
            yield model_failure(text(told, "error", "message"))
        case "error":
            yield from _error(text(told, "message"))
        case "turn.started":
            pass
        case _:
            yield Logged(line)


def _item(item: Mapping[str, object], when: str) -> Iterator[AgentEvent]:
    kind = text(item, "type")
    is_over = when == "item.completed"
    match kind:
        case "agent_message" if is_over:
            yield MessageSaid(text(item, "text"))
        case "reasoning" if is_over:
            yield ThoughtSaid(text(item, "text"))
        case "todo_list":
            yield ToDoSet(tuple(_to_do(item)))
        case "error":
            yield Warned(text(item, "message"))
        case _ if kind in _TOOLS and text(item, "id"):
            seen = _tool(item, _TOOLS[kind], is_over=is_over)
            yield evolve(seen, begins=when == "item.started")


def _tool(item: Mapping[str, object], kind: ToolKind, *, is_over: bool) -> ToolUpdated:
    paths = tuple(path for each in array(item, "changes") if (path := text(each, "path")))
    words = first_text(item, "command", "query", "tool") or ", ".join(paths) or text(item, "type")
    code = item.get("exit_code")
    usual = ToolStatus.COMPLETED if is_over else ToolStatus.IN_PROGRESS
    status = _STATUSES.get(text(item, "status"), usual)
    if is_over and isinstance(code, int) and code:
        status = ToolStatus.FAILED
    title = " ".join(words.split())[:_LONGEST_TITLE]
    return ToolUpdated(text(item, "id"), title=title, kind=kind, status=status, paths=paths)


def _to_do(item: Mapping[str, object]) -> Iterator[ToDoEntry]:
    for entry in array(item, "items"):
        is_done = mapping(entry).get("completed") is True
        if words := text(entry, "text"):
            yield ToDoEntry(words, ToDoStatus.COMPLETED if is_done else ToDoStatus.PENDING)


def _error(message: str) -> Iterator[AgentEvent]:
    if message.casefold().startswith(("reconnecting", "retrying")):
        yield Warned(message)
    else:
        yield model_failure(message)


def _usage(used: Mapping[str, object]) -> Usage:
    cached = count(used, "cached_input_tokens")
    return Usage(
        UsageKnown.TOTAL,
        # The provider counts what came from the cache as read, too.
        input=without(count(used, "input_tokens"), cached),
        output=count(used, "output_tokens"),
        cached_read=cached,
        cached_write=count(used, "cache_write_input_tokens"),
        reasoning=count(used, "reasoning_output_tokens"),
    )
