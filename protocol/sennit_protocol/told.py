"""What the server asks and tells its client."""

from __future__ import annotations

from typing import ClassVar

from attrs import frozen

from sennit_protocol.ids import RunId, TicketId
from sennit_protocol.texts import Stream
from sennit_protocol.views import (
    Question,
    TaskView,
    TicketSummary,
)


@frozen
class AskParams:
    """A question for the user, sent to clients that can ask."""

    ticket: TicketId
    task: str
    question: Question


@frozen
class AskResult:
    """The user's answer; absent when the user turned the question away."""

    answer: str | None = None


@frozen
class TicketChanged:
    """A ticket changed. Some states in between may be left out, the last one never."""

    ticket: TicketSummary


@frozen
class TicketDropped:
    """A ticket is there no more, nor are its tasks and proposals."""

    ticket: TicketId


@frozen
class TaskChanged:
    """A task changed. Some states in between may be left out, the last one never."""

    ticket: TicketId
    sequence: int
    task: TaskView


@frozen
class TaskOutput:
    """What an agent wrote, for clients that asked for it; with the user's own paths.

    The offset is of what the agent wrote: the length of a text says nothing of it.
    """

    ticket: TicketId
    task: str
    run: RunId
    stream: Stream
    offset: int
    text: str


@frozen
class DidChangeTrustParams:
    """The user's word about the folders of this editor window."""

    LATER_KEYS: ClassVar[frozenset[str]] = frozenset()

    trusted: bool
