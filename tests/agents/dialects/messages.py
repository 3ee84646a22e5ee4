"""Anthropic's messages."""

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
    turns: list[Turn] = []
    for message in body["messages"]:
        if message["role"] == "user":
            turns.extend(_turns(message["content"]))
    choice = body.get("tool_choice") or {}
    layout = (body.get("output_config") or {}).get("format") or {}
    return Talk(
        turns,
        text_of(body.get("system")),
        {each["name"]: each.get("input_schema") or {} for each in body.get("tools") or []},
        body["model"],
        streaming=bool(body.get("stream")),
        schema=layout.get("schema"),
        forced=choice.get("name"),
    )


def _turns(content: object) -> Iterator[Turn]:
    parts = content if isinstance(content, list) else [content]
    for part in parts:
        if isinstance(part, dict) and part.get("type") == "tool_result":
            yield Turn(text_of(part.get("content")), is_result=True)
        else:
            yield Turn(text_of(part), is_result=False)


def whole(talk: Talk, said: Say | Call) -> Mapping[str, Any]:
    """An answer in one piece."""
    return _message(talk) | {"content": _blocks(said), "stop_reason": _reason(said)}


def stream(talk: Talk, said: Say | Call) -> Iterator[Piece]:
    """An answer as events."""
    yield _event("message_start", message=_message(talk))
    for index, block in enumerate(_blocks(said)):
        yield from _block(index, block, said)
    delta = {"stop_reason": _reason(said), "stop_sequence": None}
    yield _event("message_delta", delta=delta, usage=_usage())
    yield _event("message_stop")


def error(fail: Fail) -> Mapping[str, Any]:
    """The body of an error."""
    return {"type": "error", "error": {"type": "authentication_error", "message": fail.message}}


def _block(index: int, block: Mapping[str, Any], said: Say | Call) -> Iterator[Piece]:
    if block["type"] == "text":
        empty = {"type": "text", "text": ""}
        yield _event("content_block_start", index=index, content_block=empty)
        for word, pause in words_of(block["text"], said.pause_s if isinstance(said, Say) else 0):
            delta = {"type": "text_delta", "text": word}
            yield _event("content_block_delta", pause, index=index, delta=delta)
    else:
        opened = {**block, "input": {}}
        yield _event("content_block_start", index=index, content_block=opened)
        delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        yield _event("content_block_delta", index=index, delta=delta)
    yield _event("content_block_stop", index=index)


def _event(name: str, pause_s: float = 0, **data: object) -> Piece:
    return Piece({"type": name, **data}, name, pause_s)


def _blocks(said: Say | Call) -> list[dict[str, Any]]:
    if isinstance(said, Say):
        return [{"type": "text", "text": said.text}]
    call = {
        "type": "tool_use", "id": f"toolu_{next(_NUMBERS)}", "name": said.tool,
        "input": dict(said.arguments),
    }  # fmt: skip
    return [{"type": "text", "text": said.words}, call]


def _reason(said: Say | Call) -> str:
    return "end_turn" if isinstance(said, Say) else "tool_use"


def _message(talk: Talk) -> dict[str, Any]:
    return {
        "id": f"msg_{next(_NUMBERS)}", "type": "message", "role": "assistant",
        "model": talk.model, "content": [], "stop_reason": None, "stop_sequence": None,
        "usage": _usage(),
    }  # fmt: skip


def _usage() -> dict[str, Any]:
    return {
        "input_tokens": USAGE_IN,
        "cache_read_input_tokens": USAGE_CACHED,
        "cache_creation_input_tokens": 0,
        "output_tokens": USAGE_OUT,
    }
