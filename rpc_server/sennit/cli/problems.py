"""Problems as the protocol lists them, each with what would be valid."""

from __future__ import annotations

import re
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
    """Say where it is and what is wrong, as the text of an error of the server does."""
    return f"{problem.path}: {problem.message}" if problem.path else problem.message


def with_valid(problem: Problem) -> str:
    """Say in a sentence where it is, what is wrong, and what would be valid."""
    if not problem.valid:
        return _sentence(problem)
    named = ", ".join(problem.valid[:_MOST_VALID])
    more = len(problem.valid) - _MOST_VALID
    rest = f" and {more} more" if more > 0 else ""
    return f"{_sentence(problem).rstrip('.')}. Valid: {named}{rest}."


def _sentence(problem: Problem) -> str:
    """Make one of the place and what is said of it; after a line of a file stands a colon."""
    of_a_line = ": " in problem.path
    if not problem.path or of_a_line or not _PREDICATE.match(problem.message):
        return told(problem)
    return f"{problem.path} {problem.message}"


_PREDICATE = re.compile(r"(belongs|has|holds|is|means|must|names|stands|was) ")
"""The beginning of a message that goes on with a sentence whose subject is the place."""
