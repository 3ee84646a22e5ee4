"""The rows of the engine's tables: frozen values, one class a table.

``made`` is the number of the step that made a row, ``sequence`` of the last that changed it.
"""

from __future__ import annotations

from operator import attrgetter

from attrs import field, frozen

from sennit.core.disk_application import Intention
from sennit.core.engine.row_values import (
    Begun,
    Counts,
    Ending,
    FileOutcome,
    Followed,
    Image,
    QuestionEnd,
    RepositoryRef,
    RunReport,
    TaskSpec,
)
from sennit.core.engine.server_rows import MailRow, OpenDocumentRow, ServerRow, TimerRow
from sennit.core.objects import Conflict, Manifest
from sennit.core.resolutions import Resolution
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
from sennit_protocol.states import (
    ApplicationState,
    Checks,
    Decision,
    Flag,
    Integration,
    Offer,
    QueuedFor,
    Review,
    RunState,
    Stopped,
    Target,
    TaskState,
    TicketState,
    WaitingFor,
)
from sennit_protocol.tasks import BaseKind, MergeOrder, OnConflict
from sennit_protocol.views import Failure, Notice

__all__ = [
    "ROWS",
    "TURN_OF_TICKETS",
    "ApplicationRow",
    "BaseRow",
    "Begun",
    "Counts",
    "Ending",
    "FileOutcome",
    "Followed",
    "Image",
    "MailRow",
    "OpenDocumentRow",
    "ProposalRow",
    "QuestionEnd",
    "QuestionRow",
    "RepositoryRef",
    "RevisionRow",
    "RunReport",
    "RunRow",
    "ServerRow",
    "TaskRow",
    "TaskSpec",
    "TicketRow",
    "TimerRow",
    "base_key",
    "task_key",
]


@frozen
class TicketRow:
    """A call that was admitted. ``owner`` is the server that carries it."""

    id: TicketId
    state: TicketState
    owner: ServerId
    created_at: int
    tasks: tuple[str, ...]
    offer: Offer
    ask_deadline_ms: int
    label: str | None = None
    max_concurrent: int | None = None
    operation_id: str | None = None
    request: str = ""
    order: MergeOrder = MergeOrder.TASK
    on_conflict: OnConflict = OnConflict.SET_ASIDE
    ended_at: int | None = None
    notices: tuple[Notice, ...] = ()
    made: int = 0
    sequence: int = 0

    @property
    def key(self) -> str:
        """The ticket's id."""
        return self.id


TURN_OF_TICKETS = attrgetter("made", "created_at", "id")
"""The place of a ticket among all, whatever the clock said when it came."""


@frozen
class TaskRow:
    """A task of a ticket.

    ``revision`` is the one that it made itself: its proposal may have gone on to another task.
    ``followed_by`` is the ticket of its newest follow-up.
    """

    ticket: TicketId
    id: str
    order: int
    state: TaskState
    spec: TaskSpec
    queued_for: QueuedFor | None = QueuedFor.SLOT
    waiting_for: WaitingFor | None = None
    runs: tuple[RunId, ...] = ()
    proposal: ProposalId | None = None
    failure: Failure | None = None
    flags: tuple[Flag, ...] = ()
    notices: tuple[Notice, ...] = ()
    ending: Ending | None = None
    stopped: Stopped | None = None
    revision: RevisionId | None = None
    followed_by: TicketId | None = None
    sequence: int = 0

    @property
    def key(self) -> str:
        """Ticket and task, since a task's id is unique in its ticket only."""
        return task_key(self.ticket, self.id)


@frozen
class BaseRow:
    """What the workspaces of a ticket in one repository are made from.

    ``reconcile`` is the newest merge that was asked for: the verdicts of older ones are late.
    """

    id: BaseId
    ticket: TicketId
    repository: RepositoryRef
    kind: BaseKind
    commit: str | None = None
    tree: str | None = None
    manifest: Manifest | None = None
    failure: Failure | None = None
    reconcile: CommandId | None = None
    sequence: int = 0

    @property
    def key(self) -> str:
        """Ticket, repository and kind: there is one base for each."""
        return base_key(self.ticket, self.repository, self.kind)


@frozen
class RunRow:
    """One run of an agent in a workspace. ``folder`` is where the agent works.

    ``stop`` is the command whose stop ladder is at work on it. ``session`` is the agent's name for
    what it may be able to go on with; ``resumed`` tells whether it did so, where it was to.
    ``place`` names its workspace, None for one of its own. What the agent began with is the base,
    or ``begun`` on top of it; ``unmerged`` are paths of the work that it follows which are not in
    there. ``uncaptured``: its workspace holds what the revision should; ``whole``: nothing that it
    does not. ``built_on`` are the revisions of other tasks that were merged into its beginning.
    """

    id: RunId
    ticket: TicketId
    task: str
    state: RunState
    requested_at: int
    base_commit: str | None = None
    base_tree: str | None = None
    folder: bytes | None = None
    started_at: int | None = None
    ended_at: int | None = None
    failure: Failure | None = None
    output_bytes: int = 0
    output_truncated: bool = False
    survivors: tuple[int, ...] = ()
    stop: CommandId | None = None
    session: str | None = None
    report: RunReport | None = None
    place: str | None = None
    begun: Begun | None = None
    unmerged: tuple[bytes, ...] = ()
    resumed: bool | None = None
    uncaptured: bool = False
    whole: bool = False
    built_on: tuple[RevisionId, ...] = ()
    sequence: int = 0

    @property
    def workspace(self) -> str:
        """The name of the workspace that it works in."""
        return self.place or self.id

    @property
    def key(self) -> str:
        """The run's id."""
        return self.id


