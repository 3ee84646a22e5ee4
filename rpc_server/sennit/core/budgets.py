"""What a run may use up, and whether it has."""

from __future__ import annotations

from attrs import frozen

from sennit.core.agent_report import Report
from sennit.core.counted import counted
from sennit_protocol.agents import Usage
from sennit_protocol.tasks import Budget


@frozen
class Used:
    """What a run has used so far, as far as its agent tells; None is unknown."""

    turns: int
    elapsed_ms: int
    tokens: int | None = None
    cost: float | None = None
    currency: str = ""


def used(report: Report, elapsed_ms: int) -> Used:
    """Count what a run has used.

    A turn is a call of the model, or of a tool where only those are told; each counts by its
    beginning, whatever it is called.
    """
    usage = report.usage
    calls = 0 if usage is None or usage.turns is None else usage.turns
    return Used(
        turns=max(calls, report.tool_count),
        elapsed_ms=elapsed_ms,
        tokens=None if usage is None else _tokens(usage),
        cost=None if usage is None else usage.cost,
        currency="" if usage is None or usage.currency is None else f" {usage.currency}",
    )


def overspent(budget: Budget, so_far: Used) -> str | None:
    """Say which part of a budget is spent; None while there is something left of each."""
    if budget.turns is not None and so_far.turns >= budget.turns:
        return f"its budget of {counted(budget.turns, 'turn')} is spent"
    if budget.tokens is not None and (so_far.tokens or 0) >= budget.tokens:
        return f"its budget of {counted(budget.tokens, 'token')} is spent: {so_far.tokens}"
    if budget.cost is not None and (so_far.cost or 0.0) >= budget.cost:
        return f"its budget of {budget.cost:g} is spent: {so_far.cost:g}{so_far.currency}"
    if budget.time_ms is not None and so_far.elapsed_ms >= budget.time_ms:
        return f"its budget of {budget.time_ms} ms is spent"
    return None


def wrap_up(why: str, turns: int) -> str:
    """What an agent is told whose budget is spent."""
    return (
        f"Stop here: {why}. Leave the files in a state that makes sense, in at most {turns} more "
        "turns, start nothing new, and end with what is done and what is not."
    )


def _tokens(usage: Usage) -> int:
    return sum(
        part
        for part in (usage.input, usage.output, usage.cached_read, usage.cached_write)
        if part is not None
    )
