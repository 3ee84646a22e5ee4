"""What clients are shown of proposals: revisions, files, units, conflicts, applications."""

from __future__ import annotations

from enum import StrEnum

from attrs import field, frozen

from sennit_protocol.conflicts import ConflictView, LineRange, SuggestionKind, Take
from sennit_protocol.describe import (
    AGENT,
    FILE_URI,
    FILES,
    LABEL_OF_TASK,
    LINES_ADDED,
    LINES_REMOVED,
    NOTICES,
    PROPOSAL,
    SHOWN_PATH,
    UNIT,
    says,
)
from sennit_protocol.ids import ProposalId, RevisionId, TicketId, UnitId
from sennit_protocol.states import (
    ApplicationState,
    Checks,
    Decision,
    Flag,
    Integration,
    Review,
    UnitFlag,
)
from sennit_protocol.views import Failure, Notice


class UnitKind(StrEnum):
    """What a unit changes: lines, or a whole file in one way."""

    HUNK = "hunk"
    """Some lines of a text."""
    CREATE = "create"
    """The file is new."""
    DELETE = "delete"
    """The file is gone."""
    RENAME = "rename"
    """The file has another path; hunks of it need this unit."""
    MODE = "mode"
    """Git's mode changes, such as whether it is executable."""
    LINK = "link"
    """A symbolic link leads elsewhere."""
    BINARY = "binary"
    """The content changes, and is no text."""
    SUBMODULE = "submodule"
    """A submodule is at another commit."""
    TYPE = "type"
    """The path becomes another thing: file, link or submodule."""


