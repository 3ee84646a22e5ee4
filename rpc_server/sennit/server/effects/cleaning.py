"""``RemoveWorkspaces``: what was dropped or is needed no more goes, if it is provably ours."""

from __future__ import annotations

from sennit.adapters.git.delete import Deleted, Kept, NotDeleted, delete_workspace
from sennit.adapters.git.store import Store, release
from sennit.adapters.runs.values import UnknownRunError
from sennit.core.engine.commands import RemoveWorkspaces
from sennit.core.engine.events import Event, WorkspacesRemoved
from sennit.core.engine.step_values import Issued
from sennit.core.objects import GitFailed
from sennit.core.uris import display
from sennit.core.views import exact_timestamp
from sennit.runtime.ports import Report
from sennit.server.failures import git_failed
from sennit.server.services import Services
from sennit_protocol.ids import RunId
from sennit_protocol.states import FailureKind
from sennit_protocol.views import Failure


async def remove_workspaces(services: Services, issued: Issued, _report: Report) -> Event:
    """Delete the workspaces of runs; what cannot be deleted is named and stays."""
    command: RemoveWorkspaces = issued.command
    problems: list[str] = []
    for ref in command.repositories:
        opened = await services.repositories.open(ref, exact_timestamp(services.clock.now_ms()))
        if isinstance(opened, GitFailed):
            problems.append(git_failed(opened))
            continue
        for run in command.runs:
            problems.extend(await _remove(services, opened.store, run))
    for run in command.runs:
        problems.extend(await _remove_record(services, run))
    failure = Failure(FailureKind.SETUP, " ".join(problems)) if problems else None
    return services.event(WorkspacesRemoved, issued.id, ticket=command.ticket, failure=failure)


async def _remove(services: Services, store: Store, run: RunId) -> list[str]:
    deleted = await delete_workspace(store, run, services.owner)
    match deleted:
        case GitFailed():
            return [f"The workspace of {run} stays: {deleted.stderr}"]
        case NotDeleted(reason=reason, where=where):
            if reason is Kept.NOT_OURS and not (services.folders.workspaces / run).exists():
                return []
            return [f"The workspace of {run} stays ({reason.value}): {display(where)}"]
        case Deleted():
            failed = await release(services.git, store, f"runs/{run}")
            return [] if failed is None else [f"{run}: {failed.stderr}"]


async def _remove_record(services: Services, run: RunId) -> list[str]:
    try:
        await services.executor.release(run)
        await services.executor.delete(run)
    except (UnknownRunError, FileNotFoundError):
        # The run never came to a record, or an earlier sweep has taken it.
        return []
    return []
