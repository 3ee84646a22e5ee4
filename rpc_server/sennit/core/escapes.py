"""Evidence that an agent changed something outside its workspace, by its own account.

That something outside has changed is no evidence: people save and commit meanwhile. That the agent
says that its tool changed it is none either: it may have been kept from it. Both together are.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from attrs import frozen

from sennit.core.agent_report import ToolSeen
from sennit_protocol.agents import ToolKind, ToolStatus
from sennit_protocol.states import FailureKind
from sennit_protocol.views import Failure

MOST_NAMED = 5
_CHANGING = frozenset({ToolKind.EDIT, ToolKind.DELETE, ToolKind.MOVE})


@frozen
class Claimed:
    """A path that a tool of the agent has changed, as the agent tells."""

    path: str
    tool: str
    is_removed: bool = False


@frozen
class Evidence:
    """A path outside the workspace that a tool has changed, by the agent's word and on the disk."""

    path: str
    tool: str


def claims(tools: Iterable[ToolSeen]) -> tuple[Claimed, ...]:
    """What tools that have done their work say they have changed."""
    done = (each for each in tools if each.status is ToolStatus.COMPLETED)
    return tuple(
        Claimed(path, each.title or each.kind.value, each.kind is not ToolKind.EDIT)
        for each in done
        if each.kind in _CHANGING
        for path in each.paths
    )


def escape_of(evidence: Sequence[Evidence], before: Failure | None) -> Failure | None:
    """Why the run failed, now that this was found; what else went wrong is told behind it."""
    if not evidence:
        return before
    rest = "" if before is None else f" Beside that: {before.message}"
    message = (
        f"The agent changed what lies outside its workspace: {told_of(evidence)}. What it left in"
        " its workspace is kept; look at what it changed outside, which nothing here takes back."
        f"{rest}"
    )
    return Failure(FailureKind.ESCAPED, message)


def told_of(evidence: Sequence[Evidence]) -> str:
    """The paths and the tools that changed them."""
    named = ", ".join(f"{one.path} by `{one.tool}`" for one in evidence[:MOST_NAMED])
    more = len(evidence) - MOST_NAMED
    return f"{named} and {more} more" if more > 0 else named
