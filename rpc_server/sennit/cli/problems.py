"""Problems as the protocol lists them, each with what would be valid."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sennit_protocol.errors import Problem

_MOST_VALID = 30
"""What would be valid is named up to this many; --json has all of it."""


def problems_in(data: object) -> tuple[Problem, ...]:
    """Read the problems from the data of an error; none where it lists none."""
    listed = data.get("problems") if isinstance(data, Mapping) else None
    if not isinstance(listed, list):
        return ()
    return tuple(_problem(each) for each in listed if isinstance(each, Mapping))


def _problem(value: Mapping[str, Any]) -> Problem:
    valid = tuple(map(str, value.get("valid") or ()))
    return Problem(str(value.get("path") or ""), str(value.get("message") or ""), valid)


def told(problem: Problem) -> str:
    """Say where it is and what is wrong."""
    return f"{problem.path}: {problem.message}" if problem.path else problem.message


def with_valid(problem: Problem) -> str:
    """Say where it is, what is wrong, and what would be valid."""
    if not problem.valid:
        return told(problem)
    named = ", ".join(problem.valid[:_MOST_VALID])
    more = len(problem.valid) - _MOST_VALID
    rest = f" and {more} more" if more > 0 else ""
    return f"{told(problem).rstrip('.')}. Valid: {named}{rest}."
