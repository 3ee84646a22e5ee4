"""What tests of the wire send and read."""

from __future__ import annotations

from collections.abc import Callable

from tests.wire_client import Message, WireClient

Starter = Callable[..., WireClient]


def error(message: Message) -> tuple[object, int]:
    assert "result" not in message
    return message["id"], message["error"]["code"]


def paths(message: Message) -> list[str]:
    return [problem["path"] for problem in message["error"]["data"]["problems"]]


GOOD = {"prompt": "a"}


ENVELOPE = {"jsonrpc": "2.0", "method": "sennit/echo", "params": GOOD}


OPEN = {"textDocument": {"uri": "file:///a", "languageId": "x", "version": 1, "text": "one\ntwo"}}


def change(version: int, *changes: object, uri: str = "file:///a") -> dict[str, object]:
    return {"textDocument": {"uri": uri, "version": version}, "contentChanges": list(changes)}


def insertion(text: str, line: int = 0, character: int = 0) -> dict[str, object]:
    place = {"line": line, "character": character}
    return {"range": {"start": place, "end": place}, "text": text}
