"""``PrepareWorkspace``: the base, with the prerequisites merged in, checked out for one run."""

from __future__ import annotations

import os
from pathlib import Path

from attrs import evolve, frozen

from sennit.adapters.git.commits import commit_tree, read_commit
from sennit.adapters.git.merges import merge_trees
from sennit.adapters.git.store import keep_new
from sennit.adapters.git.workspace import Workspace, make_checkout
from sennit.core.engine.commands import PrepareWorkspace
from sennit.core.engine.events import Event, WorkspaceFailed, WorkspaceReady
from sennit.core.engine.step_values import Issued
from sennit.core.objects import Conflicted, GitFailed, Manifest, Snapshot
from sennit.core.uris import display
from sennit.core.views import exact_timestamp
from sennit.runtime.ports import Report
from sennit.server.failures import git_failure
from sennit.server.open_documents import relative_to
from sennit.server.repositories import Opened
from sennit.server.services import Services
from sennit_protocol.views import Notice


@frozen
class _Made:
    workspace: Workspace
    snapshot: Snapshot


async def prepare_workspace(services: Services, issued: Issued, _report: Report) -> Event:
    """Make the workspace of a run."""
    command: PrepareWorkspace = issued.command
    services.live.update(command.run, lambda known: evolve(known, phase="preparing"))
    made = await _make(services, command)
    if isinstance(made, GitFailed):
        services.live.forget(command.run)
        return services.event(
            WorkspaceFailed, issued.id, run=command.run, failure=git_failure(made)
        )
    spec = services.state.task(command.ticket, command.task).spec
    inside = relative_to(command.repository.top, spec.folder) or b""
    folder = made.workspace.folder / os.fsdecode(inside)
    # The task's folder may be ignored or untracked and empty, so that no checkout makes it.
    folder.mkdir(parents=True, exist_ok=True)
    return services.event(
        WorkspaceReady,
        issued.id,
        run=command.run,
        folder=os.fsencode(folder),
        base_commit=made.snapshot.commit,
        base_tree=made.snapshot.tree,
        notices=_notices(made.workspace),
    )


async def _make(services: Services, command: PrepareWorkspace) -> _Made | GitFailed:
    now = services.clock.now_ms()
    opened = await services.repositories.open(command.repository, exact_timestamp(now))
    if isinstance(opened, GitFailed):
        return opened
    snapshot = await _with_prerequisites(services, opened, command)
    if isinstance(snapshot, GitFailed):
        return snapshot
    settings = services.settings_of(command.ticket, command.repository.top)
    workspace = await make_checkout(
        services.git,
        opened.store,
        opened.repository,
        snapshot,
        services.folders.workspaces / command.run,
        owner=services.owner,
        include=settings.workspace_include,
    )
    return workspace if isinstance(workspace, GitFailed) else _Made(workspace, snapshot)


async def _with_prerequisites(
    services: Services, opened: Opened, command: PrepareWorkspace
) -> Snapshot | GitFailed:
    nothing = Manifest(None, None)
    at = services.clock.now_ms() // 1000
    tree = command.base_tree
    for one in command.prerequisites:
        merged = await merge_trees(services.git, opened.store, one.base_tree, tree, one.tree, at)
        if isinstance(merged, GitFailed):
            return merged
        if isinstance(merged, Conflicted):
            said = f"{one.task} does not go together with the tasks before it"
            return GitFailed("merge the prerequisites", None, said)
        tree = merged.tree
    if tree == command.base_tree:
        return Snapshot(command.base_commit, tree, nothing)
    facts = await read_commit(services.git, opened.store.place, command.base_commit)
    if isinstance(facts, GitFailed):
        return facts
    message = b"The base with the work of the tasks that this one builds on\n"
    commit = await commit_tree(
        services.git, opened.store, tree, command.base_commit, max(at, facts.date), message
    )
    if isinstance(commit, GitFailed):
        return commit
    failed = await keep_new(opened.store, f"bases/{command.run}", commit)
    return Snapshot(commit, tree, nothing) if failed is None else failed


def _notices(workspace: Workspace) -> tuple[Notice, ...]:
    absent = tuple(
        Notice(f"The submodule {display(path)} is empty in the workspace: it is not here.")
        for path in workspace.absent_submodules
    )
    missed = tuple(
        Notice(f"The ignored path {display(path)} was asked for and could not be copied.")
        for path in workspace.not_copied
    )
    return absent + missed


def workspace_name(folder: bytes, workspaces: Path) -> str | None:
    """The name of the workspace that an agent's folder lies in."""
    relative = relative_to(os.fsencode(workspaces), folder)
    return None if relative is None else os.fsdecode(relative.split(b"/")[0])
