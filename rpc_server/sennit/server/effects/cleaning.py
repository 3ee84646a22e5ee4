"""``RemoveWorkspaces``: what was dropped or is needed no more goes, if it is provably ours."""

from __future__ import annotations

import os

import anyio

from sennit.adapters.git.delete import Deleted, Kept, NotDeleted
from sennit.adapters.git.files import in_thread
from sennit.adapters.git.records import read_record
from sennit.adapters.git.store import Store, release
from sennit.adapters.runs.values import UnknownRunError
from sennit.adapters.setup_command import log_of
from sennit.adapters.workspaces.in_use import in_use
from sennit.adapters.workspaces.spares import Spared, release_workspace
from sennit.core.engine.commands import RemoveWorkspaces
from sennit.core.engine.events import Event, WorkspacesRemoved
from sennit.core.engine.following import is_worked_in
from sennit.core.engine.releasing import is_free
from sennit.core.engine.step_values import Issued
from sennit.core.objects import GitFailed
from sennit.core.uris import display
from sennit.core.views import exact_timestamp
from sennit.runtime.ports import Report
from sennit.server.failures import git_failed
from sennit.server.services import Services
from sennit.server.workspace_kinds import room_for_spares
from sennit_protocol.ids import RunId
from sennit_protocol.states import FailureKind
from sennit_protocol.views import Failure


async def remove_workspaces(services: Services, issued: Issued, _report: Report) -> Event:
    """Delete the workspaces of runs; what cannot be deleted is named and stays."""
    command: RemoveWorkspaces = issued.command
    problems: list[str] = []
    staying: set[str] = set()
    for ref in command.repositories:
        opened = await services.repositories.open(ref, exact_timestamp(services.clock.now_ms()))
        if isinstance(opened, GitFailed):
            problems.append(git_failed(opened))
            continue
        for name in command.runs if command.places is None else command.places:
            async with services.places.alone_at(name):
                found = await _unless_needed(services, opened.store, name, command)
            staying |= {name} if found else set()
            problems.extend(found)
        for run in command.runs:
            if run in staying:
                continue
            failed = await release(services.git, opened.store, f"runs/{run}")
            problems.extend([] if failed is None else [f"{run}: {failed.stderr}"])
    for run in command.runs:
        problems.extend(await _remove_record(services, run))
    failure = Failure(FailureKind.SETUP, " ".join(problems)) if problems else None
    return services.event(WorkspacesRemoved, issued.id, ticket=command.ticket, failure=failure)


async def _unless_needed(
    services: Services, store: Store, name: str, command: RemoveWorkspaces
) -> list[str]:
    """Remove a workspace in which nobody has begun to work since it was asked for."""
    if is_worked_in(services.state, name):
        return []
    if command.only_free:
        if not is_free(services.state, name):
            return []
        used = await in_thread("let go of a workspace", _used, store, name)
        if used is not None:
            return []
    return await _remove(services, store, name)


def _used(store: Store, name: str) -> GitFailed | None:
    record = read_record(store, name)
    return None if record is None else in_use("let go of a workspace", record.folder)


async def _remove(services: Services, store: Store, name: str) -> list[str]:
    room = room_for_spares(services.settings.of(b""))
    deleted = await release_workspace(store, name, services.owner, room)
    match deleted:
        case GitFailed():
            return [f"The workspace {name} stays: {deleted.stderr}"]
        case NotDeleted(reason=reason, where=where):
            if reason is Kept.NOT_OURS and not (services.folders.workspaces / name).exists():
                return []
            return [f"The workspace {name} stays ({reason.value}): {display(where)}"]
        case Deleted() | Spared():
            return []


async def _remove_record(services: Services, run: RunId) -> list[str]:
    try:
        await anyio.Path(log_of(services.setups, run)).unlink(missing_ok=True)
        await services.executor.release(run)
        await services.executor.delete(run)
    except (UnknownRunError, FileNotFoundError):
        # The run never came to a record, or an earlier sweep has taken it.
        return []
    except OSError as error:
        where = display(os.fsencode(error.filename or "its folder"))
        return [f"What is known of the run {run} stays: {error.strerror} ({where})."]
    return []
