"""When a run that failed is done again by itself, and after how long."""

from __future__ import annotations

from sennit_protocol.states import FailureKind, Phase
from sennit_protocol.views import Failure

FIRST_BACKOFF_MS = 1_000
LONGEST_BACKOFF_MS = 60_000

_PASSING = frozenset({
    FailureKind.PROTOCOL, FailureKind.SIGNAL, FailureKind.STALLED, FailureKind.MODEL_ERROR,
})  # fmt: skip
"""What may be different the next time, whatever the agent had been told."""
_BEFORE_ITS_TASK = _PASSING | {FailureKind.EXIT}
"""The same for an agent that was not given its task yet: such a start is repeated safely."""


def is_passing(failure: Failure, *, given: bool) -> bool:
    """Whether a failure may pass; ``given``: whether the agent had been given its task."""
    if failure.kind is FailureKind.TIMEOUT:
        return failure.phase is Phase.STARTING
    return failure.kind in (_PASSING if given else _BEFORE_ITS_TASK)


def backoff_ms(retry: int, chance: float) -> int:
    """How long to wait before a retry, the first of which is 1: doubled each time, with jitter.

    ``chance`` is between 0 and 1; it keeps tasks that failed together from coming back together.
    """
    most: int = min(LONGEST_BACKOFF_MS, FIRST_BACKOFF_MS << (retry - 1))
    return int(most * (0.7 + 0.3 * chance))