@frozen
class UnitView:
    """The smallest part of a proposal that can be accepted or rejected."""

    id: UnitId = field(metadata=UNIT)
    kind: UnitKind = field(metadata=says("What it changes."))
    decision: Decision = field(metadata=says("What the user has decided about it."))
    preselected: bool = field(
        metadata=says("Whether a review interface may tick it before the user has looked.")
    )
    needs: UnitId | None = field(
        default=None,
        metadata=says("Id of the unit that must be accepted for this one to count, if any."),
    )
    flags: tuple[UnitFlag, ...] = field(default=(), metadata=says("What is unusual about it."))
    before: LineRange | None = field(
        default=None,
        metadata=says("Of hunks: the lines that it replaces, in the text at `baseUri`."),
    )
    after: LineRange | None = field(
        default=None,
        metadata=says("Of hunks: the lines that it puts there, in the text at `proposedUri`."),
    )
    before_text: str | None = field(
        default=None,
        metadata=says("What is there before, cut to 8000 characters; absent for no text."),
    )
    after_text: str | None = field(
        default=None,
        metadata=says("What is there after, cut to 8000 characters; absent for no text."),
    )
    conflict: str | None = field(
        default=None,
        metadata=says(
            "Why it does not fit the text as it is now. Reserved, for that takes a preview: "
            "`conflicts` of `sennit/preview` names such units."
        ),
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

    take: Take = field(metadata=says("How it was settled."))
    suggestion: SuggestionKind | None = field(
        default=None, metadata=says("With `take: suggestion`: its `kind`.")
    )
    agent_uri: str | None = field(
        default=None, metadata=says("`sennit:` URI of the text that the agent left.")
    )
    agent_base_uri: str | None = field(
        default=None, metadata=says("`sennit:` URI of the text that the agent began with.")
    )


@frozen
class FileView:
    """One file of a proposal with its units."""

    path: str = field(metadata=SHOWN_PATH)
    uri: str = field(metadata=FILE_URI)
    units: tuple[UnitView, ...] = field(
        default=(),
        metadata=says("What concerns the whole file first, then hunks from top to bottom."),
    )
    old_path: str | None = field(
        default=None, metadata=says("Its path before a rename; absent where it was not renamed.")
    )
    old_uri: str | None = field(default=None, metadata=says("`file:` URI of `oldPath`."))
    binary: bool = field(
        default=False,
        metadata=says(
            "Whether git takes for no text what was created, deleted or changed there; false where "
            "the content is the same."
        ),
    )
    mode_before: str | None = field(
        default=None,
        metadata=says("Git's mode in octal, such as `100644`; absent where it was created."),
    )
    mode_after: str | None = field(
        default=None, metadata=says("Git's mode in octal; absent where it was deleted.")
    )
    base_uri: str | None = field(
        default=None,
        metadata=says(
            "`sennit:` URI of the text before: what the agent began with, or `settled`; "
            "absent where it was created."
        ),
    )
    proposed_uri: str | None = field(
        default=None,
        metadata=says(
            "`sennit:` URI of the text after: what the agent left, or `settled`; absent "
            "where it was deleted."
        ),
    )
    lines_added: int = field(default=0, metadata=LINES_ADDED)
    lines_removed: int = field(default=0, metadata=LINES_REMOVED)
    settled: SettledView | None = field(
        default=None,
        metadata=says("How a conflict in it was settled, where that was and counts."),
    )


@frozen
class ProposalSummary:
    """One proposal in a list, at its newest revision."""

    id: ProposalId = field(metadata=PROPOSAL)
    revision: RevisionId = field(metadata=says("Id of the revision."))
    ticket: TicketId = field(metadata=says("Id of the ticket whose task made the revision."))
    task: str = field(metadata=says("Id of the task that made the revision."))
    order: int = field(metadata=says("Its place in the order of reconciliation, from 0."))
    integration: Integration = field(metadata=says("How it goes together with those before it."))
    checks: Checks = field(metadata=says("What the checks say of it."))
    review: Review = field(metadata=says("What the user has decided about it."))
    application: ApplicationState = field(
        metadata=says("What has become of it by its applications.")
    )
    agent: str = field(metadata=AGENT)
    description: str | None = field(default=None, metadata=LABEL_OF_TASK)
    files: int = field(default=0, metadata=FILES)
    lines_added: int = field(default=0, metadata=LINES_ADDED)
    lines_removed: int = field(default=0, metadata=LINES_REMOVED)
    flags: tuple[Flag, ...] = field(
        default=(),
        metadata=says(
            "What a person should know of it. Reserved for what checks find; those of its task are "
            "in the view of the task."
        ),
    )
    sequence: int = field(
        default=0, metadata=says("Of its newest change; a lower one is an older view.")
    )
    number: int = field(
        default=1,
        metadata=says("Which revision of its proposal it is, from 1; a follow-up adds one."),
    )


@frozen
class RevisionSummary:
    """One revision of a proposal; only the newest can be decided and applied."""

    id: RevisionId = field(metadata=says("Id of the revision, for `sennit/proposal`."))
    number: int = field(metadata=says("From 1, oldest first."))
    ticket: TicketId = field(metadata=says("Id of the ticket whose task made it."))
    task: str = field(metadata=says("Id of the task that made it."))
    at: str = field(metadata=says("When it was made."))
    integration: Integration = field(metadata=says("How it goes together with those before it."))
    files: int = field(default=0, metadata=FILES)


@frozen
class ProposalView:
    """One proposal in full."""

    summary: ProposalSummary = field(metadata=says("It in a line, at the revision that is shown."))
    base: str = field(
        metadata=says("Git's id of the commit in Sennit's store that the agent began with.")
    )
    files: tuple[FileView, ...] = field(
        default=(),
        metadata=says("A page of its files, the riskiest first; none with `format: patch`."),
    )
    conflicts: tuple[ConflictView, ...] = field(default=(), metadata=says("Those that are open."))
    resolved: tuple[ConflictView, ...] = field(
        default=(), metadata=says("Conflicts that were settled by `sennit/resolve`.")
    )
    notices: tuple[Notice, ...] = field(default=(), metadata=NOTICES)
    failure: Failure | None = field(
        default=None, metadata=says("Why it could not be merged; absent where it could.")
    )
    patch: str | None = field(
        default=None, metadata=says("With `format: patch`: a patch that `git apply` takes.")
    )
    patch_base64: str | None = field(
        default=None, metadata=says("The same where its bytes are not UTF-8.")
    )
    files_total: int = field(default=0, metadata=says("How many files it has in all."))
    revisions: tuple[RevisionSummary, ...] = field(
        default=(), metadata=says("All that there are of it, oldest first.")
    )
