"""What a client says to follow up on ended work."""

from __future__ import annotations

from enum import StrEnum

from attrs import field, frozen

from sennit_protocol.describe import says
from sennit_protocol.ids import TicketId
from sennit_protocol.tasks import Attachment, Budget, CallKeys


class SessionWish(StrEnum):
    """Whether an agent goes on with what it knows. One that begins anew is told what was before."""

    RESUME = "resume"
    """It goes on with the agent's earlier session where that can be."""
    FRESH = "fresh"
    """It begins a new session."""


class Begin(StrEnum):
    """What the workspace of a follow-up holds when its agent begins."""

    WORK = "work"
    """The user's text as it is now with the earlier proposal merged in; files that do not go
    together hold the user's text."""
    LIVE = "live"
    """The user's text alone."""


@frozen
class FollowParams(CallKeys):
    """A follow-up on a task that has ended; what is not said here is as it was for that task."""

    ticket: TicketId = field(metadata=says("Id of the ticket of the task that has ended."))
    task: str = field(metadata=says("Id of the task that has ended."))
    prompt: str | None = field(
        default=None,
        metadata=says("What is to be done now; the task's own prompt again unless said."),
    )
    attach: tuple[Attachment, ...] = field(
        default=(), metadata=says("What the agent is given beside its prompt, as data; at most 64.")
    )
    agent: str | None = field(
        default=None,
        metadata=says(
            "Name of another agent, which begins a session of its own; the same one unless said."
        ),
    )
    session: SessionWish = field(
        default=SessionWish.RESUME,
        metadata=says("What the agent knows of before; `resume` unless said."),
    )
    begin: Begin = field(
        default=Begin.WORK,
        metadata=says("What its workspace holds at the beginning; `work` unless said."),
    )
    description: str | None = field(
        default=None,
        metadata=says("A label for people, 200 characters at most; as before unless said."),
    )
    budget: Budget | None = field(
        default=None, metadata=says("What a run may use up; as before unless said.")
    )
    deadline_ms: int | None = field(
        default=None,
        metadata=says("Milliseconds that a run may take, 1 to 86400000; as before unless said."),
    )
