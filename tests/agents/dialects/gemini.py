"""Gemini's generateContent."""

from __future__ import annotations

import itertools
import re
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
_MODEL = re.compile(r"/models/(?P<model>[^/:]+):(?P<verb>\w+)")


def parse(body: Mapping[str, Any], path: str) -> Talk:
    """Read a request; the model and whether it streams stand in its path."""
    turns = [
        Turn(text_of(part), "functionResponse" in part)
        for content in body["contents"]
        if content.get("role") != "model"
        for part in content["parts"]
    ]
    functions = [
        each for tool in body.get("tools") or [] for each in tool.get("functionDeclarations") or []
    ]
    config = body.get("generationConfig") or {}
    found = _MODEL.search(path)
    return Talk(
        turns,
        text_of(body.get("systemInstruction")),
        {each["name"]: _schema(each) for each in functions},
        found["model"] if found else "",
        streaming=found is not None and found["verb"] == "streamGenerateContent",
        schema=config.get("responseJsonSchema") or config.get("responseSchema"),
    )


def whole(talk: Talk, said: Say | Call) -> Mapping[str, Any]:
    """An answer in one piece."""
    if isinstance(said, Say):
        return _answer(talk, [{"text": said.text}], "STOP")
    return _answer(talk, [{"text": said.words}, _call(said)], "STOP")


def stream(talk: Talk, said: Say | Call) -> Iterator[Piece]:
    """An answer as events."""
    match said:
        case Say(text, pause_s):
            for word, pause in words_of(text, pause_s):
                yield Piece(_answer(talk, [{"text": word}]), pause_s=pause)
        case Call():
            yield Piece(_answer(talk, [{"text": said.words}]))
            yield Piece(_answer(talk, [_call(said)]))
    yield Piece(_answer(talk, [{"text": ""}], "STOP"))


def error(fail: Fail) -> Mapping[str, Any]:
    """The body of an error."""
    return {"error": {"code": fail.status, "message": fail.message, "status": "UNAUTHENTICATED"}}


def _schema(function: Mapping[str, Any]) -> Mapping[str, Any]:
    found: Mapping[str, Any] = (
        function.get("parametersJsonSchema") or function.get("parameters") or {}
    )
    return found


def _call(said: Call) -> dict[str, Any]:
    call = {"name": said.tool, "args": dict(said.arguments), "id": f"call_{next(_NUMBERS)}"}
    return {"functionCall": call}


def _answer(talk: Talk, parts: list[dict[str, Any]], reason: str | None = None) -> dict[str, Any]:
    candidate: dict[str, Any] = {"content": {"role": "model", "parts": parts}, "index": 0}
    if reason is not None:
        candidate["finishReason"] = reason
    return {
        "candidates": [candidate],
        "usageMetadata": {
            "promptTokenCount": USAGE_IN,
            "cachedContentTokenCount": USAGE_CACHED,
            "candidatesTokenCount": USAGE_OUT,
            "totalTokenCount": USAGE_IN + USAGE_OUT,
        },
        "modelVersion": talk.model,
        "responseId": "scripted",
    }
