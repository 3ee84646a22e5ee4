"""``sennit/overlaps``: where proposals, and what running agents have done so far, meet."""

from __future__ import annotations

from collections.abc import Iterator

import anyio.to_thread
from attrs import evolve, frozen

from sennit.adapters.git.capture import WorkspaceGone
from sennit.adapters.git.whole_capture import peek_whole
from sennit.adapters.git.workspace import find_workspace
from sennit.core.engine.following import begun_on, is_newest
from sennit.core.engine.rows import RepositoryRef, RevisionRow, RunRow
from sennit.core.objects import GitFailed
from sennit.core.overlaps import Meeting, Pair, Work, pairs, work_of
from sennit.core.uris import display, file_uri
from sennit.core.views import concerns, exact_timestamp
from sennit.server.errors import ticket_or_error
from sennit.server.jsonrpc import Context
from sennit.server.methods.tickets import folder_or_error, limit_error
from sennit.server.repositories import Opened
from sennit.server.services import Services
from sennit_protocol.conflicts import LineRange
from sennit_protocol.errors import RpcError
from sennit_protocol.overlap import (
    FileOverlap,
    Overlap,
    OverlapsParams,
    OverlapsResult,
    Worker,
)
from sennit_protocol.states import ApplicationState, Integration, Review, RunState
from sennit_protocol.views import Notice

MOST_PAIRS = 10_000
_CLAIMS_FILES = frozenset({
    Integration.PENDING, Integration.CLEAN, Integration.CONFLICT, Integration.RETAINED,
})  # fmt: skip


_WRITES = frozenset({RunState.STARTING, RunState.RUNNING, RunState.STOPPING})


async def overlaps(
    services: Services, _context: Context, params: OverlapsParams
) -> OverlapsResult | RpcError:
    """Compare each piece of open work with each other one."""
    wrong = limit_error(params.limit, MOST_PAIRS)
    if wrong is not None:
        return wrong
    if params.ticket is not None:
        ticket = ticket_or_error(services, params.ticket)
        if isinstance(ticket, RpcError):
            return ticket
    folder = folder_or_error(params.folder)
    if isinstance(folder, RpcError):
        return folder
    sources = [*_proposals(services, folder), *(_runs(services, folder) if params.running else ())]
    works: list[Work] = []
    workers: list[Worker] = []
    notices: list[Notice] = []
    for source in sources:
        found = await _work(services, source)
        if isinstance(found, Notice):
            notices.append(found)
        else:
            works.append(found)
            workers.append(source.worker)
    met = await anyio.to_thread.run_sync(pairs, works)
    asked = [
        pair
        for pair in met
        if params.ticket is None
        or params.ticket in {workers[pair.one].ticket, workers[pair.other].ticket}
    ]
    views = tuple(_overlap(works, workers, pair) for pair in asked[: params.limit])
    return OverlapsResult(views, len(asked), tuple(notices))


@frozen
class _Source:
    """A piece of work that is to be looked at: a revision's trees, or a run's workspace."""

    worker: Worker
    repository: RepositoryRef
    base: str
    tree: str | None = None
    workspace: str = ""
    revision: str | None = None


def _proposals(services: Services, folder: bytes | None) -> Iterator[_Source]:
    for row in sorted(services.state.rows(RevisionRow), key=lambda one: one.turn):
        is_open = row.review is not Review.REJECTED and row.integration in _CLAIMS_FILES
        is_through = row.application is ApplicationState.APPLIED
        is_meant = is_newest(services.state, row) and concerns(services.state, row.ticket, folder)
        if is_open and not is_through and is_meant:
            worker = Worker(row.ticket, row.task, row.proposal)
            yield _Source(worker, row.repository, row.base_tree, row.tree, revision=row.id)


def _runs(services: Services, folder: bytes | None) -> Iterator[_Source]:
    for row in sorted(services.state.rows(RunRow), key=lambda one: (one.requested_at, one.id)):
        # Its workspace is there before its start is known, and until its end is.
        has_workspace = row.state in _WRITES and row.folder is not None
        if has_workspace and concerns(services.state, row.ticket, folder):
            spec = services.state.task(row.ticket, row.task).spec
            yield _Source(
                Worker(row.ticket, row.task),
                spec.repository,
                row.base_tree or "",
                workspace=row.workspace,
            )


async def _work(services: Services, source: _Source) -> Work | Notice:
    now = exact_timestamp(services.clock.now_ms())
    opened = await services.repositories.open(source.repository, now)
    if isinstance(opened, GitFailed):
        return _not_seen(source, opened.stderr)
    tree = await _tree(services, opened, source)
    if isinstance(tree, GitFailed):
        return _not_seen(source, tree.stderr)
    changes = await services.revisions.changes(services, opened, source.base, tree)
    if isinstance(changes, GitFailed):
        return _not_seen(source, changes.stderr)
    task = services.state.task(source.worker.ticket, source.worker.task)
    work = work_of(source.worker.task, source.repository.top, source.base, changes)
    return evolve(work, revision=source.revision, holds=begun_on(services.state, task))


async def _tree(services: Services, opened: Opened, source: _Source) -> str | GitFailed:
    if source.tree is not None:
        return source.tree
    workspace = find_workspace(opened.store, source.workspace)
    if workspace is None:
        return GitFailed("look into a workspace", None, "it is not there")
    seen = await peek_whole(services.git, opened.store, workspace)
    if isinstance(seen, WorkspaceGone):
        return GitFailed("look into a workspace", None, "its folder is gone")
    return seen


def _not_seen(source: _Source, why: str) -> Notice:
    worker = source.worker
    return Notice(f"{worker.ticket}/{worker.task} could not be looked at: {why.strip()}")


def _overlap(works: list[Work], workers: list[Worker], pair: Pair) -> Overlap:
    top = works[pair.one].repository
    files = tuple(_file(top, one) for one in pair.meetings)
    return Overlap(workers[pair.one], workers[pair.other], files)


def _file(top: bytes, meeting: Meeting) -> FileOverlap:
    lines = tuple(LineRange(hunk.before_start, hunk.before_count) for hunk in meeting.lines)
    path = meeting.path
    return FileOverlap(display(path), file_uri(top + b"/" + path), meeting.kind, lines)
