"""`opencode run --format json`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sennit.core.agent_events import (
    AgentEvent,
    Failed,
    Finished,
    Logged,
    MessageSaid,
    SessionOpened,
    ThoughtSaid,
    ToolUpdated,
    UsageStep,
    Warned,
)
from sennit.core.output_formats.fields import count, first_text, mapping, money, object_of, text
from sennit.core.output_formats.model_failures import model_failure
from sennit.core.output_formats.tools import called, to_do_in
from sennit_protocol.agents import ToolStatus, Usage, UsageKnown
from sennit_protocol.states import FailureKind

_ASKED = "permission requested"
_REFUSED = "rejected permission"
_GOES_ON = frozenset({"tool-calls", "tool_use"})
_STATUSES = {
    "pending": ToolStatus.PENDING,
    "running": ToolStatus.IN_PROGRESS,
    "completed": ToolStatus.COMPLETED,
    "error": ToolStatus.FAILED,
}


def events(line: str) -> tuple[AgentEvent, ...]:
    """Read one line."""
    told = object_of(line)
    if told is None:
        return _other(line.strip())
    return tuple(_events(told, line))


def _other(line: str) -> tuple[AgentEvent, ...]:
    # Where it would ask, it refuses by itself, and says so among the JSON.
    if line.startswith("!") and _ASKED in line:
        return (Warned(line.removeprefix("!").strip()),)
    return (Logged(line),) if line else ()


def _events(told: Mapping[str, object], line: str) -> Iterator[AgentEvent]:
    part = mapping(told, "part")
    match told.get("type"):
        case "step_start" if session := text(told, "sessionID"):
            yield SessionOpened(session)
        case "text":
            yield MessageSaid(text(part, "text"))
        case "reasoning":
            yield ThoughtSaid(text(part, "text"))
        case "tool_use" if text(part, "callID"):
            yield from _tool(part)
        case "step_finish":
            yield UsageStep(_usage(part))
            reason = text(part, "reason")
            if reason not in _GOES_ON:
                yield Finished(reason)
        case "error":
            yield _failed(told.get("error"))
        case _:
            yield Logged(line)


def _tool(part: Mapping[str, object]) -> Iterator[AgentEvent]:
    state = mapping(part, "state")
    status = _STATUSES.get(text(state, "status"), ToolStatus.IN_PROGRESS)
    seen: ToolUpdated = called(text(part, "callID"), text(part, "tool"), state.get("input"), status)
    yield seen
    yield from to_do_in(state.get("input"))
    if _REFUSED in text(state, "error"):
        # It ends here with exit code 0 and without another word.
        what = f"The agent was refused the permission for {seen.title}, and gave up."
        yield Failed(FailureKind.REFUSED, what)


def _failed(error: object) -> Failed:
    data = mapping(error, "data")
    message = first_text(data, "message") or first_text(error, "message", "name")
    name = text(error, "name")
    words = message if not name or name == message else f"{name}: {message}"
    return model_failure(words or str(error), count(data, "statusCode"))


def _usage(part: Mapping[str, object]) -> Usage:
    cost = money(part, "cost")
    return Usage(
        UsageKnown.SUM,
        input=count(part, "tokens", "input"),
        output=count(part, "tokens", "output"),
        cached_read=count(part, "tokens", "cache", "read"),
        cached_write=count(part, "tokens", "cache", "write"),
        reasoning=count(part, "tokens", "reasoning"),
        cost=cost,
        currency=None if cost is None else "USD",
        turns=1,
    )
