"""``sennit/materialise``: a plain checkout of a task's work, to look around in."""

from __future__ import annotations

from sennit.adapters.git.workspace import make_checkout
from sennit.core.engine.rows import RevisionRow
from sennit.core.objects import GitFailed, Manifest, Snapshot
from sennit.server.errors import git_error, task_or_error
from sennit.server.jsonrpc import Context
from sennit.server.methods.proposals import opened_for
from sennit.server.services import Services
from sennit_protocol.errors import ErrorCode, RpcError
from sennit_protocol.ids import IdKind
from sennit_protocol.texts import MaterialiseParams, MaterialiseResult


async def materialise(
    services: Services, _context: Context, params: MaterialiseParams
) -> MaterialiseResult | RpcError:
    """Check the newest revision of a task out into a folder of its own."""
    task = task_or_error(services, params.ticket, params.task)
    if isinstance(task, RpcError):
        return task
    revision: RevisionRow | None = services.state.revision_of(task)
    if revision is None:
        message = f"The task {task.id} is {task.state.value} and has no revision to check out yet."
        return RpcError(ErrorCode.WRONG_STATE, message)
    opened = await opened_for(services, revision)
    if isinstance(opened, RpcError):
        return opened
    name = f"look-{services.new_id(IdKind.RUN)}"
    made = await make_checkout(
        services.git,
        opened.store,
        opened.repository,
        Snapshot(revision.commit, revision.tree, Manifest(None, None)),
        services.folders.looks / name,
        owner=services.owner,
    )
    return git_error(made) if isinstance(made, GitFailed) else MaterialiseResult(str(made.folder))
