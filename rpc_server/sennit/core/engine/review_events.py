"""What has happened to results: decisions, applications, drift, what was dropped."""

from __future__ import annotations

from typing import ClassVar

from attrs import frozen

from sennit.core.engine.event import Event
from sennit.core.engine.rows import ApplicationRow, FileOutcome, RepositoryRef
from sennit.core.resolutions import Resolution
from sennit_protocol.ids import ApplicationId, ProposalId, RevisionId, TicketId, UnitId
from sennit_protocol.states import ApplicationState, Decision
from sennit_protocol.views import Failure, Notice


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
class ConflictsResolved(Event):
    """The user has settled conflicts, or takes that back → outcome ``Decided``, ``NotDecided``."""

    TYPE: ClassVar[str] = "conflictsResolved"

    revision: RevisionId
    resolutions: tuple[Resolution, ...]


@frozen(kw_only=True)
class ApplicationIntended(Event):
    """An application is about to be carried out → ``Intended``, ``NotIntended``, ``Overtaken``.

    ``seen`` is the sequence number by which the text was looked at that it was worked out on.
    """

    TYPE: ClassVar[str] = "applicationIntended"

    application: ApplicationRow
    seen: int | None = None


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
