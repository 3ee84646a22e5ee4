"""Has the agent of a layered workspace started where that is mounted."""

from __future__ import annotations

from pathlib import Path

import anyio.to_thread
from attrs import evolve, frozen

from sennit.adapters.git.records import read_record, work_folder
from sennit.adapters.git.store import Store
from sennit.adapters.overlay.layers import Layers
from sennit.adapters.runs.values import RunSpec
from sennit.adapters.workspaces.leases import holds, lock_of_lower
from sennit.core.engine.commands import StartRun
from sennit.core.engine.rows import RunRow
from sennit.core.objects import GitFailed
from sennit.core.views import exact_timestamp
from sennit.server.effects.preparing import workspace_name
from sennit.server.failures import git_failure
from sennit.server.services import Services


@frozen
class LayersGone:
    """What the workspace is a layer over is not there any more; the message is for a person."""

    message: str


async def layered(services: Services, command: StartRun, spec: RunSpec) -> RunSpec | LayersGone:
    """Tell the run about the layers of its workspace, if it has any."""
    run = services.state.the(RunRow, command.run)
    name = workspace_name(run.folder or b"", services.folders.workspaces)
    if name is None:
        return spec
    task = services.state.task(command.ticket, command.task).spec
    at = exact_timestamp(services.clock.now_ms())
    opened = await services.repositories.open(task.repository, at)
    if isinstance(opened, GitFailed):
        return LayersGone(git_failure(opened).message)
    found = await anyio.to_thread.run_sync(_layers, opened.store, name)
    return found if isinstance(found, LayersGone) else evolve(spec, layers=found)


def _layers(store: Store, name: str) -> Layers | LayersGone | None:
    record = read_record(store, name)
    if record is None or not record.lower:
        return None
    if not holds(store, name):
        return LayersGone(
            f"The workspace {record.folder} is a layer over a checkout that has changed since: "
            "dispatch the task again."
        )
    return Layers(Path(record.lower), record.folder, work_folder(record), lock_of_lower(store))
