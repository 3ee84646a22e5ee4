"""A text of TOML that may be wrong in several places: what can be read of it, and what is wrong."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from attrs import frozen

_LINE = re.compile(r"\(at line (\d+), column \d+\)")
_AT_END = "(at end of document)"
_HEADER = re.compile(r"\s*(\[{1,2})\s*([\w.\"'-]+)\s*\]{1,2}\s*(?:#.*)?$")
_KEY = re.compile(r"\s*([\w-]+|\"[^\"]*\"|'[^']*')\s*[.=]")
_QUOTES = ('"""', "'''")


@frozen
class Slip:
    """A place that is no TOML; ``line`` counts from 1, ``None`` where only the end tells."""

    line: int | None
    message: str


@frozen
class Parsed:
    """What can be read: ``values`` without the sections in which something is no TOML."""

    values: Mapping[str, Any]
    slips: tuple[Slip, ...] = ()


def parsed(text: str) -> Parsed:
    """Read a text; after each slip the section around it is left out, and the rest read on."""
    lines = text.split("\n")
    slips: list[Slip] = []
    while True:
        try:
            return Parsed(tomllib.loads("\n".join(lines)), tuple(slips))
        except tomllib.TOMLDecodeError as error:
            slip = _slip(str(error))
            slips.append(slip)
            if slip.line is None or not _left_out(lines, slip.line - 1):
                return Parsed({}, tuple(slips))


def _slip(said: str) -> Slip:
    found = _LINE.search(said)
    message = _LINE.sub("", said).replace(_AT_END, "").strip()
    ends = "" if found else "; something is not closed before the end"
    return Slip(int(found[1]) if found else None, f"{message[:1].lower()}{message[1:]}{ends}")


def _left_out(lines: list[str], wrong: int) -> bool:
    """Empty the section around a line, which keeps its header so that others keep their number.

    Gives whether that has taken anything away.
    """
    headers = [at for at, line in enumerate(lines) if _HEADER.match(line)]
    start = max((at for at in headers if at <= wrong), default=-1)
    end = min((at for at in headers if at > wrong), default=len(lines))
    body = range(wrong if start == wrong else start + 1, end)
    taken = any(lines[at].strip() for at in body)
    for at in body:
        lines[at] = ""
    return taken


def places_of(text: str) -> Mapping[str, int]:
    """Find the lines, from 1, of sections and keys as a JSON path names them: `tasks[0].prompt`.

    Only for messages: keys inside inline tables are not found, their table is.
    """
    places: dict[str, int] = {}
    counts: dict[str, int] = {}
    section = ""
    for number, line in _outside_of_texts(text.split("\n")):
        if header := _HEADER.match(line):
            section = _section(header, counts)
            places.setdefault(header[2], number)
            places.setdefault(section, number)
        elif key := _KEY.match(line):
            name = key[1].strip("\"'")
            places.setdefault(f"{section}.{name}" if section else name, number)
    return places


def _section(header: re.Match[str], counts: dict[str, int]) -> str:
    name = header[2]
    if header[1] == "[":
        # `[tasks.budget]` belongs to the last of the tasks before it.
        first, dot, rest = name.partition(".")
        return f"{first}[{counts[first] - 1}].{rest}" if dot and first in counts else name
    counts[name] = counts.get(name, 0) + 1
    return f"{name}[{counts[name] - 1}]"


def _outside_of_texts(lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Number the lines, from 1, and leave out those inside texts of several lines."""
    inside: str | None = None
    for number, line in enumerate(lines, start=1):
        if inside is None:
            yield number, line
        for quotes in _QUOTES:
            if inside in {None, quotes} and line.count(quotes) % 2:
                inside = quotes if inside is None else None
                break


def line_of(places: Mapping[str, int], path: str) -> int | None:
    """Find the line of a path, else that of the closest thing around it."""
    while path:
        if path in places:
            return places[path]
        path = re.sub(r"(?:\.[^.\[\]]+|\[\d+\]|^[^.\[\]]+)$", "", path)
    return None
