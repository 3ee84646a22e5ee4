"""Parameters and results of the methods that review and apply proposals."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

from attrs import field, frozen

from sennit_protocol.applications import AppliedFile
from sennit_protocol.conflicts import SuggestionKind, Take
from sennit_protocol.describe import IN_FOLDER, OFFSET, PROPOSAL, SHOWN_PATH, UNIT, says
from sennit_protocol.ids import ApplicationId, ProposalId, RevisionId, TicketId, UnitId
from sennit_protocol.proposals import ProposalSummary, ProposalView
from sennit_protocol.states import Decision, Target
from sennit_protocol.views import Notice


@frozen
class ProposalsParams:
    """A page of proposals in the order of reconciliation, newest ticket first."""

    ticket: TicketId | None = field(
        default=None, metadata=says("Id of a ticket: only those of it; of all tickets unless said.")
    )
    folder: str | None = field(default=None, metadata=IN_FOLDER)
    limit: int = field(default=100, metadata=says("How many at most, 1 to 1000; 100 unless said."))
    offset: int = field(default=0, metadata=OFFSET)


@frozen
class ProposalsResult:
    """A page of proposals."""

    proposals: tuple[ProposalSummary, ...] = field(metadata=says("Each at its newest revision."))
    total: int = field(default=0, metadata=says("How many there are; a page holds some."))


class ProposalFormat(StrEnum):
    """How a proposal is shown."""

    VIEW = "view"
    """As files and units."""
    PATCH = "patch"
    """As a patch that `git apply` takes."""


class ProposalText(StrEnum):
    """Which text of a proposal is shown."""

    SETTLED = "settled"
    """What goes in: what a person has made of it where conflicts were settled."""
    AGENT = "agent"
    """What the agent left."""


@frozen
class ProposalParams:
    """Names a proposal; its newest revision unless said."""

    proposal: ProposalId = field(metadata=PROPOSAL)
    revision: RevisionId | None = field(
        default=None, metadata=says("Id of one of its revisions; the newest unless said.")
    )
    format: ProposalFormat = field(
        default=ProposalFormat.VIEW, metadata=says("How it is shown; `view` unless said.")
    )
    against: RevisionId | None = field(
        default=None,
        metadata=says(
            "With `format: patch`: id of another revision of it; the patch leads from its text to "
            "this one's, each as `text` says."
        ),
    )
    text: ProposalText = field(
        default=ProposalText.SETTLED,
        metadata=says("Which text is shown where conflicts were settled; `settled` unless said."),
    )
    limit: int = field(
        default=1000,
        metadata=says("Files at most, 1 to 10000; 1000 unless said. A patch is never cut."),
    )
    offset: int = field(default=0, metadata=OFFSET)


@frozen
class Choice:
    """A decision about units: by their ids, by files, or all of the revision."""

    decision: Decision = field(
        metadata=says(
            "What is decided. To accept a unit accepts what it needs; else what needs it "
            "goes along."
        )
    )
    units: tuple[UnitId, ...] = field(default=(), metadata=says("`id`s of units of the revision."))
    files: tuple[str, ...] = field(
        default=(), metadata=says("`uri`s of files, for all of their units.")
    )
    all: bool = field(
        default=False, metadata=says("Every unit of the revision; false unless said.")
    )


@frozen
class DecideParams:
    """Decides about units of one revision; later choices of the list win."""

    proposal: ProposalId = field(metadata=PROPOSAL)
    revision: RevisionId = field(
        metadata=says("The one that was looked at; an older one is refused.")
    )
    choices: tuple[Choice, ...] = field(
        metadata=says("In order: a later one wins over an earlier one.")
    )


@frozen
class DecideResult:
    """The proposal after the decision."""

    proposal: ProposalView = field(
        metadata=says("The proposal in full, as `sennit/proposal` gives it.")
    )


@frozen
class ConflictChoice:
    """Settles one conflict, or takes that back by `nothing`.

    A side of a text counts where the sides clash; what else both changed stays merged.
    """

    uri: str = field(metadata=says("The `uri` of the conflict."))
    take: Take = field(metadata=says("How it is settled."))
    text: str | None = field(
        default=None, metadata=says("With `take: text`: the whole file, with its line endings.")
    )
    suggestion: SuggestionKind | None = field(
        default=None, metadata=says("With `take: suggestion`: its `kind`.")
    )


@frozen
class ResolveParams:
    """Settles conflicts of one revision; what was settled before about others stands."""

    proposal: ProposalId = field(metadata=PROPOSAL)
    revision: RevisionId = field(
        metadata=says("The one that was looked at; an older one is refused.")
    )
    choices: tuple[ConflictChoice, ...] = field(
        metadata=says("At least one, and each conflict once.")
    )


@frozen
class Selected:
    """A proposal at the revision that the user has seen."""

    proposal: ProposalId = field(metadata=PROPOSAL)
    revision: RevisionId = field(
        metadata=says("The newest one, which was looked at; an older one is refused.")
    )


@frozen
class PreviewParams:
    """Names what to preview: proposals at their revisions, or a whole ticket."""

    ticket: TicketId | None = field(
        default=None,
        metadata=says(
            "All of its proposals, of one repository; either this or `proposals` is named."
        ),
    )
    proposals: tuple[Selected, ...] = field(
        default=(),
        metadata=says(
            "Those that are meant, of one ticket and repository; where no `ticket` is named."
        ),
    )


@frozen
class StalePart:
    """An accepted unit that does not go together with the text as it is now."""

    unit: UnitId = field(metadata=UNIT)
    proposal: ProposalId = field(metadata=PROPOSAL)
    path: str = field(metadata=SHOWN_PATH)
    reason: str = field(
        metadata=says("What collides, for a person: the kind of conflict, and what git says of it.")
    )


@frozen
class PreviewResult:
    """The edit as it would be applied now."""

    edits: tuple[Any, ...] = field(
        metadata=says("LSP's `WorkspaceEdit`s, shaped for this client, to be applied in order.")
    )
    rest: tuple[AppliedFile, ...] = field(
        default=(),
        metadata=says(
            "Files that no edit carries: with `none` the server writes them, with `failed` "
            "nobody does."
        ),
    )
    conflicts: tuple[StalePart, ...] = field(
        default=(), metadata=says("Accepted units that do not fit, and would be left out.")
    )
    already_there: tuple[UnitId, ...] = field(
        default=(), metadata=says("Ids of accepted units that the text holds already.")
    )
    uncertain: tuple[UnitId, ...] = field(
        default=(),
        metadata=says("Ids of accepted units that fit and would go in, but are `uncertain`."),
    )
    held: tuple[Notice, ...] = field(
        default=(), metadata=says("Why everything is held until `confirmMoved`.")
    )
    patch: str | None = field(
        default=None,
        metadata=says("The same as a patch, for people; absent where its bytes are not UTF-8."),
    )
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
        default=None,
        metadata=says(
            "All of its proposals, of one repository; either this or `proposals` is named."
        ),
    )
    proposals: tuple[Selected, ...] = field(
        default=(),
        metadata=says(
            "Those that are meant, of one ticket and repository; where no `ticket` is named."
        ),
    )
    confirm_moved: bool = field(
        default=False,
        metadata=says("Apply though HEAD has moved since the base was taken; false unless said."),
    )


@frozen
class UndoParams:
    """Takes an application back, by merging with the text as it is now."""

    application: ApplicationId = field(
        metadata=says(
            "The `id` of an answer to `sennit/apply`, or to `sennit/undo` to have it again."
        )
    )


@frozen
class TextAfterEdit:
    """What a document holds after an edit."""

    uri: str = field(metadata=says("URI of the document, as the client spells it."))
    version: int | None = field(
        default=None,
        metadata=says(
            "LSP's document version, for people who read what was sent; only `sha256` is compared."
        ),
    )
    sha256: str | None = field(
        default=None,
        metadata=says(
            "SHA-256 of its text in UTF-8 with its line endings and without a byte-order mark."
        ),
    )


@frozen
class DidApplyParams:
    """What an edit of the server really changed in the editor."""

    application: ApplicationId = field(
        metadata=says("The `sennit.application` that came beside the edit.")
    )
    documents: tuple[TextAfterEdit, ...] = field(
        metadata=says("What it changed; counts where the server has no text of the document.")
    )
    applied: bool = field(
        default=True,
        metadata=says(
            "What the client says of the edit. Only the texts are believed; true unless said."
        ),
    )
    failure_reason: str | None = field(
        default=None,
        metadata=says(
            "LSP's `failureReason`, for people who read what was sent; the one that counts is that "
            "of the answer to `workspace/applyEdit`."
        ),
    )


@frozen
class DocumentInfoParams:
    """What only the editor knows of an open document."""

    uri: str = field(metadata=says("URI of the open document, as in `textDocument/didOpen`."))
    encoding: str | None = field(
        default=None,
        metadata=says("Such as `utf-8` or `latin-1`; counts where the file itself does not tell."),
    )
    byte_order_mark: bool | None = field(
        default=None,
        metadata=says("Whether its file begins with one. Reserved: the file itself is asked."),
    )
    line_ending: str | None = field(
        default=None,
        metadata=says("`\\n` or `\\r\\n`. Reserved: the text that is open has its line endings."),
    )
    dirty: bool | None = field(
        default=None,
        metadata=says(
            "Whether it is unsaved; counts where its text cannot be compared with the file."
        ),
    )
    sha256: str | None = field(
        default=None,
        metadata=says("SHA-256 of its text. Reserved: LSP tells the server the text itself."),
    )


@frozen
class ProposalChanged:
    """A proposal changed. Some states in between may be left out, the last one never."""

    proposal: ProposalSummary = field(
        metadata=says("The proposal as it is now, at its newest revision.")
    )
