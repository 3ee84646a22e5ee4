"""``CaptureRun``: what a run left in its workspace becomes a commit of the store."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import cast

import anyio.to_thread

from sennit.adapters.git.capture import Capture, Unchanged, WorkspaceGone
from sennit.adapters.git.capture import Captured as Taken
from sennit.adapters.git.durable import keep_on_disk
from sennit.adapters.git.files import in_thread
from sennit.adapters.git.full_disk import is_of_the_disk
from sennit.adapters.git.trees import read_blobs
from sennit.adapters.git.whole_capture import capture_whole
from sennit.adapters.git.workspace import find_workspace
from sennit.adapters.workspaces.leases import let_go
from sennit.adapters.workspaces.meddling import meddled_below
from sennit.core.engine.commands import CaptureRun
from sennit.core.engine.events import Captured, CaptureFailed, Event
from sennit.core.engine.rows import Counts, RunRow
from sennit.core.engine.step_values import Issued
from sennit.core.objects import (
    MODE_SUBMODULE,
    ChangeKind,
    Entry,
    FileChange,
    GitFailed,
    LeftOutReason,
)
from sennit.core.proposal_views import whole_lines
from sennit.core.uris import display
from sennit.core.views import exact_timestamp
from sennit.runtime.ports import Report
from sennit.server.effects.same_units import same_units
from sennit.server.failures import git_failure, gone_failure
from sennit.server.repositories import Opened
from sennit.server.services import Services
from sennit.server.workspace_names import workspace_name
from sennit_protocol.states import FailureKind
from sennit_protocol.views import Failure, Notice


async def capture_run(services: Services, issued: Issued, _report: Report) -> Event:
    """Take what the run left; the workspace stays."""
    command: CaptureRun = issued.command
    taken = await services.room_waits.until_done(
        services,
        lambda: _take(services, command),
        _without_room,
        lambda: _given_up(services, command),
    )
    if isinstance(taken, Failure):
        folder = services.state.the(RunRow, command.run).folder or b""
        there = await anyio.to_thread.run_sync(_is_there, folder)
        return services.event(
            CaptureFailed, issued.id, run=command.run, failure=taken, is_there=there
        )
    return services.event(Captured, issued.id, run=command.run, **taken)


def _without_room(taken: dict[str, object] | Failure) -> str | None:
    if not isinstance(taken, Failure) or not is_of_the_disk(taken.message):
        return None
    return taken.message


def _given_up(services: Services, command: CaptureRun) -> bool:
    return services.state.task(command.ticket, command.task).stopped is not None


def _is_there(folder: bytes) -> bool:
    """Whether anything is there; what cannot be looked at may be."""
    try:
        os.lstat(folder)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        return True
    return True


async def _take(services: Services, command: CaptureRun) -> dict[str, object] | Failure:
    now = services.clock.now_ms()
    opened = await services.repositories.open_or_last(command.repository, exact_timestamp(now))
    if isinstance(opened, GitFailed):
        return git_failure(opened)
    run = services.state.the(RunRow, command.run)
    name = workspace_name(run.folder or b"", services.folders.workspaces)
    workspace = None
    if name is not None:
        workspace = await in_thread("find a workspace", find_workspace, opened.store, name)
    if isinstance(workspace, GitFailed):
        return git_failure(workspace)
    if workspace is None:
        folder = os.fsdecode(run.folder or b"")
        return Failure(FailureKind.SETUP, f"There is no record of the workspace {folder}.")
    spec = services.state.task(command.ticket, command.task).spec
    result = await capture_whole(
        services.git, opened.store, workspace, date=now // 1000, litter=spec.agent.litter
    )
    below = await in_thread("look below a layer", meddled_below, opened.store, workspace.name)
    # Nothing runs there any more, and what it left does not need the layer below.
    released = await in_thread("end a lease", let_go, opened.store, workspace.name)
    failed = _lost(result) or released
    told = await _told(services, opened, command, result if failed is None else failed)
    if isinstance(told, dict) and below:
        told["notices"] = (*cast("tuple[Notice, ...]", told["notices"]), _of_meddling(below))
    return told


def _of_meddling(below: tuple[bytes, ...] | GitFailed) -> Notice:
    if isinstance(below, GitFailed):
        return Notice(f"Whether it saw its base as it is cannot be told: {below.stderr.strip()}")
    named = ", ".join(map(display, below))
    return Notice(
        "Somebody has changed files of the kept checkout, which the agent saw as its base; an agent"
        f" without a sandbox can: {named}. Look whether this work rests on them."
    )


def _lost(result: Capture) -> GitFailed | None:
    """Tell why commits of the agent are missing, if they need not be."""
    if not isinstance(result, Taken | Unchanged) or result.commits_failed is None:
        return None
    return result.commits_failed if is_of_the_disk(result.commits_failed.stderr) else None


async def _told(
    services: Services, opened: Opened, command: CaptureRun, result: Capture
) -> dict[str, object] | Failure:
    begun = command.begun
    match result:
        case GitFailed():
            return git_failure(result)
        case WorkspaceGone():
            return gone_failure(result)
        case Unchanged() if begun is not None:
            # What it began with was more than the base, and is still what there is.
            kept = Taken(
                begun.tree,
                begun.commit,
                result.agent_commits,
                result.left_out,
                result.commits_failed,
            )
            return await _counted(services, opened, command, kept)
        case Unchanged():
            return {
                "commit": command.base_commit,
                "tree": command.base_tree,
                "counts": Counts(0, 0, 0),
                "notices": _notices(result),
                "incomplete": _is_incomplete(result),
                "whole": _is_whole(result),
            }
        case Taken():
            return await _counted(services, opened, command, result)


async def _counted(
    services: Services, opened: Opened, command: CaptureRun, taken: Taken
) -> dict[str, object] | Failure:
    failed = await keep_on_disk(opened.store, f"runs/{command.run}", taken.commit)
    if failed is not None:
        return git_failure(failed)
    changes = await services.revisions.changes(services, opened, command.base_tree, taken.tree)
    if isinstance(changes, GitFailed):
        return git_failure(changes)
    blobs = await read_blobs(services.git, opened.store, whole_texts(changes))
    if isinstance(blobs, GitFailed):
        return git_failure(blobs)
    same = await same_units(services, opened, command, taken.tree)
    if isinstance(same, GitFailed):
        return git_failure(same)
    return {
        "commit": taken.commit,
        "tree": taken.tree,
        "counts": count(changes, blobs),
        "notices": _notices(taken),
        "incomplete": _is_incomplete(taken),
        "whole": _is_whole(taken),
        "units": same.units,
        "same_units": same.pairs,
    }


def whole_texts(changes: tuple[FileChange, ...]) -> frozenset[str]:
    """The blobs of text files that were created or deleted: those have lines, but no hunks."""
    entries = (entry for change in changes for entry in _whole(change) if entry is not None)
    return frozenset(entry.id for entry in entries)


def count(changes: tuple[FileChange, ...], blobs: Mapping[str, bytes]) -> Counts:
    """How many files and lines the changes touch; ``blobs`` are those of `whole_texts`."""
    added, removed = 0, 0
    for change in changes:
        before, after = _whole(change)
        added += sum(hunk.after_count for hunk in change.hunks) + _lines(after, blobs)
        removed += sum(hunk.before_count for hunk in change.hunks) + _lines(before, blobs)
    return Counts(len(changes), added, removed)


_WHOLE = frozenset({ChangeKind.CREATE, ChangeKind.DELETE})


def _whole(change: FileChange) -> tuple[Entry | None, Entry | None]:
    """What went and what came, where that is a text file as a whole."""
    if change.kind not in _WHOLE or change.binary:
        return None, None
    sides = (change.before, change.after)
    before, after = (None if one and one.mode == MODE_SUBMODULE else one for one in sides)
    return before, after


def _lines(entry: Entry | None, blobs: Mapping[str, bytes]) -> int:
    return 0 if entry is None else whole_lines(blobs[entry.id])


def _is_incomplete(taken: Taken | Unchanged) -> bool:
    """Whether something was left out because it cannot be read, and not because of a rule."""
    return any(one.reason is LeftOutReason.UNREADABLE for one in taken.left_out)


def _is_whole(taken: Taken | Unchanged) -> bool:
    """Whether nothing that the agent has left there is nowhere else."""
    return not taken.left_out and taken.commits_failed is None


def _notices(taken: Taken | Unchanged) -> tuple[Notice, ...]:
    left_out = tuple(
        Notice(f"{one.reason.value}: {one.detail}".rstrip(": "), path=display(one.path))
        for one in taken.left_out
    )
    commits = tuple(
        Notice(f"The agent committed: {commit.message}") for commit in taken.agent_commits
    )
    if taken.commits_failed is None:
        return left_out + commits
    lost = Notice(f"The agent's own commits could not be kept: {taken.commits_failed.stderr}")
    return (*left_out, *commits, lost)
