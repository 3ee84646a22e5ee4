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


class Side(StrEnum):
    """One of the three sides of a conflict: where both began, what is there, what is proposed."""

    BASE = "base"
    OURS = "ours"
    THEIRS = "theirs"


class Take(StrEnum):
    """How a conflict is settled. `nothing` takes an earlier resolution back."""

    BASE = "base"
    OURS = "ours"
    THEIRS = "theirs"
    TEXT = "text"
    SUGGESTION = "suggestion"
    NOTHING = "nothing"


class SuggestionKind(StrEnum):
    """What a suggestion for a conflict was made by."""

    LINE_ENDINGS = "lineEndings"
    ONE_HOLDS_MORE = "oneHoldsMore"
    ADJACENT_EDITS = "adjacentEdits"
    OURS_THEN_THEIRS = "oursThenTheirs"
    THEIRS_THEN_OURS = "theirsThenOurs"
    IMPORTS = "imports"
    EACH_ITS_OWN = "eachItsOwn"
    FOLLOW_FOLDER = "followFolder"


class Sureness(StrEnum):
    """How far a suggestion can be believed."""

    LIKELY = "likely"
    GUESS = "guess"


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
    applied: bool = field(
        default=False, metadata=says("Whether it was applied, and not taken back since.")
    )


@frozen
class SettledView:
    """How the conflict in a file was settled.

    `baseUri` and `proposedUri` of the file, and its units, are then what goes in on top of what it
    met. It is decided as a whole: a decision about one of its units is one about all of them.
    """

    take: Take
    suggestion: SuggestionKind | None = None
    agent_uri: str | None = field(
        default=None, metadata=says("`sennit:` URI of the text that the agent left.")
    )
    agent_base_uri: str | None = field(
        default=None, metadata=says("`sennit:` URI of the text that the agent began with.")
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
        default=None,
        metadata=says("`sennit:` URI of the text before: what the agent began with, or `settled`."),
    )
    proposed_uri: str | None = field(
        default=None,
        metadata=says("`sennit:` URI of the text after: what the agent left, or `settled`."),
    )
    lines_added: int = 0
    lines_removed: int = 0
    settled: SettledView | None = field(
        default=None, metadata=says("Where a conflict in it was settled and that counts.")
    )


@frozen
class SideView:
    """One side of a conflict; a side that is absent has neither key."""

    mode: str | None = None
    id: str | None = None
    uri: str | None = field(default=None, metadata=says("`sennit:` URI of that side's text."))


@frozen
class RegionView:
    """Lines that clash, in each of the three sides."""

    base: LineRange
    ours: LineRange
    theirs: LineRange


@frozen
class SuggestionView:
    """What would settle a conflict. Never taken by itself, and never to be preselected."""

    kind: SuggestionKind
    sure: Sureness
    title: str = field(metadata=says("What it does and how sure that is, for a person."))
    text: str | None = field(
        default=None, metadata=says("The whole file then, capped; absent where it is no text.")
    )


@frozen
class ResolutionView:
    """How a person has settled a conflict."""

    take: Take
    suggestion: SuggestionKind | None = None
    counts: bool = field(
        default=True,
        metadata=says("False once it is about other texts than those that collide now."),
    )


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
    paths: tuple[str, ...] = field(
        default=(), metadata=says("All paths that it is about, `path` first.")
    )
    regions: tuple[RegionView, ...] = field(
        default=(), metadata=says("The lines that clash, where all sides are texts.")
    )
    suggestions: tuple[SuggestionView, ...] = field(
        default=(), metadata=says("What `sennit/resolve` could take, the surest first.")
    )
    resolution: ResolutionView | None = field(
        default=None, metadata=says("How it was settled by `sennit/resolve`, if it was.")
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
    number: int = field(
        default=1,
        metadata=says("Which revision of its proposal it is, from 1; a follow-up adds one."),
    )


@frozen
class RevisionSummary:
    """One revision of a proposal; only the newest can be decided and applied."""

    id: RevisionId
    number: int = field(metadata=says("From 1, oldest first."))
    ticket: TicketId
    task: str
    at: str = field(metadata=says("When it was made, RFC 3339 in UTC."))
    integration: Integration
    files: int = 0


@frozen
class ProposalView:
    """One proposal in full."""

    summary: ProposalSummary
    base: str = field(metadata=says("Commit of the store that the agent began with."))
    files: tuple[FileView, ...] = ()
    conflicts: tuple[ConflictView, ...] = ()
    resolved: tuple[ConflictView, ...] = field(
        default=(), metadata=says("Conflicts that were settled by `sennit/resolve`.")
    )
    notices: tuple[Notice, ...] = ()
    failure: Failure | None = None
    patch: str | None = field(
        default=None, metadata=says("A patch that `git apply` takes, with `format: patch`.")
    )
    patch_base64: str | None = field(
        default=None, metadata=says("The same where its bytes are not UTF-8.")
    )
    files_total: int = field(default=0, metadata=says("Files in all; `files` is capped."))
    revisions: tuple[RevisionSummary, ...] = field(
        default=(), metadata=says("All that there are of it, oldest first.")
    )


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
    state: ApplicationState = field(
        metadata=says("Of an undo `applied` says that it was taken back; of a patch `none`.")
    )
    target: Target
    at: str
    ticket: TicketId
    proposals: tuple[ProposalId, ...] = ()
    files: tuple[AppliedFile, ...] = ()
    notices: tuple[Notice, ...] = ()
    undoes: ApplicationId | None = field(
        default=None, metadata=says("The application that this one takes back.")
    )
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
