"""Captures what an agent left in its workspace as a commit on the base, whatever it did there."""

from __future__ import annotations

import os
import secrets
from typing import TYPE_CHECKING

import anyio
import anyio.to_thread
from attrs import frozen

from sennit.adapters.git.agent_commits import AgentCommit, take_agent_commits
from sennit.adapters.git.capture_plan import CapturePlan, plan_of_capture
from sennit.adapters.git.commits import commit_tree, read_commit
from sennit.adapters.git.disk import existing
from sennit.adapters.git.files import both, copy_with_times, in_thread
from sennit.adapters.git.git import DISPOSABLE
from sennit.adapters.git.ignored import ignored_among
from sennit.adapters.git.records import index_file, read_record
from sennit.adapters.git.stage import nul_ended, stage, write_tree
from sennit.adapters.git.store import keep_new
from sennit.adapters.git.uncaptured import uncaptured
from sennit.core.objects import GitFailed, LeftOut

if TYPE_CHECKING:
    from pathlib import Path

    from sennit.adapters.git.git import Config, Git, Place
    from sennit.adapters.git.store import Store
    from sennit.adapters.git.workspace import Workspace

MESSAGE = "What a task left in its workspace\n"
_SAFE_NAMES: Config = (("core.protectHFS", "true"), ("core.protectNTFS", "true"))


