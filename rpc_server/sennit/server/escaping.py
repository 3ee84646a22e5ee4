"""Whether the agent of a run has changed something outside its workspace, by evidence alone."""

from __future__ import annotations

import os

import anyio.to_thread

from sennit.adapters.agents.escapes import Ground, evidence_of
from sennit.adapters.runs.values import Exited
from sennit.core.agent_report import Report
from sennit.core.engine.events import RunNoted
from sennit.core.engine.rows import RunRow
from sennit.core.escapes import Evidence, claims, told_of
from sennit.core.objects import GitFailed
from sennit.core.views import exact_timestamp
from sennit.server.layering import LayersGone, follower, layers_of_run
from sennit.server.services import Services

_NS = 1_000_000


async def escapes(
    services: Services, run: RunRow, end: Exited, report: Report
) -> tuple[Evidence, ...]:
    """What the agent changed outside; it is told in the story of its task."""
    claimed = claims(report.calls)
    if not claimed or run.folder is None:
        return ()
    ground = await _ground(services, run, end)
    found = await anyio.to_thread.run_sync(evidence_of, claimed, ground)
    if found:
        text = f"has changed what lies outside its workspace: {told_of(found)}"
        await services.tell(RunNoted, run=run.id, text=text)
    return found


async def _ground(services: Services, run: RunRow, end: Exited) -> Ground:
    spec = services.state.task(run.ticket, run.task).spec
    home = services.environ.get("HOME", "")
    guarded = [os.fsdecode(spec.repository.top)]
    at = exact_timestamp(services.clock.now_ms())
    opened = await services.repositories.open(spec.repository, at)
    if not isinstance(opened, GitFailed):
        guarded += [str(opened.repository.git_dir), str(opened.repository.common_dir)]
    own = [
        folder.replace("~", home, 1) if folder.startswith("~/") else folder
        for folder in spec.agent.state_folders
    ]
    temporary = services.environ.get("TMPDIR") or "/tmp"  # noqa: S108  where POSIX has it
    layers = await layers_of_run(services, run)
    return Ground(
        workspace=services.workspace_of(run.id),
        folder=services.folder_of(run.id),
        allowed=(*own, temporary, str(services.folders.runs / run.id)),
        guarded=tuple(guarded),
        since_ns=began_ns(end),
        # Without the layers nobody can tell of what the agent saw; of the rest links are followed.
        follow=follower(None if isinstance(layers, LayersGone) else layers),
    )


def began_ns(end: Exited) -> int:
    """When a run began, by the clock of files, in nanoseconds since 1970.

    Where the clock was set back meanwhile nobody can tell: then all that it says it wrote counts.
    """
    return end.started_at * _NS if end.started_at <= end.ended_at else 0
