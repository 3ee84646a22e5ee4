"""Parameters and results of the methods that act on tickets, runs and the server itself."""

from __future__ import annotations

from enum import StrEnum

from attrs import field, frozen

from sennit_protocol.describe import says
from sennit_protocol.ids import QuestionId, TicketId
from sennit_protocol.states import Stopped, TicketState, WaitUntil
from sennit_protocol.views import (
    ManifestView,
    Notice,
    TicketSummary,
    TicketView,
)


@frozen
class Nothing:
    """An empty object."""


@frozen
class NotYet:
    """Stands for parameters that this version does not take yet."""


@frozen
class DispatchResult:
    """The ticket that was made; with `wait` as it settled."""

    ticket: TicketId
    state: TicketState
    notices: tuple[Notice, ...] = ()
    view: TicketView | None = field(default=None, metadata=says("The whole, with `wait`."))


@frozen
class PlannedTask:
    """What dispatching a task would do."""

    id: str
    agent: str
    repository: str = field(metadata=says("`file:` URI of the top level."))
    argv: tuple[str, ...] = field(
        default=(), metadata=says("The program and its arguments as they would be started.")
    )
    after: tuple[str, ...] = field(default=(), metadata=says("Tasks that it waits for."))


@frozen
class PreflightResult:
    """What a dispatch of the same call would do; nothing was started."""

    tasks: tuple[PlannedTask, ...]
    bases: tuple[ManifestView, ...]
    notices: tuple[Notice, ...] = ()


@frozen
class TicketsParams:
    """A page of tickets, newest first."""

    limit: int = field(default=100, metadata=says("How many at most, 1 to 1000."))
    before: TicketId | None = field(default=None, metadata=says("Those older than this one."))
    folder: str | None = field(
        default=None, metadata=says("Only those of a repository at, above or below that folder.")
    )


@frozen
class TicketsResult:
    """A page of tickets, newest first."""

    tickets: tuple[TicketSummary, ...]
    more: bool = field(default=False, metadata=says("Whether there are older ones."))


@frozen
class TicketParams:
    """Names a ticket."""

    ticket: TicketId
    since: int | None = field(
        default=None, metadata=says("Leave out tasks that have not changed since that sequence.")
    )


@frozen
class WaitParams:
    """Waits for a ticket; a time-out detaches this waiter and nothing else."""

    ticket: TicketId
    until: WaitUntil = WaitUntil.SETTLED
    since: int | None = field(default=None, metadata=says("What counts as known already."))
    timeout_ms: int | None = field(default=None, metadata=says("Milliseconds to wait at most."))


@frozen
class WaitResult:
    """The ticket as it is when the wait ends."""

    view: TicketView
    timed_out: bool = False


@frozen
class CancelParams:
    """Cancels a ticket, or some of its tasks. Without `force` it tells what would be lost."""

    ticket: TicketId
    tasks: tuple[str, ...] | None = field(default=None, metadata=says("All unless said."))
    force: bool = field(default=False, metadata=says("Really cancel."))


@frozen
class CancelledTask:
    """What cancelling does, or would do, to one task."""

    id: str
    stopped: Stopped
    keeps: str = field(metadata=says("What is kept of its work."))


@frozen
class CancelResult:
    """What was cancelled, or what would be."""

    done: bool = field(metadata=says("False for the preview that comes without `force`."))
    tasks: tuple[CancelledTask, ...]
    state: TicketState


@frozen
class SteerParams:
    """Says something to an agent at work."""

    ticket: TicketId
    task: str
    text: str
    steer_id: str | None = field(
        default=None, metadata=says("The same id again is not said a second time.")
    )


class Receipt(StrEnum):
    """What became of something that was said to an agent."""

    DELIVERED = "delivered"
    """Its turn had been interrupted; it goes on with this."""
    QUEUED = "queued"
    """It hears it when its turn is over."""
    DUPLICATE = "duplicate"
    """It was said before under this id."""
    NOT_APPLIED = "notApplied"
    """It came too late: nothing is running any more."""


@frozen
class SteerResult:
    """What became of it."""

    receipt: Receipt
    message: str | None = field(
        default=None, metadata=says("Why it could not be said, and what to do.")
    )


@frozen
class InterruptParams:
    """Ends the turn of an agent, which then waits for what is said next."""

    ticket: TicketId
    task: str


@frozen
class InterruptResult:
    """Whether a turn was under way."""

    interrupted: bool


@frozen
class AnswerParams:
    """Answers a question; the same answer again is fine."""

    ticket: TicketId
    task: str
    question: QuestionId
    answer: str


@frozen
class AnswerResult:
    """The answer was given, now or before."""

    repeated: bool = field(metadata=says("True when the same answer had been given before."))