@frozen
class Captured:
    """What the workspace holds, as a commit whose only parent is the base.

    ``left_out`` are paths that could not be taken, or that are taken in another way than they
    lie there, and why. ``commits_failed`` tells why the agent's own commits are missing.
    """

    tree: str
    commit: str
    agent_commits: tuple[AgentCommit, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    commits_failed: GitFailed | None = None


@frozen
class Unchanged:
    """The workspace holds what its base holds; the agent may have committed all the same."""

    agent_commits: tuple[AgentCommit, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    commits_failed: GitFailed | None = None


@frozen
class WorkspaceGone:
    """The folder of the workspace is not there, or another one is in its place."""

    folder: Path


Capture = Captured | Unchanged | WorkspaceGone | GitFailed


@frozen
class _Capturing:
    git: Git
    store: Store
    workspace: Workspace
    index: Path
    date: int
    message: str

    @property
    def root(self) -> bytes:
        return os.fsencode(self.workspace.folder)

    @property
    def place(self) -> Place:
        """Our git directory and index over the agent's files: its own configuration is not read."""
        return self.store.over(self.workspace.folder, self.index)


async def capture(
    git: Git, store: Store, workspace: Workspace, *, date: int, message: str = MESSAGE
) -> Capture:
    """Make a commit of what the workspace holds, compared with its recorded base.

    To be called when no process works there any more. ``date`` is in seconds since 1970.
    """
    index = store.scratch / f"index.{secrets.token_hex(6)}"
    git = git.configured(store.neutral + DISPOSABLE + _SAFE_NAMES)
    capturing = _Capturing(git, store, workspace, index, date, message)
    started = await in_thread("start a capture", _start, capturing)
    if isinstance(started, GitFailed | WorkspaceGone):
        return started
    try:
        commits, taken = await both(
            take_agent_commits(git, store, workspace), _take(capturing, since_ns=started)
        )
    finally:
        with anyio.CancelScope(shield=True):
            await anyio.to_thread.run_sync(_remove, index)
    if isinstance(taken, GitFailed):
        return taken
    return await _finished(capturing, taken, commits)


@frozen
class _Taken:
    tree: str
    left_out: tuple[LeftOut, ...]


async def _finished(
    capturing: _Capturing, taken: _Taken, commits: tuple[AgentCommit, ...] | GitFailed
) -> Captured | Unchanged | GitFailed:
    failed = commits if isinstance(commits, GitFailed) else None
    made = () if isinstance(commits, GitFailed) else commits
    if taken.tree == capturing.workspace.tree:
        return Unchanged(made, taken.left_out, failed)
    commit = await _commit(capturing, taken.tree)
    if isinstance(commit, GitFailed):
        return commit
    return Captured(taken.tree, commit, made, taken.left_out, failed)


async def _commit(capturing: _Capturing, tree: str) -> str | GitFailed:
    git, store, base = capturing.git, capturing.store, capturing.workspace.base
    parent = await read_commit(git, store.place, base)
    if isinstance(parent, GitFailed):
        return parent
    date = max(capturing.date, parent.date)
    commit = await commit_tree(git, store, tree, base, date, capturing.message.encode())
    if isinstance(commit, GitFailed):
        return commit
    kept = await keep_new(store, f"capture/{capturing.workspace.name}/{commit}", commit)
    return commit if kept is None else kept


async def _take(capturing: _Capturing, *, since_ns: int) -> _Taken | GitFailed:
    untaken = await uncaptured(
        capturing.git, capturing.place, capturing.workspace.folder, since_ns=since_ns
    )
    if isinstance(untaken, GitFailed):
        return untaken
    flagged = await _unflag(capturing)
    if isinstance(flagged, GitFailed):
        return flagged
    plan = await _plan(capturing)
    if isinstance(plan, GitFailed):
        return plan
    staged = await stage(capturing.git, capturing.place, plan.present, plan.entries)
    if isinstance(staged, GitFailed):
        return staged
    tree = await write_tree(capturing.git, capturing.place)
    return tree if isinstance(tree, GitFailed) else _Taken(tree, plan.left_out + staged + untaken)


async def _unflag(capturing: _Capturing) -> GitFailed | None:
    """Count files outside the sparse patterns that the agent brought into being."""
    sparse = await anyio.Path(capturing.store.git_dir / "info" / "sparse-checkout").exists()
    if not sparse:
        return None
    listed = await capturing.git.run(["ls-files", "-t", "-z"], capturing.place)
    if isinstance(listed, GitFailed):
        return listed
    paths = [record[2:] for record in listed.stdout.split(b"\0") if record.startswith(b"S ")]
    on_disk = await in_thread("look at sparse files", existing, capturing.root, paths)
    if isinstance(on_disk, GitFailed):
        return on_disk
    if not on_disk:
        return None
    done = await capturing.git.run(
        ["update-index", "--no-skip-worktree", "-z", "--stdin"],
        capturing.place,
        stdin=nul_ended(on_disk),
    )
    return done if isinstance(done, GitFailed) else None


async def _plan(capturing: _Capturing) -> CapturePlan | GitFailed:
    """Find what differs; what a nested repository holds is filtered by the rules of ours."""
    asked = ["ls-files", "--modified", "--others", "--exclude-standard", "-t", "-z"]
    listed = await capturing.git.run(asked, capturing.place)
    if isinstance(listed, GitFailed):
        return listed
    plan = await in_thread("look at a workspace", plan_of_capture, capturing.root, listed.stdout)
    if isinstance(plan, GitFailed) or not plan.nested:
        return plan
    ignored = await ignored_among(capturing.git, capturing.place, plan.nested)
    if isinstance(ignored, GitFailed):
        return ignored
    return plan.with_nested_but(ignored)


def _start(capturing: _Capturing) -> WorkspaceGone | int:
    """Check that the folder is the one we made and copy the index that it began with.

    Gives when the workspace was complete, in nanoseconds by the clock of the file system.
    """
    workspace = capturing.workspace
    record = read_record(capturing.store, workspace.name)
    try:
        status = workspace.folder.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return WorkspaceGone(workspace.folder)
    if record is None or (record.device, record.inode) != (status.st_dev, status.st_ino):
        return WorkspaceGone(workspace.folder)
    kept = index_file(capturing.store, workspace.name)
    copy_with_times(kept, capturing.index)
    return kept.stat().st_ctime_ns


def _remove(index: Path) -> None:
    index.unlink(missing_ok=True)
    index.with_name(index.name + ".lock").unlink(missing_ok=True)
