"""``sennit/content``, ``sennit/output``, ``sennit/run``: texts and records behind tickets."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path

import anyio.to_thread
from attrs import frozen

from sennit.adapters.git.trees import entries_at, read_blob
from sennit.adapters.small_files import regular_file
from sennit.core.engine.rows import RevisionRow, RunRow, TaskRow
from sennit.core.objects import Entry, GitFailed
from sennit.core.uris import (
    BadUri,
    RevisionText,
    Side,
    TaskText,
    TextOfTask,
    parse_sennit_uri,
)
from sennit.core.views import run_view
from sennit.server.errors import git_error, task_or_error
from sennit.server.jsonrpc import Context
from sennit.server.methods.proposals import opened_for
from sennit.server.open_documents import relative_to
from sennit.server.sandboxing import sandbox_shown
from sennit.server.services import Services
from sennit.server.shown_paths import ShownPaths, shown_paths
from sennit.server.workspace_kinds import how_shown
from sennit_protocol.errors import ErrorCode, Problem, RpcError, problems_error
from sennit_protocol.ids import RunId
from sennit_protocol.states import RunState
from sennit_protocol.texts import (
    ContentParams,
    ContentResult,
    OutputParams,
    OutputResult,
    RunParams,
    RunResult,
    Stream,
)

LARGEST_PAGE = 1 << 20
_AS_IT_IS = ShownPaths(b"", b"")


async def content(
    services: Services, _context: Context, params: ContentParams
) -> ContentResult | RpcError:
    """The text behind a ``sennit:`` URI."""
    named = parse_sennit_uri(params.uri)
    match named:
        case BadUri(message=message):
            return RpcError(ErrorCode.UNKNOWN_CONTENT, message)
        case TextOfTask():
            return await _text_of_task(services, named)
        case RevisionText():
            return await _revision_text(services, named, params.uri)


async def _revision_text(
    services: Services, named: RevisionText, uri: str
) -> ContentResult | RpcError:
    revision = services.state.get(RevisionRow, named.revision)
    if revision is None:
        message = f"There is no revision {named.revision!r} any more, or there never was."
        return RpcError(ErrorCode.UNKNOWN_CONTENT, message)
    opened = await opened_for(services, revision)
    if isinstance(opened, RpcError):
        return opened
    if named.id is not None:
        known = await read_blob(services.git, opened.store, named.id)
        return git_error(known) if isinstance(known, GitFailed) else text_or_facts(known)
    path = relative_to(revision.repository.top, named.path)
    entry = await _entry(services, revision, path or b"", named.side)
    if isinstance(entry, GitFailed):
        return git_error(entry)
    if entry is None:
        return RpcError(ErrorCode.UNKNOWN_CONTENT, f"{uri}: that side lacks the file.")
    data = await read_blob(services.git, opened.store, entry.id)
    return git_error(data) if isinstance(data, GitFailed) else text_or_facts(data)


async def _entry(
    services: Services, revision: RevisionRow, path: bytes, side: Side
) -> Entry | GitFailed | None:
    settled = (one.conflict for one in revision.resolutions)
    known = (*revision.conflicts, *settled)
    conflict = next((one for one in known if one.path == path), None)
    if side is Side.OURS:
        return None if conflict is None else conflict.ours
    if side is Side.THEIRS and conflict is not None:
        return conflict.theirs
    opened = await opened_for(services, revision)
    if isinstance(opened, RpcError):
        return GitFailed("read a revision", None, opened.message)
    tree = revision.base_tree if side is Side.BASE else revision.tree
    found = await entries_at(services.git, opened.store, tree, (path,))
    return found if isinstance(found, GitFailed) else found.get(path)


def text_or_facts(data: bytes) -> ContentResult:
    """The text of a file; of binary ones size and hash, since a text cannot carry them."""
    if b"\0" not in data:
        return ContentResult(data.decode("utf-8", "replace"))
    digest = hashlib.sha256(data).hexdigest()
    return ContentResult(f"binary, {len(data)} bytes, SHA-256 {digest}\n", binary=True)


async def _text_of_task(services: Services, named: TextOfTask) -> ContentResult | RpcError:
    task = task_or_error(services, named.ticket, named.task)
    if isinstance(task, RpcError):
        return task
    match named.text:
        case TaskText.PROMPT:
            return ContentResult(task.spec.prompt)
        case TaskText.STORY:
            return await _story(services, task)
        case TaskText.OUTPUT | TaskText.TRANSCRIPT:
            return await _written(services, task, Stream.STDOUT)
        case TaskText.ERRORS:
            return await _written(services, task, Stream.STDERR)


async def _written(services: Services, task: TaskRow, stream: Stream) -> ContentResult:
    """The end of what the last run of a task has written."""
    if not task.runs:
        return ContentResult("")
    tail = await services.output_tail(task.runs[-1], LARGEST_PAGE, stream)
    return ContentResult(shown_paths(services, task.runs[-1]).read(tail))


async def _story(services: Services, task: TaskRow) -> ContentResult | RpcError:
    page = await services.story(task.ticket, task.id, 1000)
    if isinstance(page, RpcError):
        return page
    return ContentResult("".join(f"{line.at} {line.message}\n" for line in page.events))


def run_or_error(services: Services, task: TaskRow, run: RunId | None) -> RunRow | RpcError:
    """A run of a task, its last one unless one is named."""
    name = run or (task.runs[-1] if task.runs else None)
    if name is not None and name in task.runs:
        return services.state.the(RunRow, name)
    runs = ", ".join(task.runs) or "none"
    message = f"The task {task.id} has no run {run!r}; its runs: {runs}."
    return RpcError(ErrorCode.UNKNOWN_TASK, message)


def _page_problems(params: OutputParams) -> Iterator[Problem]:
    if not 1 <= params.limit <= LARGEST_PAGE:
        yield Problem("limit", f"is {params.limit}", (f"1 to {LARGEST_PAGE}",))
    if params.offset is not None and params.offset < 0:
        yield Problem("offset", f"is {params.offset}", ("0 or more",))


async def output(
    services: Services, _context: Context, params: OutputParams
) -> OutputResult | RpcError:
    """A page of what an agent wrote; without an offset the end."""
    task = task_or_error(services, params.ticket, params.task)
    if isinstance(task, RpcError):
        return task
    run = run_or_error(services, task, params.run)
    if isinstance(run, RpcError):
        return run
    wrong = tuple(_page_problems(params))
    if wrong:
        return problems_error(ErrorCode.INVALID_PARAMS, "The page cannot be given", wrong)
    file = services.output_file(run.id, params.stream)
    # What is asked for as it is stays so.
    paths = _AS_IT_IS if params.stream is Stream.RAW else shown_paths(services, run.id)
    page = await anyio.to_thread.run_sync(_page, file, params.offset, params.limit, paths)
    return OutputResult(
        text=paths.read(page.data),
        offset=page.offset,
        next_offset=page.offset + len(page.data),
        total=page.total,
        running=run.state in {RunState.STARTING, RunState.RUNNING, RunState.STOPPING},
        truncated=run.output_truncated,
    )


@frozen
class _Page:
    data: bytes
    offset: int
    total: int


def _page(file: Path, offset: int | None, limit: int, paths: ShownPaths) -> _Page:
    with regular_file(file) as stream:
        if stream is None:
            return _Page(b"", 0, 0)
        total = os.fstat(stream.fileno()).st_size
        start = max(0, total - limit) if offset is None else min(offset, total)
        stream.seek(start)
        data = stream.read(limit)
    if start + len(data) < total:
        # A page that is nothing but the beginning of a path is given, or nobody would get on.
        data = _whole_characters(paths.whole(data) or data)
    return _Page(data, start, total)


def _whole_characters(data: bytes) -> bytes:
    """Leave a character that the page cuts in two to the next page."""
    for back in range(1, min(4, len(data)) + 1):
        byte = data[-back]
        if byte < 0x80:  # noqa: PLR2004  ASCII ends the search
            return data
        if byte >= 0xC0:  # noqa: PLR2004  the first byte of a character of UTF-8
            needed = 2 if byte < 0xE0 else 3 if byte < 0xF0 else 4  # noqa: PLR2004  UTF-8 lengths
            return data if needed <= back or len(data) == back else data[:-back]
    return data


async def run(services: Services, _context: Context, params: RunParams) -> RunResult | RpcError:
    """One run's record."""
    task = task_or_error(services, params.ticket, params.task)
    if isinstance(task, RpcError):
        return task
    row = run_or_error(services, task, params.run)
    if isinstance(row, RpcError):
        return row
    record = await services.executor.record(row.id)
    outcome = None if record is None else record.outcome
    return RunResult(
        run=run_view(row),
        agent=task.spec.agent.name,
        prompt=task.spec.prompt if record is None else record.prompt,
        argv=task.spec.agent.argv if record is None else record.argv,
        folder=os.fsdecode(row.folder or b""),
        variables=() if record is None else record.variables,
        output_bytes=0 if record is None else record.stdout_bytes,
        error_bytes=0 if record is None else record.stderr_bytes,
        exit_code=None if outcome is None else outcome.code,
        signal=None if outcome is None else outcome.signal,
        survivors=row.survivors,
        sandbox=None if record is None else sandbox_shown(record.sandbox),
        workspace=None if record is None else how_shown(record.workspace),
    )
