"""What is decided about proposals, and what of it is applied."""

from __future__ import annotations

from collections.abc import Iterator

from sennit_protocol.proposals import ProposalView, UnitView
from sennit_protocol.states import Decision


def units_in(view: ProposalView) -> Iterator[UnitView]:
    """All units of a proposal, file by file."""
    return (unit for file in view.files for unit in file.units)


def accepts_anything(view: ProposalView) -> bool:
    """Whether anything of it is accepted."""
    return any(unit.decision is Decision.ACCEPTED for unit in units_in(view))


def waits_to_be_applied(view: ProposalView) -> bool:
    """Whether anything is accepted that is not applied."""
    return any(not e.applied for e in units_in(view) if e.decision is Decision.ACCEPTED)
