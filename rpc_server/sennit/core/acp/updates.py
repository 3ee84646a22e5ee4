"""Reads `session/update` and what answers to `session/prompt` tell of usage."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import TypeVar

from attrs import evolve

from sennit.core.agent_events import (
    AgentEvent,
    ContextFilled,
    Logged,
    TextSaid,
    ThoughtSaid,
    ToDoSet,
    ToolUpdated,
    UsageStep,
    UsageTotal,
    Warned,
)
from sennit.core.output_formats.fields import array, count, mapping, money, text, within
from sennit_protocol.agents import (
    ToDoEntry,
    ToDoStatus,
    ToolKind,
    ToolStatus,
    Usage,
    UsageKnown,
)

_LONGEST = 200
_DEEPEST = 5
"""Levels of the input of a tool in which paths are looked for."""
_CURRENCY = re.compile(r"[A-Za-z]{3,8}")
_WordT = TypeVar("_WordT", bound=StrEnum)

Update = Mapping[str, object]


def update_events(update: Update) -> tuple[AgentEvent, ...]:
    """Tell what one update says; of a kind that nobody knows, only that it came."""
    kind = text(update, "sessionUpdate")
    reader = _READERS.get(kind)
    if reader is None:
        return () if kind in _SILENT else (Logged(f"an update of the kind {kind[:60]!r}"),)
    return reader(update)


def tool_update(call: Update) -> ToolUpdated:
    """Read a call of a tool, of which an update may give any part."""
    title = text(call, "title") or None
    return ToolUpdated(
        text(call, "toolCallId"),
        title=None if title is None else " ".join(title.split())[:_LONGEST],
        kind=_word(ToolKind, within(call, "kind")),
        status=_word(ToolStatus, within(call, "status")),
        paths=tool_paths(call) or None,
    )


def tool_paths(call: Update) -> tuple[str, ...]:
    """The paths that a call tells: its locations, its diffs, and those in its input."""
    located = [text(each, "path") for each in array(call, "locations")]
    compared = [
        text(each, "path") for each in array(call, "content") if text(each, "type") == "diff"
    ]
    named = _named_paths(within(call, "rawInput"), _DEEPEST)
    return tuple(dict.fromkeys(path for path in (*located, *compared, *named) if path))


def _named_paths(given: object, levels: int) -> Iterator[str]:
    """The paths in the input of a tool, which may be given for each of several changes."""
    if levels == 0:
        return
    if isinstance(given, list):
        for each in given:
            yield from _named_paths(each, levels - 1)
    if not isinstance(given, Mapping):
        return
    names = _PATH_NAMES if levels == _DEEPEST else ()
    for name, value in given.items():
        if name in names or name.casefold().endswith(_PATH_ENDS):
            told = value if isinstance(value, list) else [value]
            yield from (each for each in told if isinstance(each, str))
        if isinstance(value, Mapping | list):
            yield from _named_paths(value, levels - 1)


def prompt_usage(answer: object) -> tuple[UsageTotal, ...]:
    """Read the usage in the answer to a prompt, from the field or from where gemini puts it."""
    usage = mapping(answer, "usage")
    if usage:
        found = _usage_of(usage, UsageKnown.TOTAL)
    else:
        counted = mapping(answer, "_meta", "quota", "token_count")
        found = Usage(
            UsageKnown.TOTAL,
            input=count(counted, "input_tokens"),
            output=count(counted, "output_tokens"),
        )
    # A cancelled turn gives zeros, which say nothing.
    return (UsageTotal(found),) if found.input or found.output else ()


def _usage_of(usage: Mapping[str, object], known: UsageKnown) -> Usage:
    return Usage(
        known,
        input=count(usage, "inputTokens"),
        output=count(usage, "outputTokens"),
        cached_read=count(usage, "cachedReadTokens"),
        cached_write=count(usage, "cachedWriteTokens"),
        reasoning=count(usage, "thoughtTokens"),
    )


def _said(update: Update) -> tuple[AgentEvent, ...]:
    content = mapping(update, "content")
    words = text(content, "text")
    # Where qwen tells what one call of the model has used.
    usage = _usage_of(mapping(update, "_meta", "usage"), UsageKnown.SUM)
    steps = (UsageStep(usage),) if usage.input or usage.output else ()
    if words:
        return (TextSaid(words), *steps)
    return steps or (Logged(f"a block of {text(content, 'type')!r}"),)


def _thought(update: Update) -> tuple[AgentEvent, ...]:
    words = text(update, "content", "text")
    return (ThoughtSaid(words),) if words else ()


def _tool(update: Update) -> tuple[AgentEvent, ...]:
    if not text(update, "toolCallId"):
        return (Logged("a call of a tool without an id"),)
    begins = text(update, "sessionUpdate") == "tool_call"
    return (evolve(tool_update(update), begins=begins),)


def _plan(update: Update) -> tuple[AgentEvent, ...]:
    entries = tuple(
        ToDoEntry(words, _word(ToDoStatus, within(entry, "status")) or ToDoStatus.PENDING)
        for entry in array(update, "entries")
        if (words := text(entry, "content"))
    )
    return (ToDoSet(entries),)


def _filled(update: Update) -> tuple[AgentEvent, ...]:
    used, size = count(update, "used"), count(update, "size")
    context = () if used is None or size is None else (ContextFilled(used, size),)
    cost = money(update, "cost", "amount")
    if cost is None:
        return context
    told = text(update, "cost", "currency")
    currency = told if _CURRENCY.fullmatch(told) else None
    return (*context, UsageTotal(Usage(UsageKnown.TOTAL, cost=cost, currency=currency)))


def _notice(update: Update) -> tuple[AgentEvent, ...]:
    words = text(update, "content", "text") or text(update, "message") or text(update, "text")
    return (Warned(words),) if words else ()


def _word(words: type[_WordT], found: object) -> _WordT | None:
    return next((each for each in words if each.value == found), None)


_READERS: Mapping[str, Callable[[Update], tuple[AgentEvent, ...]]] = MappingProxyType({
    "agent_message_chunk": _said,
    "agent_thought_chunk": _thought,
    "tool_call": _tool,
    "tool_call_update": _tool,
    "plan": _plan,
    "plan_update": _plan,
    "usage_update": _filled,
    "notice": _notice,
})  # fmt: skip
_SILENT = frozenset({
    "user_message_chunk", "available_commands_update", "current_mode_update",
    "config_option_update", "session_info_update", "compaction_update", "compaction_summary_chunk",
})  # fmt: skip
_PATH_NAMES = (
    "path", "file_path", "filePath", "filepath", "absolute_path", "abs_path", "notebook_path",
    "dir_path", "target_file", "old_path", "new_path", "file", "filename", "directory", "folder",
    "source", "destination", "source_path", "destination_path", "target_path", "src", "dst", "uri",
)  # fmt: skip
_PATH_ENDS = ("path", "paths", "file", "files")
