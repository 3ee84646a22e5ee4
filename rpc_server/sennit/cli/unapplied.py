"""What is told where a command ends without applying anything."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from sennit.cli.decided import NOTHING_TO_DECIDE, units_in, waits_to_go_in
from sennit.cli.review_loop import fits_whole
from sennit.cli.safe_text import safe_line
from sennit_protocol.ids import TicketId
from sennit_protocol.proposals import ProposalView, UnitView
from sennit_protocol.states import Decision


def unapplied_lines(
    ticket: TicketId, views: Sequence[ProposalView], patch: Path | None
) -> Iterator[str]:
    """Say what is decided and waits, that nothing was changed, and what can be done.

    ``patch`` is the file that was to be written instead of changing files.
    """
    units = [
        unit
        for view in views
        if view.summary.integration not in NOTHING_TO_DECIDE
        for unit in units_in(view)
    ]
    untouched = (
        "no file was changed"
        if patch is None
        else f"no patch was written to {safe_line(str(patch))}"
    )
    if not units:
        yield f"There is nothing to apply, and {untouched}."
        return
    waiting = sum(map(waits_to_go_in, units))
    yield f"{_decided(units, waiting)}, and {untouched}."
    if waiting:
        yield f"To apply what is accepted: sennit apply {ticket}"
        yield f"To decide otherwise: sennit review {ticket}"
    elif any(each.decision is Decision.UNDECIDED for each in units):
        yield f"To decide: sennit review {ticket}"
        if any(fits_whole(each) and _has_undecided(each) for each in views):
            yield f"To apply all that fits: sennit apply {ticket} --accept-all"
    else:
        yield f"To decide otherwise: sennit review {ticket}"


def _has_undecided(view: ProposalView) -> bool:
    return any(each.decision is Decision.UNDECIDED for each in units_in(view))


def _decided(units: Sequence[UnitView], waiting: int) -> str:
    rejected = sum(each.decision is Decision.REJECTED for each in units)
    undecided = sum(each.decision is Decision.UNDECIDED for each in units)
    if undecided == len(units):
        return "Nothing is accepted"
    applied = len(units) - waiting - rejected - undecided
    counts = {
        "accepted": waiting,
        "applied before": applied,
        "rejected": rejected,
        "undecided": undecided,
    }
    return "Changes: " + ", ".join(f"{count} {what}" for what, count in counts.items() if count)
