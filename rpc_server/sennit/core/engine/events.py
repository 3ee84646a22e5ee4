"""What has happened. Everything that changes the engine's state arrives as one of these.

``at`` is in milliseconds since 1970 UTC. ``seed`` is the randomness that new ids are made of.
``cause`` is the command that the event ends, where it ends one.
"""

from __future__ import annotations

from typing import ClassVar

from attrs import frozen

from sennit.core.engine.commands import Command
from sennit.core.engine.rows import (
    ApplicationRow,
    Counts,
    FileOutcome,
    RepositoryRef,
    ServerRow,
    TaskSpec,
)
from sennit.core.engine.step_values import Issued
from sennit.core.objects import Conflict, Manifest
from sennit_protocol.ids import (
    ApplicationId,
    BaseId,
    CommandId,
    ProposalId,
    QuestionId,
    RevisionId,
    RunId,
    ServerId,
    TicketId,
    UnitId,
)
from sennit_protocol.states import ApplicationState, Decision, Integration, Offer
from sennit_protocol.views import Failure, Notice


@frozen(kw_only=True)
class Event:
    """What all events have."""

    TYPE: ClassVar[str] = "event"
    VERSION: ClassVar[int] = 1

    at: int
    seed: int = 0
    cause: CommandId | None = None


@frozen
class NewTask:
    """A task of a call that was found valid."""

    id: str
    spec: TaskSpec


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


@frozen(kw_only=True)
class WorkspaceReady(Event):
    """The workspace of a run is there. Its base differs from the ticket's after dependencies."""

    TYPE: ClassVar[str] = "workspaceReady"

    run: RunId
    folder: bytes
    base_commit: str
    base_tree: str
    notices: tuple[Notice, ...] = ()


@frozen(kw_only=True)
class WorkspaceFailed(Event):
    """The workspace of a run could not be made."""

    TYPE: ClassVar[str] = "workspaceFailed"

    run: RunId
    failure: Failure


@frozen(kw_only=True)
class RunStarted(Event):
    """The agent's program runs. It ends no command: the start is ended by the run's end."""

    TYPE: ClassVar[str] = "runStarted"

    run: RunId


@frozen(kw_only=True)
class RunEnded(Event):
    """The run and all of its descendants have ended, but for the ``survivors``.

    ``ran`` is false when the program could not be started at all.
    """

    TYPE: ClassVar[str] = "runEnded"

    run: RunId
    ran: bool = True
    failure: Failure | None = None
    output_bytes: int = 0
    output_truncated: bool = False
    survivors: tuple[int, ...] = ()


@frozen(kw_only=True)
class RunStalled(Event):
    """A run has shown no sign of life for longer than its task allows."""

    TYPE: ClassVar[str] = "runStalled"

    run: RunId
    idle_ms: int


@frozen(kw_only=True)
class StopTaken(Event):
    """The stop ladder of a run is through, there was nothing to stop, or it broke (``failure``)."""

    TYPE: ClassVar[str] = "stopTaken"

    run: RunId
    failure: Failure | None = None


@frozen(kw_only=True)
class Captured(Event):
    """What a run left is in the store. ``tree`` equals the base's when nothing was changed."""

    TYPE: ClassVar[str] = "captured"

    run: RunId
    commit: str
    tree: str
    counts: Counts
    notices: tuple[Notice, ...] = ()


@frozen(kw_only=True)
class CaptureFailed(Event):
    """What a run left could not be taken; the workspace is kept."""

    TYPE: ClassVar[str] = "captureFailed"

    run: RunId
    failure: Failure


@frozen
class Verdict:
    """How one revision goes together with those before it."""

    revision: RevisionId
    integration: Integration
    conflicts: tuple[Conflict, ...] = ()
    conflicts_with: tuple[str, ...] = ()
    uncertain: tuple[bytes, ...] = ()
    message: str = ""


@frozen(kw_only=True)
class Reconciled(Event):
    """The revisions that had arrived are folded."""

    TYPE: ClassVar[str] = "reconciled"

    ticket: TicketId
    repository: RepositoryRef
    verdicts: tuple[Verdict, ...]


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
class DecisionsMade(Event):
    """The user has decided about units → outcome ``Decided``, ``NotDecided``.

    ``total`` is how many units the revision has.
    """

    TYPE: ClassVar[str] = "decisionsMade"

    revision: RevisionId
    decisions: tuple[tuple[UnitId, Decision], ...]
    total: int


@frozen(kw_only=True)
class ApplicationIntended(Event):
    """An application is about to be carried out → outcome ``Intended``, ``NotIntended``."""

    TYPE: ClassVar[str] = "applicationIntended"

    application: ApplicationRow


@frozen(kw_only=True)
class ApplicationSettled(Event):
    """What has become of an application, by comparing."""

    TYPE: ClassVar[str] = "applicationSettled"

    application: ApplicationId
    state: ApplicationState
    observed: tuple[FileOutcome, ...] = ()
    notices: tuple[Notice, ...] = ()


@frozen(kw_only=True)
class DriftSeen(Event):
    """The user's repository has changed while tasks run; nothing fails for it."""

    TYPE: ClassVar[str] = "driftSeen"

    ticket: TicketId
    repository: RepositoryRef
    head_moved: bool
    message: str


@frozen(kw_only=True)
class Dropped(Event):
    """The user drops kept work for good → outcome ``DropDone``."""

    TYPE: ClassVar[str] = "dropped"

    proposals: tuple[ProposalId, ...] = ()
    tickets: tuple[TicketId, ...] = ()


@frozen(kw_only=True)
class WorkspacesRemoved(Event):
    """Folders that nothing needed are gone."""

    TYPE: ClassVar[str] = "workspacesRemoved"

    ticket: TicketId
    failure: Failure | None = None


@frozen(kw_only=True)
class ServerStarted(Event):
    """A server begins; ``dead`` are those that are no more, with what their outbox held."""

    TYPE: ClassVar[str] = "serverStarted"

    server: ServerRow
    dead: tuple[ServerId, ...] = ()
    outbox: tuple[Issued, ...] = ()


@frozen(kw_only=True)
class ServersGone(Event):
    """Servers were found dead while this one runs; ``outbox`` is what theirs held."""

    TYPE: ClassVar[str] = "serversGone"

    server: ServerId
    dead: tuple[ServerId, ...]
    outbox: tuple[Issued, ...] = ()


@frozen(kw_only=True)
class ServerStopping(Event):
    """A server ends in order: what it carries is interrupted and kept."""

    TYPE: ClassVar[str] = "serverStopping"

    server: ServerId


@frozen(kw_only=True)
class ServerStopped(Event):
    """A server has ended in order."""

    TYPE: ClassVar[str] = "serverStopped"

    server: ServerId


@frozen(kw_only=True)
class DocumentUnsaved(Event):
    """A document is open and unsaved in the editor of a server, or is not any more."""

    TYPE: ClassVar[str] = "documentUnsaved"

    server: ServerId
    path: bytes
    sha256: str | None


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
    ApplicationIntended,
    ApplicationSettled,
    DriftSeen,
    Dropped,
    WorkspacesRemoved,
    ServerStarted,
    ServersGone,
    ServerStopping,
    ServerStopped,
    DocumentUnsaved,
    CommandFailed,
    Tick,
)
