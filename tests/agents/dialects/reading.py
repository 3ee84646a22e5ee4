"""What all dialects read alike."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from attrs import frozen

USAGE_IN = 1200
USAGE_CACHED = 200
USAGE_OUT = 34
"""Tokens of every answer; counts that no agent makes up by itself."""


@frozen
class Piece:
    """One event of a stream; `pause_s` is waited before it."""

    data: Mapping[str, Any]
    event: str = ""
    pause_s: float = 0

    def encoded(self) -> bytes:
        """The event as server-sent events have it."""
        name = f"event: {self.event}\n" if self.event else ""
        return f"{name}data: {json.dumps(self.data)}\n\n".encode()


def text_of(content: object) -> str:
    """All words in a content, which may be a string, a list of parts, or nested."""
    match content:
        case str():
            return content
        case list():
            return "\n".join(text_of(each) for each in content)
        case {"text": str(text)}:
            return text
        case {"parts": parts}:
            return text_of(parts)
        case _:
            return ""


def words_of(text: str, pause_s: float) -> Iterator[tuple[str, float]]:
    """The text in one piece, or word by word when there are pauses."""
    if not pause_s:
        yield text, 0
        return
    for word in text.split(" "):
        yield f"{word} ", pause_s
