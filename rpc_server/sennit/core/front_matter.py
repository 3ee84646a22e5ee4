"""Reads the head of a Markdown file: flat keys with a text or a list, between two lines `---`.

It is the part of YAML that such heads use, and more forgiving: what people write after a colon is
taken as it stands, although YAML would read `Use it when: …` as a mapping and refuse it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

Head = Mapping[str, str | tuple[str, ...]]
"""The keys of a head, each with its text or its list."""

_FENCE = re.compile(r"---[ \t]*")
_KEY = re.compile(r"([A-Za-z][A-Za-z0-9_-]*)[ \t]*:(?:[ \t]+(.*)|[ \t]*)")
_ITEM = re.compile(r"[ \t]*-[ \t]+(.*)")
_BLOCK = re.compile(r"([|>])[+-]?[ \t]*")
_SHORTEST_QUOTED = 2


def head_of(text: str) -> tuple[Head, str] | None:
    """Part a text into its head and its body; None where it has no head.

    Of a key that comes twice the first counts. Lines of a head that say nothing are left out.
    """
    first, *lines = text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n")
    if not _FENCE.fullmatch(first):
        return None
    end = next((number for number, line in enumerate(lines) if _FENCE.fullmatch(line)), None)
    if end is None:
        return None
    head: dict[str, str | tuple[str, ...]] = {}
    for key, written, below in _keys(lines[:end]):
        head.setdefault(key, _value(written, below))
    return head, "\n".join(lines[end + 1 :])


def _keys(lines: list[str]) -> Iterator[tuple[str, str, list[str]]]:
    """Give each key with what stands behind it, and the lines below that belong to it."""
    key, written, below = "", "", list[str]()
    for line in lines:
        if found := _KEY.fullmatch(line):
            if key:
                yield key, written, below
            key, written, below = found[1], (found[2] or "").strip(), []
        elif not line.startswith("#"):
            below.append(line)
    if key:
        yield key, written, below


def _value(written: str, below: list[str]) -> str | tuple[str, ...]:
    if block := _BLOCK.fullmatch(written):
        lines = [line.strip() for line in below]
        return ("\n" if block[1] == "|" else " ").join(lines).strip()
    items = [found[1] for line in below if (found := _ITEM.fullmatch(line))]
    if not written and items:
        return tuple(_plain(item) for item in items)
    if written.startswith("[") and written.endswith("]"):
        return tuple(plain for each in written[1:-1].split(",") if (plain := _plain(each)))
    # A text that goes on in indented lines is one line.
    return _plain(" ".join(filter(None, (written, *(line.strip() for line in below)))))


def _plain(written: str) -> str:
    """Take quotes away, with what they make of a backslash."""
    word = written.strip()
    if len(word) < _SHORTEST_QUOTED or word[0] != word[-1]:
        return word
    if word[0] == "'":
        return word[1:-1].replace("''", "'")
    if word[0] == '"':
        return re.sub(r"\\(.)", lambda found: "\n" if found[1] == "n" else found[1], word[1:-1])
    return word
