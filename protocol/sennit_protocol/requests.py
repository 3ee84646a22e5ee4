"""Parameters and results of the methods that act on tickets, runs and the server itself."""

from __future__ import annotations

from enum import StrEnum

from attrs import field, frozen

from sennit_protocol.describe import ANSWER, IN_FOLDER, QUESTION, TASK, TICKET, says
from sennit_protocol.ids import QuestionId, TicketId
from sennit_protocol.manifests import ManifestView
from sennit_protocol.states import Stopped, TicketState, WaitUntil
from sennit_protocol.views import Notice, TicketSummary, TicketView


@frozen
class Nothing:
    """An empty object."""


@frozen
class NotYet:
    """Stands for parameters that this version does not take yet."""


@frozen
class DispatchResult:
    """The ticket that was made; with `wait` as it settled."""

    ticket: TicketId = field(metadata=TICKET)
    state: TicketState = field(
        metadata=says("How the ticket is by then; with `wait` a final state.")
    )
    notices: tuple[Notice, ...] = field(
        default=(),
        metadata=says("That the same `operationId` had been dispatched before; else empty."),
    )
    view: TicketView | None = field(
        default=None, metadata=says("The ticket in full; only with `wait`.")
    )


@frozen
class PlannedTask:
    """What dispatching a task would do."""

    id: str = field(metadata=says("Its `id` in the call."))
    agent: str = field(
        metadata=says("Name of the agent that would do it, which may have been chosen by its role.")
    )
    repository: str = field(
        metadata=says("`file:` URI of the top level of the repository that it would work in.")
    )
    argv: tuple[str, ...] = field(
        default=(), metadata=says("The program and its arguments as they would be started.")
    )
    after: tuple[str, ...] = field(default=(), metadata=says("Its `dependsOn`."))


@frozen
class PreflightResult:
    """What a dispatch of the same call would do; nothing was started."""

    tasks: tuple[PlannedTask, ...] = field(metadata=says("In the order of the call."))
    bases: tuple[ManifestView, ...] = field(
        metadata=says("What the bases would hold, one for each repository and `base` of the call.")
    )
    notices: tuple[Notice, ...] = field(
        default=(),
        metadata=says(
            "What a dispatch would tell of the call and its tasks, such as that the same "
            "`operationId` had been dispatched before."
        ),
    )


@frozen
class TicketsParams:
    """A page of tickets, newest first."""

    limit: int = field(default=100, metadata=says("How many at most, 1 to 1000; 100 unless said."))
    before: TicketId | None = field(
        default=None, metadata=says("Id of a ticket: only those that are older than it.")
    )
    folder: str | None = field(default=None, metadata=IN_FOLDER)


@frozen
class TicketsResult:
    """A page of tickets, newest first."""

    tickets: tuple[TicketSummary, ...] = field(metadata=says("By `createdAt`, newest first."))
    more: bool = field(default=False, metadata=says("Whether there are older ones."))


@frozen
class TicketParams:
    """Names a ticket."""

    ticket: TicketId = field(metadata=TICKET)
    since: int | None = field(
        default=None,
        metadata=says(
            "A `sequence`: tasks that have not changed after it are left out; none is unless said."
        ),
    )


@frozen
class WaitParams:
    """Waits for a ticket; a time-out detaches this waiter and nothing else."""

    ticket: TicketId = field(metadata=TICKET)
    until: WaitUntil = field(
        default=WaitUntil.SETTLED, metadata=says("What ends the wait; `settled` unless said.")
    )
    since: int | None = field(
        default=None,
        metadata=says(
            "With `until: change`: the `sequence` that is known already; that of now unless said."
        ),
    )
    timeout_ms: int | None = field(
        default=None,
        metadata=says("Milliseconds to wait at most, 0 or more; without an end unless said."),
    )


@frozen
class WaitResult:
    """The ticket as it is when the wait ends."""

    view: TicketView = field(metadata=says("The ticket in full."))
    timed_out: bool = field(default=False, metadata=says("Whether `timeoutMs` ended the wait."))


@frozen
class CancelParams:
    """Cancels a ticket, or some of its tasks. Without `force` it tells what would be lost."""

    ticket: TicketId = field(metadata=TICKET)
    tasks: tuple[str, ...] | None = field(
        default=None,
        metadata=says("Ids of tasks of the ticket, at least one; all of them unless said."),
    )
    force: bool = field(
        default=False,
        metadata=says("Whether to cancel; false, the default, tells what that would do."),
    )


@frozen
class CancelledTask:
    """What cancelling does, or would do, to one task."""

    id: str = field(metadata=TASK)
    stopped: Stopped = field(metadata=says("How far it has come."))
    keeps: str = field(metadata=says("What is kept of its work, for a person."))


@frozen
class CancelResult:
    """What was cancelled, or what would be."""

    done: bool = field(
        metadata=says("True once they are cancelled; false without `force`, and with `asked`.")
    )
    tasks: tuple[CancelledTask, ...] = field(metadata=says("Those that were named, or all."))
    state: TicketState = field(metadata=says("How the ticket is now."))
    asked: bool = field(
        default=False,
        metadata=says(
            "With `force`: that another server carries the ticket, was asked to cancel them, and "
            "had not done so within 3 seconds; it does when it can."
        ),
    )


@frozen
class SteerParams:
    """Says something to an agent at work."""

    ticket: TicketId = field(metadata=TICKET)
    task: str = field(metadata=TASK)
    text: str = field(metadata=says("What its agent is to hear; not empty."))
    steer_id: str | None = field(
        default=None,
        metadata=says("A name that the client makes up: the same one is said to a run only once."),
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

    receipt: Receipt = field(metadata=says("What became of it."))
    message: str | None = field(
        default=None, metadata=says("With `notApplied`: why it could not be said, and what to do.")
    )


@frozen
class InterruptParams:
    """Ends the turn of an agent, which then waits for what is said next."""

    ticket: TicketId = field(metadata=TICKET)
    task: str = field(metadata=TASK)


@frozen
class InterruptResult:
    """Whether a turn was under way."""

    interrupted: bool = field(
        metadata=says("Whether a turn was ended; false where none was under way.")
    )


@frozen
class AnswerParams:
    """Answers a question; the same answer again is fine."""

    ticket: TicketId = field(metadata=TICKET)
    task: str = field(metadata=TASK)
    question: QuestionId = field(metadata=QUESTION)
    answer: str = field(metadata=ANSWER)


@frozen
class AnswerResult:
    """The answer was given, now or before."""

    repeated: bool = field(metadata=says("True when the same answer had been given before."))
