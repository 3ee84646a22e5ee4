"""OpenAI's chat completions."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Mapping
from typing import Any

from tests.agents.dialects.reading import (
    USAGE_CACHED,
    USAGE_IN,
    USAGE_OUT,
    Piece,
    text_of,
    words_of,
)
from tests.agents.model import Call, Fail, Say, Talk, Turn

_NUMBERS = itertools.count(1)


def parse(body: Mapping[str, Any], _: str) -> Talk:
    """Read a request."""
    turns, system = [], []
    for message in body["messages"]:
        if message["role"] in {"user", "tool"}:
            turns.append(Turn(text_of(message["content"]), message["role"] == "tool"))
        elif message["role"] != "assistant":
            system.append(text_of(message["content"]))
    functions = [tool["function"] for tool in body.get("tools") or [] if "function" in tool]
    choice = body.get("tool_choice")
    layout = (body.get("response_format") or {}).get("json_schema", {})
    return Talk(
        turns,
        "\n".join(system),
        {each["name"]: each.get("parameters") or {} for each in functions},
        body["model"],
        streaming=bool(body.get("stream")),
        schema=layout.get("schema"),
        forced=choice["function"]["name"] if isinstance(choice, dict) else None,
    )


def whole(talk: Talk, said: Say | Call) -> Mapping[str, Any]:
    """An answer in one piece."""
    message: dict[str, Any] = {"role": "assistant"}
    match said:
        case Say(text):
            message["content"] = text
        case Call():
            message |= {"content": said.words, "tool_calls": [_call(said)]}
    choice = {"index": 0, "message": message, "finish_reason": _reason(said)}
    return _envelope(talk, "chat.completion") | {"choices": [choice], "usage": _usage()}


def stream(talk: Talk, said: Say | Call) -> Iterator[Piece]:
    """An answer as events."""
    yield _chunk(talk, {"role": "assistant", "content": ""})
    match said:
        case Say(text, pause_s):
            for word, pause in words_of(text, pause_s):
                yield _chunk(talk, {"content": word}, pause_s=pause)
        case Call():
            yield _chunk(talk, {"content": said.words})
            yield _chunk(talk, {"tool_calls": [{"index": 0, **_call(said)}]})
    yield _chunk(talk, {}, _reason(said))
    ended = _envelope(talk, "chat.completion.chunk") | {"choices": [], "usage": _usage()}
    yield Piece(ended)


def error(fail: Fail) -> Mapping[str, Any]:
    """The body of an error."""
    return {
        "error": {
            "message": fail.message,
            "type": "invalid_request_error",
            "param": None,
            "code": "invalid_api_key",
        }
    }


def _chunk(
    talk: Talk, delta: Mapping[str, Any], reason: str | None = None, *, pause_s: float = 0
) -> Piece:
    choice = {"index": 0, "delta": delta, "finish_reason": reason}
    envelope = _envelope(talk, "chat.completion.chunk")
    return Piece(envelope | {"choices": [choice]}, pause_s=pause_s)


def _call(said: Call) -> dict[str, Any]:
    function = {"name": said.tool, "arguments": json.dumps(said.arguments)}
    return {"id": f"call_{next(_NUMBERS)}", "type": "function", "function": function}


def _reason(said: Say | Call) -> str:
    return "stop" if isinstance(said, Say) else "tool_calls"


def _envelope(talk: Talk, kind: str) -> dict[str, Any]:
    return {"id": "chatcmpl-scripted", "object": kind, "created": 1, "model": talk.model}


def _usage() -> dict[str, Any]:
    return {
        "prompt_tokens": USAGE_IN,
        "completion_tokens": USAGE_OUT,
        "total_tokens": USAGE_IN + USAGE_OUT,
        "prompt_tokens_details": {"cached_tokens": USAGE_CACHED},
    }
