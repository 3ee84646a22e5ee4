"""``sennit/materialise``: a plain checkout of a task's work, to look around in."""

from __future__ import annotations

import os

from sennit.adapters.git.capture import WorkspaceGone
from sennit.adapters.git.commits import commit_tree
from sennit.adapters.git.whole_capture import peek_whole
from sennit.adapters.git.workspace import find_workspace, make_checkout
from sennit.core.engine.rows import RepositoryRef, RevisionRow, RunRow, TaskRow
from sennit.core.objects import GitFailed, Manifest, Snapshot
from sennit.core.views import exact_timestamp
from sennit.server.checkouts import PREFIX
from sennit.server.errors import git_error, task_or_error
from sennit.server.jsonrpc import Context
from sennit.server.repositories import Opened
from sennit.server.services import Services
from sennit_protocol.errors import ErrorCode, RpcError
from sennit_protocol.ids import IdKind
from sennit_protocol.states import RunState
from sennit_protocol.texts import MaterialiseParams, MaterialiseResult

_AT_WORK = frozenset({RunState.STARTING, RunState.RUNNING, RunState.STOPPING})
_MESSAGE = b"What a task had done when somebody looked\n"


async def materialise(
    services: Services, _context: Context, params: MaterialiseParams
) -> MaterialiseResult | RpcError:
    """Check what a task has done out into a folder of its own; of a running one, so far."""
    task = task_or_error(services, params.ticket, params.task)
    if isinstance(task, RpcError):
        return task
    run = services.state.the(RunRow, task.runs[-1]) if task.runs else None
    revision: RevisionRow | None = services.state.revision_of(task)
    if run is not None and run.state in _AT_WORK and run.folder is not None:
        return await _so_far(services, task, run)
    if revision is None:
        message = f"The task {task.id} is {task.state.value} and has no revision to check out yet."
        return RpcError(ErrorCode.WRONG_STATE, message)
    opened = await _opened(services, revision.repository)
    if isinstance(opened, GitFailed):
        return git_error(opened)
    return await _checked_out(services, opened, revision.commit, revision.tree)


async def _so_far(services: Services, task: TaskRow, run: RunRow) -> MaterialiseResult | RpcError:
    opened = await _opened(services, task.spec.repository)
    if isinstance(opened, GitFailed):
        return git_error(opened)
    workspace = find_workspace(opened.store, run.workspace)
    seen = None if workspace is None else await peek_whole(services.git, opened.store, workspace)
    if workspace is None or seen is None or isinstance(seen, WorkspaceGone):
        folder = os.fsdecode(run.folder or b"")
        message = f"The workspace {folder} of the task {task.id} is not there any more."
        return RpcError(ErrorCode.WRONG_STATE, message)
    if isinstance(seen, GitFailed):
        return git_error(seen)
    now = services.clock.now_ms() // 1000
    commit = await commit_tree(services.git, opened.store, seen, workspace.base, now, _MESSAGE)
    if isinstance(commit, GitFailed):
        return git_error(commit)
    return await _checked_out(services, opened, commit, seen)


async def _opened(services: Services, repository: RepositoryRef) -> Opened | GitFailed:
    at = exact_timestamp(services.clock.now_ms())
    return await services.repositories.open(repository, at)


async def _checked_out(
    services: Services, opened: Opened, commit: str, tree: str
) -> MaterialiseResult | RpcError:
    name = f"{PREFIX}{services.new_id(IdKind.RUN)}"
    made = await make_checkout(
        services.git,
        opened.store,
        opened.repository,
        Snapshot(commit, tree, Manifest(None, None)),
        services.folders.looks / name,
        owner=services.owner,
    )
    return git_error(made) if isinstance(made, GitFailed) else MaterialiseResult(str(made.folder))