@frozen
class ProposalRow:
    """The work of one task and its follow-ups, at its newest revision and the task that made it."""

    id: ProposalId
    ticket: TicketId
    task: str
    order: int
    revision: RevisionId
    sequence: int = 0

    @property
    def key(self) -> str:
        """The proposal's id."""
        return self.id


@frozen
class RevisionRow:
    """One immutable pair of trees, and what has become of it.

    ``merged_onto`` is the tree that it was merged with, ``place`` where it came in an order that
    was searched for. ``uncertain``, ``normalised`` and ``colliding`` name paths: two merges
    disagree; line endings were made equal first; a name that some systems take for another one.

    ``conflicts_with`` names the tasks before it that it does not go together with. ``follows`` is
    the revision before it, ``number`` its place in their order from 1.
    """

    id: RevisionId
    proposal: ProposalId
    ticket: TicketId
    task: str
    repository: RepositoryRef
    base_commit: str
    base_tree: str
    commit: str
    tree: str
    counts: Counts
    created_at: int
    integration: Integration = Integration.PENDING
    checks: Checks = Checks.UNCHECKED
    review: Review = Review.OFFERED
    application: ApplicationState = ApplicationState.NONE
    conflicts: tuple[Conflict, ...] = ()
    conflicts_with: tuple[str, ...] = ()
    uncertain: tuple[bytes, ...] = ()
    normalised: tuple[bytes, ...] = ()
    colliding: tuple[bytes, ...] = ()
    merged_onto: str = ""
    resolutions: tuple[Resolution, ...] = ()
    place: int | None = None
    decisions: tuple[tuple[UnitId, Decision], ...] = ()
    applied_units: tuple[UnitId, ...] = ()
    flags: tuple[Flag, ...] = ()
    notices: tuple[Notice, ...] = ()
    failure: Failure | None = None
    offered: bool = False
    follows: RevisionId | None = None
    number: int = 1
    made: int = 0
    sequence: int = 0

    @property
    def key(self) -> str:
        """The revision's id."""
        return self.id

    @property
    def turn(self) -> tuple[int, int, str]:
        """Its place among all, whatever the clock said when it came."""
        return self.made, self.created_at, self.id


@frozen
class ApplicationRow:
    """The application record: intention, images before and after, what was observed, state.

    ``before_tree`` and ``after_tree`` are trees of the store: what the user saw, and what the user
    sees when all went well. Undo merges (after, live, before). ``intention`` is the part that the
    server writes to the disk itself, until it is settled.
    """

    id: ApplicationId
    ticket: TicketId
    repository: RepositoryRef
    owner: ServerId
    target: Target
    state: ApplicationState
    at: int
    before_tree: str
    after_tree: str
    before_commit: str
    after_commit: str
    images: tuple[Image, ...]
    revisions: tuple[RevisionId, ...] = ()
    units: tuple[UnitId, ...] = ()
    already_there: tuple[UnitId, ...] = ()
    conflicts: tuple[UnitId, ...] = ()
    observed: tuple[FileOutcome, ...] = ()
    notices: tuple[Notice, ...] = ()
    undoes: ApplicationId | None = None
    undone_by: ApplicationId | None = None
    offered: bool = field(default=False)
    intention: Intention | None = None
    made: int = 0
    sequence: int = 0

    @property
    def key(self) -> str:
        """The application's id."""
        return self.id

    @property
    def turn(self) -> tuple[int, int, str]:
        """Its place among all, whatever the clock said when it came."""
        return self.made, self.at, self.id


@frozen
class QuestionRow:
    """A question of an agent, open until ``closed``; ``answer`` is what the user has said.

    ``permission``: the agent asks whether it may do something.
    """

    id: QuestionId
    ticket: TicketId
    task: str
    run: RunId
    text: str
    options: tuple[str, ...]
    asked_at: int
    deadline_at: int
    answer: str | None = None
    closed: QuestionEnd | None = None
    permission: bool = False
    made: int = 0
    sequence: int = 0

    @property
    def key(self) -> str:
        """The question's id."""
        return self.id

    @property
    def turn(self) -> tuple[int, int, str]:
        """Its place among all, whatever the clock said when it came."""
        return self.made, self.asked_at, self.id


ROWS: tuple[type, ...] = (
    ServerRow,
    TicketRow,
    TaskRow,
    BaseRow,
    RunRow,
    ProposalRow,
    RevisionRow,
    ApplicationRow,
    QuestionRow,
    TimerRow,
    OpenDocumentRow,
    MailRow,
)


def task_key(ticket: TicketId, task: str) -> str:
    """The key of a task's row."""
    return f"{ticket}/{task}"


def base_key(ticket: TicketId, repository: RepositoryRef, kind: BaseKind) -> str:
    """The key of a base's row."""
    return f"{ticket}/{repository.key}/{kind.value}"
