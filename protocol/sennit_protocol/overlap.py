"""Parameters and results of the method that tells where pieces of work meet."""

from __future__ import annotations

from enum import StrEnum

from attrs import field, frozen

from sennit_protocol.describe import says
from sennit_protocol.ids import ProposalId, TicketId
from sennit_protocol.proposals import LineRange
from sennit_protocol.views import Notice


class OverlapKind(StrEnum):
    """How near two pieces of work come to each other in a file."""

    LINES = "lines"
    WHOLE_FILE = "wholeFile"
    SAME_FILE = "sameFile"


@frozen
class OverlapsParams:
    """Which work to compare: each piece with each other one, within and across tickets."""

    ticket: TicketId | None = field(
        default=None, metadata=says("Only pairs in which this ticket has a part.")
    )
    folder: str | None = field(
        default=None, metadata=says("Only work in a repository at, above or below that folder.")
    )
    running: bool = field(
        default=True, metadata=says("Whether to look into the workspaces of running agents, too.")
    )
    limit: int = field(default=1000, metadata=says("Pairs at most, 1 to 10000."))


@frozen
class Worker:
    """One piece of work: a proposal, or what a running agent has done so far."""

    ticket: TicketId
    task: str
    proposal: ProposalId | None = field(
        default=None, metadata=says("Absent while its agent still runs.")
    )


@frozen
class FileOverlap:
    """A file that both change."""

    path: str
    uri: str
    kind: OverlapKind = field(
        metadata=says(
            "`lines`: the same lines, or lines beside each other; `wholeFile`: one of them"
            " deletes, renames or replaces it; `sameFile`: other places of one text."
        )
    )
    lines: tuple[LineRange, ...] = field(
        default=(), metadata=says("With `lines`: where, in the text that both began with.")
    )


@frozen
class Overlap:
    """Two pieces of work that change the same files; the earlier one first."""

    one: Worker
    other: Worker
    files: tuple[FileOverlap, ...]


@frozen
class OverlapsResult:
    """The pairs that meet, those that share lines first."""

    overlaps: tuple[Overlap, ...]
    total: int = 0
    notices: tuple[Notice, ...] = field(
        default=(), metadata=says("Work that could not be looked at, and why.")
    )
