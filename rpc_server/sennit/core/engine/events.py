"""What has happened. Everything that changes the engine's state arrives as one of these."""

from __future__ import annotations

from typing import ClassVar

from attrs import frozen

from sennit.core.engine.commands import Command
from sennit.core.engine.event import Event
from sennit.core.engine.review_events import (
    ApplicationIntended,
    ApplicationSettled,
    ConflictsResolved,
    DecisionsMade,
    DriftSeen,
    Dropped,
    WorkspacesRemoved,
)
from sennit.core.engine.rows import (
    RepositoryRef,
    TaskSpec,
)
from sennit.core.engine.run_events import (
    BudgetSpent,
    Captured,
    CaptureFailed,
    RunEnded,
    RunHeld,
    RunNoted,
    RunStalled,
    RunStarted,
    RunSteered,
    SessionKnown,
    StopTaken,
    WorkspaceFailed,
    WorkspaceReady,
)
from sennit.core.engine.server_events import (
    DocumentUnsaved,
    ServersGone,
    ServerStarted,
    ServerStopped,
    ServerStopping,
    ServerUnattended,
)
from sennit.core.objects import Conflict, Manifest
from sennit_protocol.ids import (
    BaseId,
    QuestionId,
    RevisionId,
    RunId,
    ServerId,
    TicketId,
)
from sennit_protocol.states import Integration, Offer
from sennit_protocol.tasks import MergeOrder, OnConflict
from sennit_protocol.views import Failure, Notice

__all__ = [
    "EVENTS",
    "AnswerDelivered",
    "AnswerGiven",
    "ApplicationIntended",
    "ApplicationSettled",
    "BaseFailed",
    "BaseTaken",
    "BudgetSpent",
    "CancelRequested",
    "CaptureFailed",
    "Captured",
    "CommandFailed",
    "ConflictsResolved",
    "DecisionsMade",
    "DispatchRequested",
    "DocumentUnsaved",
    "DriftSeen",
    "Dropped",
    "Event",
    "NewTask",
    "QuestionAsked",
    "QuestionWithdrawn",
    "Reconciled",
    "RevisionOffered",
    "RunEnded",
    "RunHeld",
    "RunNoted",
    "RunStalled",
    "RunStarted",
    "RunSteered",
    "ServerStarted",
    "ServerStopped",
    "ServerStopping",
    "ServerUnattended",
    "ServersGone",
    "SessionKnown",
    "StopTaken",
    "Tick",
    "TimerFired",
    "Verdict",
    "WorkspaceFailed",
    "WorkspaceReady",
    "WorkspacesRemoved",
]


@frozen
class NewTask:
    """A task of a call that was found valid."""

    id: str
    spec: TaskSpec
    notices: tuple[Notice, ...] = ()


@frozen(kw_only=True)
class DispatchRequested(Event):
    """A valid call asks to be admitted → outcome ``Admitted``, ``Refused``."""

    TYPE: ClassVar[str] = "dispatchRequested"

    ticket: TicketId
    owner: ServerId
    tasks: tuple[NewTask, ...]
    offer: Offer
    limit_tickets: int
    ask_deadline_ms: int
    label: str | None = None
    max_concurrent: int | None = None
    operation_id: str | None = None
    request: str = ""
    order: MergeOrder = MergeOrder.TASK
    on_conflict: OnConflict = OnConflict.SET_ASIDE
    notices: tuple[Notice, ...] = ()


@frozen(kw_only=True)
class BaseTaken(Event):
    """The base of a ticket in a repository is in the store."""

    TYPE: ClassVar[str] = "baseTaken"

    base: BaseId
    ticket: TicketId
    repository: RepositoryRef
    commit: str
    tree: str
    manifest: Manifest


@frozen(kw_only=True)
class BaseFailed(Event):
    """The base could not be taken."""

    TYPE: ClassVar[str] = "baseFailed"

    base: BaseId
    ticket: TicketId
    failure: Failure


