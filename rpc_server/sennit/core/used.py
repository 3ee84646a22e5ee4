"""Adds up what agents used."""

from __future__ import annotations

from typing import TypeVar

from attrs import evolve

from sennit_protocol.agents import Usage, UsageKnown

_Number = TypeVar("_Number", int, float)


def added(before: Usage | None, step: Usage) -> Usage:
    """Add one step; an unknown number plus a known one is the known one."""
    if before is None:
        return evolve(step, known=UsageKnown.SUM)
    return Usage(
        UsageKnown.SUM,
        input=_sum(before.input, step.input),
        output=_sum(before.output, step.output),
        cached_read=_sum(before.cached_read, step.cached_read),
        cached_write=_sum(before.cached_write, step.cached_write),
        reasoning=_sum(before.reasoning, step.reasoning),
        cost=_sum(before.cost, step.cost),
        currency=step.currency or before.currency,
        turns=_sum(before.turns, step.turns),
    )


def replaced(before: Usage | None, total: Usage) -> Usage:
    """Put a total in place of what was known, number by number: what it does not tell stays.

    Some agents tell money in one message and tokens in another. How the numbers came about is what
    the one that tells tokens says.
    """
    if before is None:
        return total
    tells_tokens = total.input is not None or total.output is not None
    knew_tokens = before.input is not None or before.output is not None
    return Usage(
        total.known if tells_tokens or not knew_tokens else before.known,
        input=_newer(before.input, total.input),
        output=_newer(before.output, total.output),
        cached_read=_newer(before.cached_read, total.cached_read),
        cached_write=_newer(before.cached_write, total.cached_write),
        reasoning=_newer(before.reasoning, total.reasoning),
        cost=_newer(before.cost, total.cost),
        currency=total.currency or before.currency,
        turns=_newer(before.turns, total.turns),
    )


def _sum(one: _Number | None, other: _Number | None) -> _Number | None:
    if one is None or other is None:
        return other if one is None else one
    return one + other


def _newer(before: _Number | None, told: _Number | None) -> _Number | None:
    return before if told is None else told
