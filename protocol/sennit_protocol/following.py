"""What a client says to follow up on ended work."""

from __future__ import annotations

from enum import StrEnum

from attrs import field, frozen

from sennit_protocol.describe import says
from sennit_protocol.ids import TicketId
from sennit_protocol.tasks import Attachment, Budget, CallKeys


class SessionWish(StrEnum):
    """Whether an agent goes on with what it knows, or begins anew and is told what was before."""

    RESUME = "resume"
    FRESH = "fresh"


class Begin(StrEnum):
    """What the workspace of a follow-up holds when its agent begins.

    ``WORK``: the user's text as it is now, with the earlier proposal merged in; files that do not
    go together hold the user's text. ``LIVE``: the user's text alone.
    """

    WORK = "work"
    LIVE = "live"


@frozen
class FollowParams(CallKeys):
    """A follow-up on a task that has ended; what is not said here is as it was for that task."""

    ticket: TicketId
    task: str
    prompt: str | None = field(
        default=None,
        metadata=says("What is to be done now; the task's own prompt again unless said."),
    )
    attach: tuple[Attachment, ...] = field(
        default=(), metadata=says("What the agent is given beside its prompt, as data.")
    )
    agent: str | None = field(
        default=None, metadata=says("Another agent, which then begins a session of its own.")
    )
    session: SessionWish = field(
        default=SessionWish.RESUME,
        metadata=says("`resume`: go on with the agent's earlier session where that can be."),
    )
    begin: Begin = field(
        default=Begin.WORK,
        metadata=says("`work`: on the earlier proposal merged with the text as it is now."),
    )
    description: str | None = field(
        default=None, metadata=says("A label for people, 200 characters at most.")
    )
    budget: Budget | None = field(
        default=None, metadata=says("What a run may use up; then it ends as `partial`.")
    )
    deadline_ms: int | None = field(
        default=None, metadata=says("Milliseconds that a run may take; as before unless said.")
    )
