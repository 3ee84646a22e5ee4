"""Parameters and results of the methods that review and apply proposals."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

from attrs import field, frozen

from sennit_protocol.describe import says
from sennit_protocol.ids import ApplicationId, ProposalId, RevisionId, TicketId, UnitId
from sennit_protocol.proposals import (
    AppliedFile,
    ProposalSummary,
    ProposalView,
    SuggestionKind,
    Take,
)
from sennit_protocol.states import Decision, Target
from sennit_protocol.views import Notice


@frozen
class ProposalsParams:
    """A page of proposals in the order of reconciliation, newest ticket first."""

    ticket: TicketId | None = field(default=None, metadata=says("Only those of one ticket."))
    folder: str | None = field(
        default=None, metadata=says("Only those of a repository at, above or below that folder.")
    )
    limit: int = field(default=100, metadata=says("How many at most, 1 to 1000."))
    offset: int = 0


@frozen
class ProposalsResult:
    """A page of proposals."""

    proposals: tuple[ProposalSummary, ...]
    total: int = 0


class ProposalFormat(StrEnum):
    """How a proposal is shown."""

    VIEW = "view"
    PATCH = "patch"


class ProposalText(StrEnum):
    """Which text of a proposal is shown.

    ``SETTLED``: what goes in, which is what a person has made of it where conflicts were settled.
    ``AGENT``: what the agent left.
    """

    SETTLED = "settled"
    AGENT = "agent"


@frozen
class ProposalParams:
    """Names a proposal; its newest revision unless said."""

    proposal: ProposalId
    revision: RevisionId | None = None
    format: ProposalFormat = ProposalFormat.VIEW
    against: RevisionId | None = field(
        default=None,
        metadata=says(
            "With `format: patch`: another revision of the proposal; the patch leads from its "
            "text to this one's."
        ),
    )
    text: ProposalText = field(
        default=ProposalText.SETTLED,
        metadata=says("Whether files whose conflict was settled are shown as they go in."),
    )
    limit: int = field(default=1000, metadata=says("Files at most."))
    offset: int = 0


@frozen
class Choice:
    """A decision about units: by their ids, by files, or all of the revision."""

    decision: Decision
    units: tuple[UnitId, ...] = ()
    files: tuple[str, ...] = field(default=(), metadata=says("`uri`s of files."))
    all: bool = field(default=False, metadata=says("Every unit of the revision."))


@frozen
class DecideParams:
    """Decides about units of one revision; later choices of the list win."""

    proposal: ProposalId
    revision: RevisionId = field(
        metadata=says("The one that was looked at; an older one is refused.")
    )
    choices: tuple[Choice, ...]


@frozen
class DecideResult:
    """The proposal after the decision."""

    proposal: ProposalView


@frozen
class ConflictChoice:
    """Settles one conflict, or takes that back by `nothing`.

    A side of a text counts where the sides clash; what else both changed stays merged.
    """

    uri: str = field(metadata=says("The `uri` of the conflict."))
    take: Take
    text: str | None = field(
        default=None, metadata=says("With `take: text`: the whole file, with its line endings.")
    )
    suggestion: SuggestionKind | None = field(
        default=None, metadata=says("With `take: suggestion`: its `kind`.")
    )


@frozen
class ResolveParams:
    """Settles conflicts of one revision; what was settled before about others stands."""

    proposal: ProposalId
    revision: RevisionId
    choices: tuple[ConflictChoice, ...]


@frozen
class Selected:
    """A proposal at the revision that the user has seen."""

    proposal: ProposalId
    revision: RevisionId


@frozen
class PreviewParams:
    """Names what to preview: proposals at their revisions, or a whole ticket."""

    ticket: TicketId | None = field(
        default=None, metadata=says("All of its proposals; left out, `proposals` are named.")
    )
    proposals: tuple[Selected, ...] = field(
        default=(), metadata=says("Those that are meant; with `ticket`, of it these alone.")
    )


@frozen
class StalePart:
    """An accepted unit that does not go together with the text as it is now."""

    unit: UnitId
    proposal: ProposalId
    path: str
    reason: str


@frozen
class PreviewResult:
    """The edit as it would be applied now."""

    edits: tuple[Any, ...] = field(
        metadata=says("LSP's `WorkspaceEdit`s, shaped for this client, to be applied in order.")
    )
    rest: tuple[AppliedFile, ...] = field(
        default=(),
        metadata=says("Files that the server writes itself, since no edit carries them."),
    )
    conflicts: tuple[StalePart, ...] = ()
    already_there: tuple[UnitId, ...] = ()
    uncertain: tuple[UnitId, ...] = ()
    held: tuple[Notice, ...] = field(
        default=(), metadata=says("Why everything is held until `confirmMoved`.")
    )
    patch: str | None = field(default=None, metadata=says("The same as a patch, for people."))
    notices: tuple[Notice, ...] = field(
        default=(), metadata=says("What a person should know of some files before applying.")
    )


@frozen
class ApplyParams:
    """Applies what is accepted."""

    target: Target = field(
        metadata=says("Where to: the editor, the files themselves, or a patch in the answer.")
    )
    ticket: TicketId | None = field(
        default=None, metadata=says("All of its proposals; left out, `proposals` are named.")
    )
    proposals: tuple[Selected, ...] = field(
        default=(), metadata=says("Those that are meant; with `ticket`, of it these alone.")
    )
    confirm_moved: bool = field(
        default=False, metadata=says("Apply though HEAD has moved since the base was taken.")
    )


@frozen
class UndoParams:
    """Takes an application back, by merging with the text as it is now."""

    application: ApplicationId = field(metadata=says("The `id` of an answer to `sennit/apply`."))


@frozen
class TextAfterEdit:
    """What a document holds after an edit."""

    uri: str
    version: int | None = field(default=None, metadata=says("LSP's document version."))
    sha256: str | None = field(
        default=None, metadata=says("Of the text in UTF-8 with its line endings.")
    )


@frozen
class DidApplyParams:
    """What an edit of the server really changed in the editor."""

    application: ApplicationId
    documents: tuple[TextAfterEdit, ...]
    applied: bool = True
    failure_reason: str | None = None


@frozen
class DocumentInfoParams:
    """What only the editor knows of an open document."""

    uri: str
    encoding: str | None = field(default=None, metadata=says("Such as `utf-8` or `latin-1`."))
    byte_order_mark: bool | None = None
    line_ending: str | None = field(default=None, metadata=says("`\\n` or `\\r\\n`."))
    dirty: bool | None = None
    sha256: str | None = None


@frozen
class ProposalChanged:
    """A proposal changed. Some states in between may be left out, the last one never."""

    proposal: ProposalSummary
