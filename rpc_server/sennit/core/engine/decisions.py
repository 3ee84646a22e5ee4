"""What decisions about single units say of a revision as a whole."""

from __future__ import annotations

from sennit_protocol.states import Decision, Review


def review_of(decisions: list[Decision], total: int) -> Review:
    """What the decisions about units say of the revision as a whole."""
    accepted = sum(said is Decision.ACCEPTED for said in decisions)
    if total and accepted == total:
        return Review.ACCEPTED
    if accepted:
        return Review.PARTLY_ACCEPTED
    if total and len(decisions) == total:
        return Review.REJECTED
    return Review.OFFERED