@frozen
class Verdict:
    """How one revision goes together with those before it.

    ``blocked``: it failed since what it builds on is not in, not because its merge broke.
    """

    revision: RevisionId
    integration: Integration
    blocked: bool = False
    conflicts: tuple[Conflict, ...] = ()
    conflicts_with: tuple[str, ...] = ()
    uncertain: tuple[bytes, ...] = ()
    normalised: tuple[bytes, ...] = ()
    colliding: tuple[bytes, ...] = ()
    merged_onto: str = ""
    place: int | None = None
    message: str = ""


@frozen(kw_only=True)
class Reconciled(Event):
    """The revisions that had arrived are folded. ``order`` says in which order, and why."""

    TYPE: ClassVar[str] = "reconciled"

    ticket: TicketId
    repository: RepositoryRef
    verdicts: tuple[Verdict, ...]
    order: str = ""


@frozen(kw_only=True)
class RevisionOffered(Event):
    """A revision was offered to clients."""

    TYPE: ClassVar[str] = "revisionOffered"

    revision: RevisionId


@frozen(kw_only=True)
class TimerFired(Event):
    """A timer is due."""

    TYPE: ClassVar[str] = "timerFired"

    timer: str


@frozen(kw_only=True)
class CancelRequested(Event):
    """Somebody cancels tasks of a ticket → outcome ``Cancelled``."""

    TYPE: ClassVar[str] = "cancelRequested"

    ticket: TicketId
    tasks: tuple[str, ...]
    by: ServerId


@frozen(kw_only=True)
class QuestionAsked(Event):
    """An agent asks the user."""

    TYPE: ClassVar[str] = "questionAsked"

    run: RunId
    question: QuestionId
    text: str
    options: tuple[str, ...] = ()
    deadline_ms: int | None = None
    permission: bool = False


@frozen(kw_only=True)
class QuestionWithdrawn(Event):
    """Nobody waits for the answer any more."""

    TYPE: ClassVar[str] = "questionWithdrawn"

    question: QuestionId


@frozen(kw_only=True)
class AnswerGiven(Event):
    """The user answers → outcome ``Answered``, ``NotAnswered``."""

    TYPE: ClassVar[str] = "answerGiven"

    ticket: TicketId
    task: str
    question: QuestionId
    answer: str


@frozen(kw_only=True)
class AnswerDelivered(Event):
    """The agent has the answer, or is gone."""

    TYPE: ClassVar[str] = "answerDelivered"

    run: RunId


@frozen(kw_only=True)
class CommandFailed(Event):
    """A command ended by a bug or a broken machine instead of its event."""

    TYPE: ClassVar[str] = "commandFailed"

    command: Command
    failure: Failure


@frozen(kw_only=True)
class Tick(Event):
    """Other servers have changed something: read letters, take over what nobody carries, go on."""

    TYPE: ClassVar[str] = "tick"

    server: ServerId


EVENTS: tuple[type[Event], ...] = (
    DispatchRequested,
    BaseTaken,
    BaseFailed,
    WorkspaceReady,
    WorkspaceFailed,
    RunStarted,
    RunEnded,
    SessionKnown,
    RunNoted,
    RunHeld,
    RunSteered,
    BudgetSpent,
    RunStalled,
    StopTaken,
    Captured,
    CaptureFailed,
    Reconciled,
    RevisionOffered,
    TimerFired,
    CancelRequested,
    QuestionAsked,
    QuestionWithdrawn,
    AnswerGiven,
    AnswerDelivered,
    DecisionsMade,
    ConflictsResolved,
    ApplicationIntended,
    ApplicationSettled,
    DriftSeen,
    Dropped,
    WorkspacesRemoved,
    ServerStarted,
    ServersGone,
    ServerUnattended,
    ServerStopping,
    ServerStopped,
    DocumentUnsaved,
    CommandFailed,
    Tick,
)
