"""Texts as an editor holds them, and LSP's edits done to them exactly, or refused."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from attrs import define, frozen

_LINE_END = re.compile(r"\r\n|\n|\r")
Json = dict[str, Any]


class WrongEditError(AssertionError):
    """An edit that no editor should be sent: it lies outside of the text, or edits overlap."""


@define
class Buffer:
    """An open document. ``dirty``: it differs from the disk. ``codec``: how it is saved."""

    text: str
    version: int
    dirty: bool = False
    codec: str = "utf-8"


def units(text: str, encoding: str) -> int:
    """Count what a position's character counts."""
    if encoding == "utf-8":
        return len(text.encode())
    return len(text.encode("utf-16-le")) // 2 if encoding == "utf-16" else len(text)


def offset_of(text: str, position: Mapping[str, int], encoding: str) -> int:
    """The index of a position, which must be one between two characters of its line."""
    starts = [0, *(found.end() for found in _LINE_END.finditer(text))]
    if position["line"] >= len(starts):
        raise WrongEditError(f"no such line: {position}")
    start = starts[position["line"]]
    found = _LINE_END.search(text, start)
    line = text[start : found.start() if found else len(text)]
    for index in range(len(line) + 1):
        if units(line[:index], encoding) == position["character"]:
            return start + index
    raise WrongEditError(f"no such character: {position} in {line!r}")


def position_of(text: str, offset: int, encoding: str) -> dict[str, int]:
    """The position of an index."""
    ends = [found.end() for found in _LINE_END.finditer(text) if found.end() <= offset]
    start = ends[-1] if ends else 0
    return {"line": len(ends), "character": units(text[start:offset], encoding)}


@frozen
class Splice:
    """``text[start:end]`` gives way to ``new``."""

    start: int
    end: int
    new: str


def splices(text: str, edits: Sequence[Json], encoding: str) -> list[Splice]:
    """The edits by index, last first, as they can be done one after the other."""
    found = sorted(
        (
            Splice(
                offset_of(text, edit["range"]["start"], encoding),
                offset_of(text, edit["range"]["end"], encoding),
                edit["newText"],
            )
            for edit in edits
        ),
        key=lambda one: one.start,
    )
    for before, after in pairwise(found):
        if before.end > after.start or before.start == after.start:
            raise WrongEditError(f"edits overlap: {before} and {after}")
    return found[::-1]


def edited(text: str, edits: Sequence[Json], encoding: str) -> str:
    """The text after the edits."""
    for one in splices(text, edits, encoding):
        text = text[: one.start] + one.new + text[one.end :]
    return text
