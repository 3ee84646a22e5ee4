"""What the engine asks of the outside world. Each command ends in exactly one event."""

from __future__ import annotations

from typing import ClassVar

from attrs import frozen

from sennit.core.engine.rows import Begun, RepositoryRef
from sennit.core.resolutions import Resolution
from sennit_protocol.ids import ApplicationId, BaseId, RevisionId, RunId, TicketId
from sennit_protocol.tasks import BaseKind, MergeOrder


@frozen
class TakeBase:
    """Take what the user sees (or the last commit) as a commit of the store → ``BaseTaken``."""

    ONCE: ClassVar[bool] = False

    base: BaseId
    ticket: TicketId
    repository: RepositoryRef
    kind: BaseKind


@frozen
class Prerequisite:
    """The trees of one revision that a task builds on, and what settles its conflicts."""

    task: str
    base_tree: str
    tree: str
    resolutions: tuple[Resolution, ...] = ()


@frozen
class EarlierWork:
    """The trees of a revision whose work a run goes on with, and what settles its conflicts."""

    revision: RevisionId
    base_tree: str
    tree: str
    resolutions: tuple[Resolution, ...] = ()


@frozen
class PrepareWorkspace:
    """Make the workspace of a run, with the prerequisites merged in → ``WorkspaceReady``.

    ``place`` names a workspace at whose path it is made, in place of what is there; ``earlier`` is
    merged in where it is clean.
    """

    ONCE: ClassVar[bool] = False

    run: RunId
    ticket: TicketId
    task: str
    repository: RepositoryRef
    base_commit: str
    base_tree: str
    prerequisites: tuple[Prerequisite, ...] = ()
    place: str | None = None
    earlier: EarlierWork | None = None


@frozen
class StartRun:
    """Start the agent and follow it to its end → ``RunEnded``. Never repeated."""

    ONCE: ClassVar[bool] = True

    run: RunId
    ticket: TicketId
    task: str


@frozen
class StopRun:
    """Let the stop ladder end a run → ``StopTaken``; the run's own end comes from its start."""

    ONCE: ClassVar[bool] = False

    run: RunId


@frozen
class RecoverRun:
    """End what a dead server left of a run and tell how it ended → ``RunEnded``."""

    ONCE: ClassVar[bool] = False

    run: RunId


@frozen
class CaptureRun:
    """Take what the run left in its workspace as a revision → ``Captured``.

    ``begun``: see ``RunRow``. ``follows`` is the revision whose decisions may be carried over.
    """

    ONCE: ClassVar[bool] = False

    run: RunId
    ticket: TicketId
    task: str
    repository: RepositoryRef
    base_commit: str
    base_tree: str
    begun: Begun | None = None
    follows: RevisionId | None = None


@frozen
class Arrived:
    """A revision that takes part in a reconciliation, in its place."""

    revision: RevisionId
    task: str
    base_tree: str
    tree: str
    resolutions: tuple[Resolution, ...] = ()


@frozen
class Reconcile:
    """Fold the revisions that have arrived, in order → ``Reconciled``."""

    ONCE: ClassVar[bool] = False

    ticket: TicketId
    repository: RepositoryRef
    base_tree: str
    arrived: tuple[Arrived, ...]
    order: MergeOrder = MergeOrder.TASK


@frozen
class OfferRevision:
    """Offer a revision to clients → ``RevisionOffered``. Never repeated."""

    ONCE: ClassVar[bool] = True

    revision: RevisionId


@frozen
class RunApplication:
    """Carry out an application that is intended → ``ApplicationSettled``. Never repeated."""

    ONCE: ClassVar[bool] = True

    application: ApplicationId


@frozen
class SettleApplication:
    """Tell by comparing what has become of an application → ``ApplicationSettled``."""

    ONCE: ClassVar[bool] = False

    application: ApplicationId


@frozen
class DeliverAnswer:
    """Hand the answer to a question to the run that asked → ``AnswerDelivered``.

    None tells the run that nobody answered in time.
    """

    ONCE: ClassVar[bool] = False

    run: RunId
    question: str
    answer: str | None


@frozen
class RemoveWorkspaces:
    """Delete workspaces and run folders that nothing needs → ``WorkspacesRemoved``.

    ``repositories`` are those in which the runs may have a workspace; ``places`` names the
    workspaces, None where each run has one of its own name. ``only_free``: what somebody uses stays
    without a word, for the workspaces are of no use any more, but nobody has asked for this.
    """

    ONCE: ClassVar[bool] = False

    ticket: TicketId
    runs: tuple[RunId, ...]
    repositories: tuple[RepositoryRef, ...] = ()
    places: tuple[str, ...] | None = None
    only_free: bool = False


Command = (
    TakeBase
    | PrepareWorkspace
    | StartRun
    | StopRun
    | RecoverRun
    | CaptureRun
    | Reconcile
    | OfferRevision
    | RunApplication
    | SettleApplication
    | DeliverAnswer
    | RemoveWorkspaces
)

COMMANDS: tuple[type, ...] = (
    TakeBase,
    PrepareWorkspace,
    StartRun,
    StopRun,
    RecoverRun,
    CaptureRun,
    Reconcile,
    OfferRevision,
    RunApplication,
    SettleApplication,
    DeliverAnswer,
    RemoveWorkspaces,
)
