from __future__ import annotations

from sennit.adapters.runs.values import EndCause, Exited
from sennit.server.escaping import began_ns

HOUR = 3_600_000


def ended(started_at: int, ended_at: int) -> Exited:
    return Exited(0, None, 0, False, started_at, ended_at, (), EndCause.EXITED)


def test_what_was_written_since_a_run_began_counts() -> None:
    assert began_ns(ended(HOUR, HOUR + 1)) == HOUR * 1_000_000


def test_all_that_an_agent_says_counts_where_the_clock_was_set_back() -> None:
    assert began_ns(ended(2 * HOUR, HOUR)) == 0
