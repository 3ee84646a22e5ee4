"""Reads one line of an agent: a message of JSON-RPC, or something that is none."""

from __future__ import annotations

import json
from collections.abc import Mapping

from attrs import frozen

from sennit.core.output_formats.fields import readable_json

MOST_STRAY_LINES = 1_000
"""Lines in a row that are no messages, after which an agent does not speak the protocol."""

_INTERNAL_ERROR = -32603


@frozen
class Message:
    """A JSON object; what it means is for the reader of its method."""

    body: Mapping[str, object]

    @property
    def method(self) -> str:
        """The method of a request or notification, "" of an answer."""
        method = self.body.get("method")
        return method if isinstance(method, str) else ""

    @property
    def is_request(self) -> bool:
        """Whether it wants an answer."""
        return bool(self.method) and self.body.get("id") is not None

    def answer(self) -> dict[str, object] | None:
        """Give it as a whole answer to a request of ours; None when it cannot be one.

        Our ids are numbers. An error has a code and a message, whatever the agent made of them.
        """
        number = self.body.get("id")
        if "method" in self.body or isinstance(number, bool) or not isinstance(number, int):
            return None
        whole: dict[str, object] = {"jsonrpc": "2.0", "id": number}
        error = self.body.get("error")
        if error is None:
            return {**whole, "result": self.body.get("result")}
        told = error if isinstance(error, Mapping) else {"message": error}
        code, message = told.get("code"), told.get("message")
        return {
            **whole,
            "error": {
                "code": code if isinstance(code, int) else _INTERNAL_ERROR,
                "message": message if isinstance(message, str) else json.dumps(message),
                "data": told.get("data"),
            },
        }


@frozen
class Stray:
    """A line that is no message: a word of a log, a number, half of something."""

    text: str


def read_line(line: str) -> Message | Stray | None:
    """Read a line without its escape sequences; None when it is empty."""
    told = line.strip()
    if not told:
        return None
    try:
        value = readable_json(told)
    except (ValueError, RecursionError):
        return Stray(told)
    return Message(value) if isinstance(value, dict) else Stray(told)
