"""OpenAI's responses."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Mapping
from typing import Any

from tests.agents.dialects import chat
from tests.agents.dialects.reading import (
    USAGE_CACHED,
    USAGE_IN,
    USAGE_OUT,
    Piece,
    text_of,
    words_of,
)
from tests.agents.model import Call, Say, Talk, Turn

_NUMBERS = itertools.count(1)

error = chat.error


def parse(body: Mapping[str, Any], _: str) -> Talk:
    """Read a request."""
    given = body["input"]
    items = [{"role": "user", "content": given}] if isinstance(given, str) else given
    turns, system = [], [body.get("instructions") or ""]
    for item in items:
        if str(item.get("type", "")).endswith("_output"):
            turns.append(Turn(text_of(item.get("output")), is_result=True))
        elif item.get("role") == "user":
            turns.append(Turn(text_of(item["content"]), is_result=False))
        elif item.get("role") in {"system", "developer"}:
            system.append(text_of(item["content"]))
    functions = [each for each in body.get("tools") or [] if each.get("type") == "function"]
    layout = (body.get("text") or {}).get("format") or {}
    return Talk(
        turns,
        "\n".join(system),
        {each["name"]: each.get("parameters") or {} for each in functions},
        body["model"],
        streaming=bool(body.get("stream")),
        schema=layout.get("schema"),
    )


def whole(talk: Talk, said: Say | Call) -> Mapping[str, Any]:
    """An answer in one piece."""
    return _response(talk, "completed", _items(said))


def stream(talk: Talk, said: Say | Call) -> Iterator[Piece]:
    """An answer as events."""
    yield _event("response.created", response=_response(talk, "in_progress", []))
    items = _items(said)
    for index, item in enumerate(items):
        opened = item | {"status": "in_progress"}
        yield _event("response.output_item.added", output_index=index, item=opened)
        if item["type"] == "message":
            place = {"item_id": item["id"], "output_index": index, "content_index": 0}
            text = item["content"][0]["text"]
            pause_s = said.pause_s if isinstance(said, Say) else 0
            for word, pause in words_of(text, pause_s):
                yield _event("response.output_text.delta", pause, **place, delta=word)
            yield _event("response.output_text.done", **place, text=text)
        yield _event("response.output_item.done", output_index=index, item=item)
    yield _event("response.completed", response=_response(talk, "completed", items))


def _event(name: str, pause_s: float = 0, **data: object) -> Piece:
    return Piece({"type": name, **data}, name, pause_s)


def _items(said: Say | Call) -> list[dict[str, Any]]:
    number = next(_NUMBERS)
    text = said.text if isinstance(said, Say) else said.words
    part = {"type": "output_text", "text": text, "annotations": []}
    message = {
        "type": "message", "id": f"msg_{number}", "role": "assistant", "status": "completed",
        "content": [part],
    }  # fmt: skip
    if isinstance(said, Say):
        return [message]
    call = {
        "type": "function_call", "id": f"fc_{number}", "call_id": f"call_{number}",
        "name": said.tool, "arguments": json.dumps(said.arguments), "status": "completed",
    }  # fmt: skip
    return [message, call]


def _response(talk: Talk, status: str, items: list[dict[str, Any]]) -> dict[str, Any]:
    usage = {
        "input_tokens": USAGE_IN,
        "input_tokens_details": {"cached_tokens": USAGE_CACHED},
        "output_tokens": USAGE_OUT,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": USAGE_IN + USAGE_OUT,
    }
    return {
        "id": f"resp_{next(_NUMBERS)}", "object": "response", "created_at": 1, "status": status,
        "model": talk.model, "output": items, "usage": usage if items else None, "error": None,
    }  # fmt: skip
