"""``PrepareWorkspace``: the base, with the prerequisites merged in, checked out for one run."""

from __future__ import annotations

import os

import anyio
from attrs import evolve, frozen

from sennit.adapters.git.commits import commit_tree, read_commit
from sennit.adapters.git.delete import delete_workspace
from sennit.adapters.git.durable import keep_on_disk
from sennit.adapters.git.litter import ignore_litter
from sennit.adapters.git.resolving import Three, merge_resolved
from sennit.adapters.git.taking_over import make_room
from sennit.adapters.git.workspace import Workspace
from sennit.adapters.workspaces.making import make_workspace
from sennit.core.agents import Sandboxing
from sennit.core.engine.commands import PrepareWorkspace
from sennit.core.engine.events import Event, WorkspaceFailed, WorkspaceReady
from sennit.core.engine.rows import Begun
from sennit.core.engine.step_values import Issued
from sennit.core.objects import Conflicted, GitFailed, Manifest, Snapshot
from sennit.core.sandbox import wanted
from sennit.core.uris import display
from sennit.core.views import exact_timestamp
from sennit.core.workspace_kinds import Circumstances, KindRefused, plan_of
from sennit.runtime.ports import Report
from sennit.server.disk_use import room_for_a_workspace
from sennit.server.effects.earlier_work import Beginning, with_earlier_work
from sennit.server.effects.setting_up import set_up
from sennit.server.failures import git_failure
from sennit.server.open_documents import relative_to
from sennit.server.repositories import Opened
from sennit.server.services import Services
from sennit.server.workspace_kinds import files_of, found_for
from sennit_protocol.views import Notice


@frozen
class _Made:
    workspace: Workspace
    base: Snapshot
    beginning: Beginning
    notices: tuple[Notice, ...] = ()

    @property
    def begun(self) -> Begun | None:
        begun = self.beginning.snapshot
        return None if begun.tree == self.base.tree else Begun(begun.commit, begun.tree)


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
        base_commit=made.base.commit,
        base_tree=made.base.tree,
        notices=_notices(made.workspace) + made.notices,
        begun=made.begun,
        unmerged=made.beginning.unmerged,
    )


async def _make(services: Services, command: PrepareWorkspace) -> _Made | GitFailed:
    now = services.clock.now_ms()
    opened = await services.repositories.open(command.repository, exact_timestamp(now))
    if isinstance(opened, GitFailed):
        return opened
    snapshot = await _with_prerequisites(services, opened, command)
    if isinstance(snapshot, GitFailed):
        return snapshot
    beginning = await with_earlier_work(services, opened, command, snapshot)
    if isinstance(beginning, GitFailed):
        return beginning
    room = await room_for_a_workspace(services)
    if isinstance(room, GitFailed):
        return room
    # An earlier workspace there may be about to go.
    async with services.places.alone_at(command.place or command.run):
        workspace = await _workspace(services, opened, command, beginning.snapshot)
    if isinstance(workspace, GitFailed):
        return workspace
    said = await _set_up(services, opened, command, workspace)
    if isinstance(said, GitFailed):
        return said
    return _Made(workspace, snapshot, beginning, room + said)


async def _set_up(
    services: Services, opened: Opened, command: PrepareWorkspace, workspace: Workspace
) -> tuple[Notice, ...] | GitFailed:
    """Run the set-up command; a workspace that it failed in holds no work and goes again."""
    settings = services.settings_of(command.ticket, command.repository.top)
    task = services.state.task(command.ticket, command.task).spec
    said: tuple[Notice, ...] | GitFailed | None = None
    try:
        said = await set_up(services, opened, settings, task, command.run, workspace)
        return said
    finally:
        if not isinstance(said, tuple):
            with anyio.CancelScope(shield=True):
                await delete_workspace(opened.store, workspace.name, services.owner)


async def _workspace(
    services: Services, opened: Opened, command: PrepareWorkspace, snapshot: Snapshot
) -> Workspace | GitFailed:
    settings = services.settings_of(command.ticket, command.repository.top)
    if command.place is not None:
        failed = await make_room(opened.store, command.place, services.owner)
        if failed is not None:
            return failed
    spec = services.state.task(command.ticket, command.task).spec
    around = Circumstances(
        await files_of(opened.repository),
        confined=wanted(spec.agent, settings.sandbox) is not Sandboxing.OFF,
    )
    found = await found_for(services, settings, around)
    plan = plan_of(settings.workspace.kind, found, around)
    if isinstance(plan, KindRefused):
        return GitFailed("make a workspace", None, f"{plan.why}.", plan.advice)
    workspace = await make_workspace(
        services.git,
        opened.store,
        opened.repository,
        snapshot,
        services.folders.workspaces / (command.place or command.run),
        owner=services.owner,
        plan=plan,
        found=found,
        include=settings.workspace_include,
    )
    if isinstance(workspace, GitFailed):
        return workspace
    if workspace.how is not None:
        services.live.made[command.run] = workspace.how
    failed = await ignore_litter(workspace.folder, spec.agent.litter)
    if failed is not None:
        return failed
    return workspace


async def _with_prerequisites(
    services: Services, opened: Opened, command: PrepareWorkspace
) -> Snapshot | GitFailed:
    nothing = Manifest(None, None)
    at = services.clock.now_ms() // 1000
    tree = command.base_tree
    for one in command.prerequisites:
        trees = Three(one.base_tree, tree, one.tree)
        merged = await merge_resolved(services.git, opened.store, trees, at, one.resolutions)
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
    failed = await keep_on_disk(opened.store, f"bases/{command.run}", commit)
    return Snapshot(commit, tree, nothing) if failed is None else failed


def _notices(workspace: Workspace) -> tuple[Notice, ...]:
    absent = tuple(
        Notice(
            f"The submodule {display(path)} is empty in the workspace: its commit is not on this "
            "machine. Run `git submodule update --init` to have it there, or clone it into its "
            "folder if .gitmodules does not name it."
        )
        for path in workspace.absent_submodules
    )
    dirty = tuple(
        Notice(
            f"The submodule {display(path)} has changes that are in no commit; the agent sees the "
            "commit that it is at."
        )
        for path in workspace.dirty_submodules
    )
    missed = tuple(
        Notice(f"The ignored path {display(path)} was asked for and could not be copied.")
        for path in workspace.not_copied
    )
    return absent + dirty + missed + _of_meddling(workspace.meddled)


def _of_meddling(paths: tuple[bytes, ...]) -> tuple[Notice, ...]:
    if not paths:
        return ()
    named = ", ".join(map(display, paths))
    text = (
        "Somebody had changed files of the kept checkout that workspaces are made from, which an"
        f" agent without a sandbox can: {named}. They were written anew as the base has them."
    )
    return (Notice(text),)
