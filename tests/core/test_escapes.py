"""What counts as a change by the agent's own word, and what a run is told that made one outside."""

from __future__ import annotations

import pytest

from sennit.core.agent_report import ToolSeen
from sennit.core.escapes import Evidence, claims, escape_of
from sennit_protocol.agents import ToolKind, ToolStatus
from sennit_protocol.states import FailureKind
from sennit_protocol.views import Failure

DONE = ToolStatus.COMPLETED


@pytest.mark.parametrize(
    ("kind", "status", "counts"),
    [
        (ToolKind.EDIT, DONE, True),
        (ToolKind.DELETE, DONE, True),
        (ToolKind.MOVE, DONE, True),
        (ToolKind.READ, DONE, False),
        (ToolKind.EXECUTE, DONE, False),
        (ToolKind.EDIT, ToolStatus.FAILED, False),
        (ToolKind.EDIT, ToolStatus.PENDING, False),
    ],
)
def test_only_a_change_that_was_carried_out_is_claimed(
    kind: ToolKind, status: ToolStatus, *, counts: bool
) -> None:
    seen = ToolSeen("1", "do it", kind, status, ("/x",))
    assert bool(claims([seen])) is counts


def test_a_run_with_evidence_is_escaped_and_says_what_else_went_wrong() -> None:
    other = Failure(FailureKind.EXIT, "It ended with 1.")
    assert escape_of((), other) is other
    failure = escape_of([Evidence(f"/x{number}", "write") for number in range(7)], other)
    assert failure is not None
    assert failure.kind is FailureKind.ESCAPED
    assert "/x0 by `write`" in failure.message
    assert "and 2 more" in failure.message
    assert "It ended with 1." in failure.message
