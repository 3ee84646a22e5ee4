"""Has the agent of a layered workspace started where that is mounted."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path

import anyio.to_thread
from attrs import evolve, frozen

from sennit.adapters.agents.acp.places import Follow
from sennit.adapters.git.records import read_record, work_folder
from sennit.adapters.git.store import Store
from sennit.adapters.overlay.layers import Layers
from sennit.adapters.overlay.seeing import real_path_in
from sennit.adapters.runs.values import RunSpec
from sennit.adapters.workspaces.leases import holds, lock_of_lower
from sennit.core.engine.commands import StartRun
from sennit.core.engine.rows import RunRow
from sennit.core.objects import GitFailed
from sennit.core.views import exact_timestamp
from sennit.server.failures import git_failure
from sennit.server.services import Services
from sennit.server.workspace_names import workspace_name


@frozen
class LayersGone:
    """What the workspace is a layer over is not there any more; the message is for a person."""

    message: str


async def layered(services: Services, command: StartRun, spec: RunSpec) -> RunSpec | LayersGone:
    """Tell the run about the layers of its workspace, if it has any."""
    found = await layers_of_run(services, services.state.the(RunRow, command.run))
    return found if isinstance(found, LayersGone) else evolve(spec, layers=found)


async def layers_of_run(services: Services, run: RunRow) -> Layers | LayersGone | None:
    """Tell what is, or was, mounted for the agent of a run; None where nothing is."""
    name = workspace_name(run.folder or b"", services.folders.workspaces)
    if name is None:
        return None
    task = services.state.task(run.ticket, run.task).spec
    at = exact_timestamp(services.clock.now_ms())
    opened = await services.repositories.open(task.repository, at)
    if isinstance(opened, GitFailed):
        return LayersGone(git_failure(opened).message)
    return await anyio.to_thread.run_sync(layers_of, opened.store, name)


def follower(layers: Layers | None) -> Follow:
    """Give what follows the links of a path as somebody in the workspace does."""
    return os.path.realpath if layers is None else partial(real_path_in, layers)


def layers_of(store: Store, name: str) -> Layers | LayersGone | None:
    """Tell what has to be mounted for whoever works in a workspace; None if nothing has; blocks."""
    record = read_record(store, name)
    if record is None or not record.lower:
        return None
    if not holds(store, name):
        return LayersGone(
            f"The workspace {record.folder} is a layer over a checkout that has changed since: "
            "dispatch the task again."
        )
    return Layers(Path(record.lower), record.folder, work_folder(record), lock_of_lower(store))
