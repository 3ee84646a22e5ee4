"""Sorts what providers of models say when they refuse: not signed in, at a limit, anything else."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import UTC, datetime

from sennit.core.agent_events import Failed
from sennit_protocol.states import FailureKind

_LONGEST = 1_000
_LONGEST_READ = 10_000
_UNAUTHORISED, _TOO_MANY = 401, 429

_NOT_SIGNED_IN = re.compile(
    r"""(?ix)
      \b un-?authori[sz]ed \b | \b unauthenticated \b
    | \b not \s (?: logged | signed ) \s in \b | \b not \s authenticated \b
    | \b authentication [\s_] ?(?: failed | required | error ) | AuthenticationError
    | \b (?: invalid | incorrect | missing | no | expired | malformed ) \s (?: x- )? api [\s_-]? key
    | \b api [\s_-]? key \s (?: not \s (?: found | valid | set ) | is \s (?: missing | invalid
        | not \s set ) | expired | invalid )
    | \b API_KEY_INVALID \b | \b invalid \s auth
    | \b please \s (?: run \s )? \S{0,20} \s? (?: log \s? in | sign \s in | login ) \b
    | \b oauth \s token \s (?: has \s )? expired
    | \b must \s (?: specify | set ) \s the \s [A-Z_]+_API_KEY
    | (?: http | status (?: \s code )? | code | error ) ["']? \s? [:=]? \s* 401 \b
    """
)
_RATE_LIMITED = re.compile(
    r"""(?ix)
      \b rate [\s_-]? limit | RateLimitError | \b too \s many \s requests
    | \b usage [\s_] limit | \b limit \s reached | \b hit \s your \s limit
    | \b quota \s (?: exceeded | exhausted ) | \b exceeded \s your \s (?: current \s )? quota
    | \b insufficient_quota | \b RESOURCE_EXHAUSTED | \b credit \s balance \s is \s too \s low
    | (?: http | status (?: \s code )? | code | error ) ["']? \s? [:=]? \s* 429 \b
    """
)
_BARE_NUMBER = {
    re.compile(r"\b401\b"): FailureKind.NOT_SIGNED_IN,
    re.compile(r"\b429\b"): FailureKind.RATE_LIMITED,
}
_EPOCH = re.compile(r"\|(1[0-9]{9})(?:[0-9]{3})?\b")
_DATE = re.compile(
    r"(?i)(?:reset|again|until)[^0-9\n]{0,40}"
    r"(20[0-9]{2}-[0-9]{2}-[0-9]{2}[T ][0-9:]{5,8}(?:\.[0-9]{1,6})?(?:Z|[+-][0-9]{2}:?[0-9]{2})?)"
)


def model_failure(message: str, status: int | None = None) -> Failed:
    """Sort an error message of a model or its provider; ``status`` is that of HTTP, if told."""
    message = message.strip()[:_LONGEST_READ]
    told = message[:_LONGEST]
    if status == _UNAUTHORISED:
        return Failed(FailureKind.NOT_SIGNED_IN, told)
    if status == _TOO_MANY:
        return Failed(FailureKind.RATE_LIMITED, told, reset_time(message))
    kind = _kind(message) or _kind_of_number(message) or FailureKind.MODEL_ERROR
    resets_at = reset_time(message) if kind is FailureKind.RATE_LIMITED else None
    return Failed(kind, told, resets_at)


def telling_line(lines: Iterable[str]) -> Failed | None:
    """Find the last line of a program's output that tells of a model that refused.

    Other than in an error message, a bare number means nothing here.
    """
    for line in reversed(tuple(lines)):
        if kind := _kind(line[:_LONGEST]):
            return Failed(kind, line.strip()[:_LONGEST], reset_time(line[:_LONGEST]))
    return None


def reset_time(message: str) -> int | None:
    """Find the time at which a limit ends, in ms since 1970; only a full date counts as told."""
    if found := _EPOCH.search(message):
        return int(found[1]) * 1_000
    if found := _DATE.search(message):
        try:
            moment = datetime.fromisoformat(found[1])
        except ValueError:
            return None
        return int((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp() * 1_000)
    return None


def _kind(message: str) -> FailureKind | None:
    if _NOT_SIGNED_IN.search(message):
        return FailureKind.NOT_SIGNED_IN
    return FailureKind.RATE_LIMITED if _RATE_LIMITED.search(message) else None


def _kind_of_number(message: str) -> FailureKind | None:
    return next((kind for number, kind in _BARE_NUMBER.items() if number.search(message)), None)
