"""The URIs that travel: ``file:`` for the user's files, ``sennit:`` for what Sennit keeps.

Paths are bytes; every byte that is not plain ASCII is percent-encoded, so a URI is exact for names
that are not UTF-8. RFC 8089 for ``file:``; the forms of ``sennit:`` are Sennit's own.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import StrEnum
from urllib.parse import parse_qs, quote, quote_from_bytes, unquote_to_bytes, urlsplit

from attrs import frozen

from sennit_protocol.ids import RevisionId, TicketId

SAFE = "/~@!$&'()*+,;=:-._"
_OBJECT_ID = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")


class Side(StrEnum):
    """Which text of a revision's file a ``sennit:`` URI names."""

    BASE = "base"
    OURS = "ours"
    THEIRS = "theirs"
    PROPOSED = "proposed"
    SETTLED = "settled"


class TaskText(StrEnum):
    """Which text of a task a ``sennit:`` URI names."""

    OUTPUT = "output"
    ERRORS = "errors"
    TRANSCRIPT = "transcript"
    PROMPT = "prompt"
    STORY = "story"


@frozen
class RevisionText:
    """A file of a revision at one side; ``path`` is the real one, absolute.

    ``id`` names the content of a side that may be another one later: what it met, what a person
    made of it.
    """

    path: bytes
    revision: RevisionId
    side: Side
    id: str | None = None


@frozen
class TextOfTask:
    """A text of a task that is not a file."""

    ticket: TicketId
    task: str
    text: TaskText


@frozen
class BadUri:
    """A URI that names nothing here, and why."""

    message: str


def file_uri(path: bytes) -> str:
    """The ``file:`` URI of an absolute path."""
    return "file://" + quote_from_bytes(path, safe=SAFE)


def file_path(uri: str) -> bytes | None:
    """The absolute path that a ``file:`` URI names; None for what is no such URI."""
    try:
        parts = urlsplit(uri)
        if parts.scheme != "file" or parts.netloc not in {"", "localhost"}:
            return None
        return unquote_to_bytes(parts.path)
    except ValueError:
        return None


def display(path: bytes) -> str:
    """A path for people: what is not UTF-8 or not printable is escaped."""
    text = path.decode("utf-8", "backslashreplace")
    return "".join(char if char.isprintable() else _escaped(char) for char in text)


def listed_paths(paths: Sequence[bytes], most: int = 8) -> str:
    """Some paths for people, and how many more there are."""
    shown = ", ".join(display(path) for path in paths[:most])
    return shown if len(paths) <= most else f"{shown} and {len(paths) - most} more"


def _escaped(char: str) -> str:
    return char.encode("unicode_escape").decode("ascii")


CHANGES = frozenset({Side.OURS, Side.SETTLED})
"""Sides whose URI names the content, since a text behind a URI never changes."""


def revision_uri(path: bytes, revision: RevisionId, side: Side, content: str = "") -> str:
    """The ``sennit:`` URI of one side of a file in a revision; ``content`` is its object's id."""
    named = f"&id={content}" if side in CHANGES and content else ""
    return f"sennit:{quote_from_bytes(path, safe=SAFE)}?rev={revision}&side={side.value}{named}"


def task_uri(ticket: TicketId, task: str, text: TaskText) -> str:
    """The ``sennit:`` URI of a text of a task."""
    return f"sennit://ticket/{ticket}/task/{quote(task)}/{text.value}"


def parse_sennit_uri(uri: str) -> RevisionText | TextOfTask | BadUri:
    """Read a ``sennit:`` URI."""
    parts = urlsplit(uri)
    if parts.scheme != "sennit":
        return BadUri(f"{uri!r} is no sennit: URI")
    if parts.netloc == "ticket":
        return _text_of_task(uri, parts.path)
    query = parse_qs(parts.query)
    revision, side = query.get("rev", [""])[0], query.get("side", [""])[0]
    if not revision or side not in set(Side):
        sides = ", ".join(Side)
        return BadUri(f"{uri!r} lacks rev=REVISION or side=, one of {sides}")
    content = query.get("id", [""])[0]
    if side == Side.SETTLED and not content:
        return BadUri(f"{uri!r} lacks id=CONTENT; a proposal's view names the whole URI")
    if content and not _OBJECT_ID.fullmatch(content):
        return BadUri(f"{uri!r}: id= is no object's id")
    path = unquote_to_bytes(parts.path)
    return RevisionText(path, RevisionId(revision), Side(side), content or None)


def _text_of_task(uri: str, path: str) -> TextOfTask | BadUri:
    pieces = path.split("/")
    if len(pieces) != 5 or pieces[2] != "task" or pieces[4] not in set(TaskText):  # noqa: PLR2004  /T/task/ID/text
        texts = ", ".join(TaskText)
        return BadUri(f"{uri!r} is not sennit://ticket/T/task/ID/TEXT with TEXT one of {texts}")
    task = unquote_to_bytes(pieces[3]).decode("utf-8", "replace")
    return TextOfTask(TicketId(pieces[1]), task, TaskText(pieces[4]))
