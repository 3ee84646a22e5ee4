"""What an answer needs to know of a message that is too long to be kept: its id, method and URI.

The text is looked through in parts of any size with little memory: only the structure is followed,
long strings are skipped. Whatever is not found, or is not well formed, stays unknown.
"""

from __future__ import annotations

import json
import re

from attrs import frozen

KEPT = 16 * 1024
"""Longest string that is kept, in bytes; ids, method names and URIs are far below."""

_INSIDE_STRING = re.compile(rb'[^"\\]*')
_BORING = re.compile(rb"[ \t\r\n]+")
_SCALAR = re.compile(rb'[^\s,:{}\[\]"]+')
_WANTED: dict[tuple[object, ...], str] = {
    ("id",): "id",
    ("method",): "method",
    ("params", "textDocument", "uri"): "uri",
}


@frozen
class Glimpse:
    """What was seen of a message; ``None`` is unknown or of the wrong type."""

    id: str | int | None = None
    method: str | None = None
    uri: str | None = None


class Scanner:
    """Feed it the parts of one message in order, then ask for the glimpse."""

    def __init__(self) -> None:
        self._stack: list[_Level] = []
        self._token = bytearray()
        self._in_string = False
        self._escaped = False
        self._found: dict[str, bytes] = {}

    def feed(self, part: bytes) -> None:
        """Look through the next part."""
        at = 0
        while at < len(part):
            at = self._string(part, at) if self._in_string else self._structure(part, at)

    def glimpse(self) -> Glimpse:
        """Tell what was found so far."""
        found = {name: _parsed(text) for name, text in self._found.items()}
        id_, method, uri = (found.get(name) for name in ("id", "method", "uri"))
        return Glimpse(
            id_ if isinstance(id_, str | int) and not isinstance(id_, bool) else None,
            method if isinstance(method, str) else None,
            uri if isinstance(uri, str) else None,
        )

    def _string(self, part: bytes, at: int) -> int:
        if self._escaped:
            self._escaped = False
            self._keep(part[at : at + 1])
            return at + 1
        found = _INSIDE_STRING.match(part, at)
        end = found.end() if found else at
        self._keep(part[at:end])
        if end == len(part):
            return end
        self._keep(part[end : end + 1])
        if part[end] == _BACKSLASH:
            self._escaped = True
        else:
            self._in_string = False
            self._value_ended()
        return end + 1

    def _structure(self, part: bytes, at: int) -> int:
        if found := _BORING.match(part, at):
            return found.end()
        if found := _SCALAR.match(part, at):
            self._keep(found.group())
            return found.end()
        sign = part[at : at + 1]
        if sign == b'"':
            self._in_string = True
            self._token = bytearray(sign)
        else:
            self._punctuation(sign)
        return at + 1

    def _punctuation(self, sign: bytes) -> None:
        if sign != b":" and self._token:
            self._value_ended()
        match sign:
            case b"{" | b"[":
                self._stack.append(_Level(is_object=sign == b"{"))
            case b"}" | b"]" if self._stack:
                self._stack.pop()
            case b"," if self._stack:
                self._stack[-1].key = None
            case _:
                self._token.clear()

    def _keep(self, text: bytes) -> None:
        if len(self._token) <= KEPT:
            self._token += text[: KEPT + 1]

    def _value_ended(self) -> None:
        token = bytes(self._token)
        self._token.clear()
        if not self._stack or len(token) > KEPT:
            return
        level = self._stack[-1]
        if level.is_object and level.key is None:
            level.key = _parsed(token)
        elif (name := _WANTED.get(tuple(level.key for level in self._stack))) is not None:
            self._found[name] = token


class _Level:
    def __init__(self, *, is_object: bool) -> None:
        self.is_object = is_object
        self.key: object = None


def _parsed(token: bytes) -> object:
    try:
        return json.loads(token)
    except ValueError:
        return None


_BACKSLASH = ord("\\")
