"""What clients are shown of proposals: revisions, files, units, conflicts, applications."""

from __future__ import annotations

from enum import StrEnum

from attrs import field, frozen

from sennit_protocol.describe import says
from sennit_protocol.ids import ApplicationId, ProposalId, RevisionId, TicketId, UnitId
from sennit_protocol.states import (
    ApplicationState,
    Checks,
    Decision,
    Flag,
    Integration,
    Review,
    Target,
    UnitFlag,
)
from sennit_protocol.views import Failure, Notice


class UnitKind(StrEnum):
    """What a unit changes: lines, or a whole file in one way."""

    HUNK = "hunk"
    CREATE = "create"
    DELETE = "delete"
    RENAME = "rename"
    MODE = "mode"
    LINK = "link"
    BINARY = "binary"
    SUBMODULE = "submodule"
    TYPE = "type"


@frozen
class LineRange:
    """Lines ``start`` (from 0) to ``start + count``, as LSP counts lines."""

    start: int
    count: int


@frozen
class UnitView:
    """The smallest part of a proposal that can be accepted or rejected."""

    id: UnitId
    kind: UnitKind
    decision: Decision
    preselected: bool = field(
        metadata=says("Whether a review interface may tick it before the user has looked.")
    )
    needs: UnitId | None = field(
        default=None, metadata=says("The unit that must be accepted for this one to count.")
    )
    flags: tuple[UnitFlag, ...] = ()
    before: LineRange | None = None
    after: LineRange | None = None
    before_text: str | None = field(
        default=None, metadata=says("The lines before, capped; `sennit/content` has it whole.")
    )
    after_text: str | None = field(default=None, metadata=says("The lines after, capped."))
    conflict: str | None = field(
        default=None, metadata=says("Why it does not go together with the text as it is now.")
    )


@frozen
class FileView:
    """One file of a proposal with its units."""

    path: str = field(metadata=says("Relative to the repository's top level, for people."))
    uri: str = field(metadata=says("The user's file; exact for every name."))
    units: tuple[UnitView, ...] = ()
    old_path: str | None = None
    old_uri: str | None = None
    binary: bool = False
    mode_before: str | None = field(default=None, metadata=says("Git's mode in octal."))
    mode_after: str | None = field(default=None, metadata=says("Git's mode in octal."))
    base_uri: str | None = field(
        default=None, metadata=says("`sennit:` URI of the text that the agent began with.")
    )
    proposed_uri: str | None = field(
        default=None, metadata=says("`sennit:` URI of the text that the agent left.")
    )
    lines_added: int = 0
    lines_removed: int = 0


@frozen
class SideView:
    """One side of a conflict; a side that is absent has neither key."""

    mode: str | None = None
    id: str | None = None
    uri: str | None = field(default=None, metadata=says("`sennit:` URI of that side's text."))


@frozen
class ConflictView:
    """Why a proposal does not go together with those before it."""

    kind: str
    path: str
    uri: str
    message: str = field(metadata=says("What collides and what can be done, for a person."))
    base: SideView = field(factory=SideView)
    ours: SideView = field(factory=SideView)
    theirs: SideView = field(factory=SideView)
    with_tasks: tuple[str, ...] = field(
        default=(), metadata=says("Earlier tasks of the ticket that changed the same path.")
    )


@frozen
class ProposalSummary:
    """One proposal in a list, at its newest revision."""

    id: ProposalId
    revision: RevisionId
    ticket: TicketId
    task: str
    order: int = field(metadata=says("Its place in the order of reconciliation, from 0."))
    integration: Integration
    checks: Checks
    review: Review
    application: ApplicationState
    agent: str
    description: str | None = None
    files: int = 0
    lines_added: int = 0
    lines_removed: int = 0
    flags: tuple[Flag, ...] = ()
    sequence: int = 0


@frozen
class ProposalView:
    """One proposal in full."""

    summary: ProposalSummary
    base: str = field(metadata=says("Commit of the store that the agent began with."))
    files: tuple[FileView, ...] = ()
    conflicts: tuple[ConflictView, ...] = ()
    notices: tuple[Notice, ...] = ()
    failure: Failure | None = None
    patch: str | None = field(
        default=None, metadata=says("A patch that `git apply` takes, with `format: patch`.")
    )
    patch_base64: str | None = field(
        default=None, metadata=says("The same where its bytes are not UTF-8.")
    )
    files_total: int = field(default=0, metadata=says("Files in all; `files` is capped."))


@frozen
class AppliedFile:
    """What an application did, or could not do, to one file."""

    path: str
    uri: str
    state: ApplicationState
    message: str | None = field(default=None, metadata=says("Why, and what to do."))


@frozen
class ApplicationView:
    """One application: what was meant, what was observed."""

    id: ApplicationId
    state: ApplicationState
    target: Target
    at: str
    ticket: TicketId
    proposals: tuple[ProposalId, ...] = ()
    files: tuple[AppliedFile, ...] = ()
    notices: tuple[Notice, ...] = ()
    undoes: ApplicationId | None = None
    patch: str | None = field(default=None, metadata=says("The patch, for the target `patch`."))
    patch_base64: str | None = field(
        default=None, metadata=says("The same where its bytes are not UTF-8.")
    )
    conflicts: tuple[UnitId, ...] = field(
        default=(), metadata=says("Accepted units that were left out as conflicts.")
    )
    already_there: tuple[UnitId, ...] = field(
        default=(), metadata=says("Accepted units that the text held already.")
    )
