"""Parameters and results of the method that tells where pieces of work meet."""

from __future__ import annotations

from enum import StrEnum

from attrs import field, frozen

from sennit_protocol.conflicts import LineRange
from sennit_protocol.describe import FILE_URI, IN_FOLDER, SHOWN_PATH, TASK, TICKET, says
from sennit_protocol.ids import ProposalId, TicketId
from sennit_protocol.views import Notice


class OverlapKind(StrEnum):
    """How near two pieces of work come to each other in a file."""

    LINES = "lines"
    """They change the same lines, or lines beside each other."""
    WHOLE_FILE = "wholeFile"
    """One of them changes more than lines: it creates, deletes, renames or replaces it."""
    SAME_FILE = "sameFile"
    """They change other places of one text, or began with different texts."""


@frozen
class OverlapsParams:
    """Which work to compare: each piece with each other one, within and across tickets."""

    ticket: TicketId | None = field(
        default=None, metadata=says("Only pairs in which this ticket has a part.")
    )
    folder: str | None = field(default=None, metadata=IN_FOLDER)
    running: bool = field(
        default=True,
        metadata=says(
            "Whether to look into the workspaces of running agents, too; true unless said."
        ),
    )
    limit: int = field(default=1000, metadata=says("Pairs at most, 1 to 10000; 1000 unless said."))


@frozen
class Worker:
    """One piece of work: a proposal, or what a running agent has done so far."""

    ticket: TicketId = field(metadata=TICKET)
    task: str = field(metadata=TASK)
    proposal: ProposalId | None = field(
        default=None, metadata=says("Id of the proposal; absent while its agent still runs.")
    )


@frozen
class FileOverlap:
    """A file that both change."""

    path: str = field(metadata=SHOWN_PATH)
    uri: str = field(metadata=FILE_URI)
    kind: OverlapKind = field(metadata=says("How near they come."))
    lines: tuple[LineRange, ...] = field(
        default=(),
        metadata=says(
            "With `lines`: those of the first one that the other meets, in the text that "
            "both began with."
        ),
    )


@frozen
class Overlap:
    """Two pieces of work that change the same files; the earlier one first."""

    one: Worker = field(
        metadata=says("The first: a proposal before what runs, an older one before a newer one.")
    )
    other: Worker = field(metadata=says("The second."))
    files: tuple[FileOverlap, ...] = field(metadata=says("Where they meet, by path."))


@frozen
class OverlapsResult:
    """The pairs that meet, those that share lines first."""

    overlaps: tuple[Overlap, ...] = field(metadata=says("At most `limit` of them."))
    total: int = field(default=0, metadata=says("How many there are."))
    notices: tuple[Notice, ...] = field(
        default=(), metadata=says("Work that could not be looked at, and why.")
    )
