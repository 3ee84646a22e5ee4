"""What is decided about proposals, and what of it is applied."""

from __future__ import annotations

from collections.abc import Iterator

from sennit_protocol.proposals import ProposalView, UnitView
from sennit_protocol.states import Decision, Integration

NOTHING_TO_DECIDE = frozenset(
    {Integration.NO_CHANGES, Integration.ALREADY_PRESENT, Integration.DISCARDED}
)
"""Proposals that hold nothing new."""


def units_in(view: ProposalView) -> Iterator[UnitView]:
    """All units of a proposal, file by file."""
    return (unit for file in view.files for unit in file.units)


def accepts_anything(view: ProposalView) -> bool:
    """Whether anything of it is accepted."""
    return any(unit.decision is Decision.ACCEPTED for unit in units_in(view))


def waits_to_be_applied(view: ProposalView) -> bool:
    """Whether anything is accepted that is not applied."""
    return any(map(waits_to_go_in, units_in(view)))


def waits_to_go_in(unit: UnitView) -> bool:
    """Whether a unit is accepted and not applied."""
    return unit.decision is Decision.ACCEPTED and not unit.applied
