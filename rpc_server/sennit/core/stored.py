"""What the store answers: what was committed, what others did, what is wrong with the database."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

from attrs import frozen

from sennit.core.engine.step_values import Change, Issued, Row, Step


class StoreProblemKind(StrEnum):
    """What is wrong with the database, as far as it makes a difference to a person."""

    LOCKED = "locked"
    READ_ONLY = "readOnly"
    NOT_WRITABLE = "notWritable"
    FULL = "full"
    CORRUPT = "corrupt"
    NEWER = "newer"
    NOT_OURS = "notOurs"
    NETWORK = "network"
    EXPOSED = "exposed"
    BEHIND = "behind"
    GONE = "gone"
    BROKEN = "broken"


@frozen
class StoreProblem:
    """The database cannot be used, or could not take this step; nothing of the step was stored.

    ``path`` is the database's. ``message`` says what happened and what to do. ``moved_to`` is where
    a corrupt database was put aside; it is never deleted. ``detail`` is what the system said.
    """

    kind: StoreProblemKind
    path: str
    message: str
    moved_to: str | None = None
    detail: str = ""


@frozen
class Committed:
    """The step is on disk with this sequence number; an empty step took none and wrote nothing."""

    sequence: int
    step: Step[Any]


@frozen
class Foreign:
    """Other processes have committed up to ``sequence``; these rows are as they are there now."""

    sequence: int
    changes: tuple[Change, ...]


@frozen
class Loaded:
    """All rows, in the order in which they were made, as of ``sequence``."""

    sequence: int
    rows: tuple[Row, ...]


@frozen
class OutboxEntry:
    """A command that was issued and has not ended. ``owner`` is the server that issued it."""

    issued: Issued
    owner: str
    sequence: int
    at: int


@frozen
class StoryLine:
    """One line of a story; ``type`` is the event's, ``cause`` the command that the event ended."""

    sequence: int
    at: int
    type: str
    ticket: str
    task: str | None
    message: str
    cause: str | None


@frozen
class StoryPage:
    """The newest lines before a sequence number, oldest first; ``more`` if there are older ones."""

    lines: tuple[StoryLine, ...]
    more: bool


@frozen
class StoreCounts:
    """How much there is: rows by table, events, open commands."""

    rows: tuple[tuple[str, int], ...]
    events: int
    outbox: int
