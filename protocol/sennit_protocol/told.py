"""What the server asks and tells its client."""

from __future__ import annotations

from typing import ClassVar

from attrs import field, frozen

from sennit_protocol.describe import RUN, TASK, TICKET, says
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

    ticket: TicketId = field(metadata=TICKET)
    task: str = field(metadata=TASK)
    question: Question = field(metadata=says("What the agent asks."))


@frozen
class AskResult:
    """The user's answer; absent when the user turned the question away."""

    answer: str | None = field(
        default=None,
        metadata=says(
            "As in `sennit/answer`. Absent or null: the question stays open until its `deadline`."
        ),
    )


@frozen
class TicketChanged:
    """A ticket changed. Some states in between may be left out, the last one never."""

    ticket: TicketSummary = field(metadata=says("The ticket as it is now."))


@frozen
class TicketDropped:
    """A ticket is there no more, nor are its tasks and proposals."""

    ticket: TicketId = field(metadata=TICKET)


@frozen
class TaskChanged:
    """A task changed. Some states in between may be left out, the last one never."""

    ticket: TicketId = field(metadata=TICKET)
    sequence: int = field(
        metadata=says("Of the task's newest stored change; its progress changes without that.")
    )
    task: TaskView = field(metadata=says("The task as it is now, without its `resultText`."))


@frozen
class TaskOutput:
    """What an agent wrote, for clients that asked for it; with the user's own paths.

    The offset is of what the agent wrote: the length of a text says nothing of it.
    """

    ticket: TicketId = field(metadata=TICKET)
    task: str = field(metadata=TASK)
    run: RunId = field(metadata=RUN)
    stream: Stream = field(metadata=says("`stdout` or `stderr`."))
    offset: int = field(
        metadata=says(
            "How many bytes of this stream came before, as `offset` of `sennit/output` counts."
        )
    )
    text: str = field(metadata=says("The next piece; what is not UTF-8 is replaced."))


@frozen
class DidChangeTrustParams:
    """The user's word about the folders of this editor window."""

    LATER_KEYS: ClassVar[frozenset[str]] = frozenset()

    trusted: bool = field(
        metadata=says(
            "True grants folders of which nothing is recorded; false lets none start a program."
        )
    )
