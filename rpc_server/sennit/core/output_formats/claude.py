"""`claude -p --output-format stream-json --verbose`, and `qwen -o stream-json`, which copies it."""

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
    UsageTotal,
    Warned,
)
from sennit.core.output_formats.fields import (
    array,
    count,
    first_text,
    mapping,
    money,
    object_of,
    text,
    without,
)
from sennit.core.output_formats.model_failures import model_failure, reset_time
from sennit.core.output_formats.tools import called, ended, to_do_in
from sennit_protocol.agents import Usage, UsageKnown
from sennit_protocol.states import FailureKind

_UNAUTHORISED = 401


def events(line: str) -> tuple[AgentEvent, ...]:
    """Read one line."""
    told = object_of(line)
    if told is None:
        return (Logged(line),) if line.strip() else ()
    return tuple(_events(told, line))


def _events(told: Mapping[str, object], line: str) -> Iterator[AgentEvent]:
    match told.get("type"):
        case "system":
            yield from _system(told)
        case "assistant":
            yield from _assistant(told)
        case "user":
            yield from _user(told)
        case "stream_event":
            yield from _piece(mapping(told, "event", "delta"))
        case "rate_limit_event":
            yield from _limit(mapping(told, "rate_limit_info"))
        case "result":
            yield from _result(told)
        case _:
            yield Logged(line)


def _system(told: Mapping[str, object]) -> Iterator[AgentEvent]:
    match told.get("subtype"):
        case "init" if session := text(told, "session_id"):
            yield SessionOpened(session)
        case "permission_denied":
            yield _denied(told)
        case "api_retry":
            status = count(told, "error_status")
            what = first_text(told, "error", "message") or "an error"
            attempt = f"attempt {count(told, 'attempt')} of {count(told, 'max_retries')}"
            message = f"The model answered {what} ({status or 'no answer'}), {attempt}."
            if status == _UNAUTHORISED:
                # It goes on for minutes, but no attempt without a login can do better.
                yield Failed(FailureKind.NOT_SIGNED_IN, message)
            else:
                yield Warned(message)
        case _:
            pass


def _assistant(told: Mapping[str, object]) -> Iterator[AgentEvent]:
    # What a helper agent says goes to the agent that asked it, not to the user.
    is_inner = bool(text(told, "parent_tool_use_id"))
    for block in array(told, "message", "content"):
        match mapping(block).get("type"):
            case "text" if said := text(block, "text"):
                yield ThoughtSaid(said) if is_inner else MessageSaid(said)
            case "thinking" if said := text(block, "thinking"):
                yield ThoughtSaid(said)
            case "tool_use" if call := text(block, "id"):
                given = mapping(block, "input")
                yield called(call, text(block, "name"), given)
                yield from to_do_in(given)
            case _:
                pass


def _user(told: Mapping[str, object]) -> Iterator[AgentEvent]:
    for block in array(told, "message", "content"):
        call = text(block, "tool_use_id")
        if call and text(block, "type") == "tool_result":
            yield ended(call, failed=mapping(block).get("is_error") is True)


def _piece(delta: Mapping[str, object]) -> Iterator[AgentEvent]:
    if said := text(delta, "text"):
        yield TextSaid(said)
    elif said := text(delta, "thinking"):
        yield ThoughtSaid(said)


def _limit(told: Mapping[str, object]) -> Iterator[AgentEvent]:
    if text(told, "status") == "rejected":
        seconds = count(told, "resetsAt")
        resets_at = None if seconds is None else seconds * 1_000
        message = "The limit of the account is reached"
        yield Failed(FailureKind.RATE_LIMITED, message, resets_at)


def _result(told: Mapping[str, object]) -> Iterator[AgentEvent]:
    yield UsageTotal(_usage(told))
    for denied in array(told, "permission_denials"):
        yield _denied(denied)
    said = text(told, "result")
    if told.get("is_error") is True or text(told, "subtype").startswith("error"):
        yield _failed(told, said)
        return
    yield MessageSaid(said)
    yield Finished(text(told, "stop_reason"))


def _denied(told: object) -> Warned:
    # Told when it happens and again in the end: in the same words, so that it is kept once.
    return Warned(f"The agent was not allowed to use {text(told, 'tool_name') or 'a tool'}.")


def _failed(told: Mapping[str, object], said: str) -> Failed:
    subtype = text(told, "subtype")
    errors = [each for each in array(told, "errors") if isinstance(each, str)]
    message = said or text(told, "error", "message") or "; ".join(errors) or subtype
    if subtype in {"error_max_turns", "error_max_budget_usd"}:
        return Failed(FailureKind.LIMIT, message)
    failed = model_failure(message, count(told, "api_error_status"))
    if failed.kind is FailureKind.RATE_LIMITED and failed.resets_at is None:
        return Failed(failed.kind, failed.text, reset_time(message))
    return failed


def _usage(told: Mapping[str, object]) -> Usage:
    used = mapping(told, "usage")
    read, written = count(used, "input_tokens"), count(used, "output_tokens")
    cached = count(used, "cache_read_input_tokens")
    total = count(used, "total_tokens")
    if total is not None and total == (read or 0) + (written or 0):
        # The copy counts what came from the cache as read, too; only it gives a total.
        read = without(read, cached)
    cost = money(told, "total_cost_usd")
    return Usage(
        UsageKnown.TOTAL,
        input=read,
        output=written,
        cached_read=cached,
        cached_write=count(used, "cache_creation_input_tokens"),
        cost=cost,
        currency=None if cost is None else "USD",
        turns=count(told, "num_turns"),
    )
