"""Captures what an agent left in its workspace as a commit on the base, whatever it did there."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

import anyio
import anyio.to_thread
from attrs import evolve, frozen

from sennit.adapters.git.agent_commits import AgentCommit, take_agent_commits
from sennit.adapters.git.capture_plan import CapturePlan, plan_of_capture
from sennit.adapters.git.commits import commit_tree, read_commit_in
from sennit.adapters.git.completion import complete_since
from sennit.adapters.git.disk import existing
from sennit.adapters.git.disk_tree import Differing, tree_of_disk
from sennit.adapters.git.files import both, copy_with_times, in_thread, remove_index
from sennit.adapters.git.git import DISPOSABLE
from sennit.adapters.git.head_at import make_git_directory_at
from sennit.adapters.git.identity import identity_at
from sennit.adapters.git.ignored import ignored_among
from sennit.adapters.git.index_tags import skipped_in
from sennit.adapters.git.layered_capture import index_upper
from sennit.adapters.git.out_of_view import back_in_view, out_of_view, told_of
from sennit.adapters.git.records import (
    index_file,
    read_record,
    stores_of_submodules,
)
from sennit.adapters.git.scratch import scratch_name
from sennit.adapters.git.stage import nul_ended
from sennit.adapters.git.status import Status, read_status_and_ignored
from sennit.adapters.git.store import keep_new
from sennit.adapters.git.submodules import told_of_work_within
from sennit.adapters.git.uncaptured import Begun, uncaptured
from sennit.adapters.git.untouched import untouched_among
from sennit.adapters.git.workspace import find_workspace
from sennit.core.objects import GitFailed, LeftOut, LeftOutReason

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from sennit.adapters.git.git import Config, Git, Place
    from sennit.adapters.git.store import Store
    from sennit.adapters.git.workspace import Workspace

MESSAGE = "What a task left in its workspace\n"
_OWNER_MAY_ALL = 0o700
_OF_AN_AGENT: Config = (
    ("core.protectHFS", "true"),
    ("core.protectNTFS", "true"),
    # It may have put size and time of a file back, whatever the user's git does without.
    ("core.trustctime", "true"),
    ("core.checkStat", "default"),
)


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
    litter: Sequence[str] = ()
    within: bool = False
    """Whether it is a submodule of a workspace: then all of it lies in the folder itself."""

    @property
    def root(self) -> bytes:
        return os.fsencode(self.workspace.folder)

    @property
    def place(self) -> Place:
        """Our git directory and index over the agent's files: its own configuration is not read."""
        return self.store.over(self.workspace.folder, self.index)

    @property
    def beside(self) -> Path:
        """A git directory that shares all with the store's, but whose HEAD is the base."""
        return self.index.with_name(f"{self.index.name}.git")

    @property
    def litter_file(self) -> Path:
        return self.beside / "litter"


async def capture(
    git: Git,
    store: Store,
    workspace: Workspace,
    *,
    date: int,
    message: str = MESSAGE,
    litter: Sequence[str] = (),
) -> Capture:
    """Make a commit of what the workspace holds, compared with its recorded base.

    To be called when no process works there any more. ``date`` is in seconds since 1970. New files
    that match ``litter``, ignore patterns, are left out without a word.
    """
    index = store.scratch / scratch_name("index")
    git = git.configured(store.neutral + DISPOSABLE + _OF_AN_AGENT)
    return await _captured(_Capturing(git, store, workspace, index, date, message, litter))


async def _captured(capturing: _Capturing) -> Capture:
    git, store, workspace = capturing.git, capturing.store, capturing.workspace
    try:
        started = await in_thread("start a capture", _start, capturing)
        if isinstance(started, GitFailed | WorkspaceGone):
            return started
        commits, taken = await both(
            take_agent_commits(git, store, workspace), _take(capturing, started)
        )
        if isinstance(taken, _Taken) and taken.untouched and commits:
            # An agent may have committed what its git took for changed.
            taken = await _take(capturing, evolve(started, tells_untouched=False))
    finally:
        with anyio.CancelScope(shield=True):
            await anyio.to_thread.run_sync(_remove, capturing)
    if isinstance(taken, GitFailed):
        return taken
    within = await _capture_submodules(capturing)
    if isinstance(within, GitFailed):
        return within
    return await _finished(capturing, evolve(taken, left_out=taken.left_out + within), commits)


async def peek(git: Git, store: Store, workspace: Workspace) -> str | WorkspaceGone | GitFailed:
    """Give the tree of what a workspace holds just now, while an agent may be writing in it.

    Nothing is kept. A file that changes under the look is what it is in that moment, or makes the
    look fail: then somebody may look again.
    """
    index = store.scratch / scratch_name("index")
    git = git.configured(store.neutral + DISPOSABLE + _OF_AN_AGENT)
    peeking = _Capturing(git, store, workspace, index, 0, MESSAGE)
    try:
        started = await in_thread("look into a workspace", _start, peeking)
        if isinstance(started, GitFailed | WorkspaceGone):
            return started
        taken = await _take(peeking, started)
    finally:
        with anyio.CancelScope(shield=True):
            await anyio.to_thread.run_sync(_remove, peeking)
    return taken if isinstance(taken, GitFailed) else taken.tree


async def _capture_submodules(capturing: _Capturing) -> tuple[LeftOut, ...] | GitFailed:
    """Keep what was done in submodules: a proposal holds no more of them than their commit."""
    top = capturing.workspace.folder
    kept: list[LeftOut] = []
    for store in stores_of_submodules(capturing.store):
        inner = find_workspace(store, capturing.workspace.name)
        if inner is None:
            continue
        index = store.scratch / scratch_name("index")
        taken = await _captured(
            evolve(capturing, store=store, workspace=inner, index=index, litter=(), within=True)
        )
        path = os.fsencode(inner.folder.relative_to(top))
        match taken:
            case GitFailed():
                return taken
            case Captured() | Unchanged():
                if isinstance(taken, Captured):
                    detail = told_of_work_within(taken.commit, store.git_dir)
                    kept.append(LeftOut(path, LeftOutReason.IN_A_SUBMODULE, detail))
                kept += (evolve(one, path=path + b"/" + one.path) for one in taken.left_out)
            case WorkspaceGone():
                # The agent removed the submodule, which the proposal says.
                pass
    return tuple(kept)


@frozen
class _Taken:
    tree: str
    left_out: tuple[LeftOut, ...]
    untouched: frozenset[bytes] = frozenset()


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
    parent = await read_commit_in(git, store, store.place, base)
    if isinstance(parent, GitFailed):
        return parent
    date = max(capturing.date, parent.date)
    commit = await commit_tree(git, store, tree, base, date, capturing.message.encode())
    if isinstance(commit, GitFailed):
        return commit
    kept = await keep_new(store, f"capture/{capturing.workspace.name}/{commit}", commit)
    return commit if kept is None else kept


async def _take(capturing: _Capturing, started: _Started) -> _Taken | GitFailed:
    status = await _look(capturing, started)
    if isinstance(status, GitFailed):
        return status
    store, kept = capturing.store, index_file(capturing.store, capturing.workspace.name)
    changed = [one.path for one in status.tracked if started.tells_untouched]
    untouched = await untouched_among(
        capturing.root, kept, store.object_format, started.since_ns, changed
    )
    if isinstance(untouched, GitFailed):
        return untouched
    tracked = tuple(one for one in status.tracked if one.path not in untouched)
    status = evolve(status, tracked=tracked)
    plan = await _plan(capturing, status)
    if isinstance(plan, GitFailed):
        return plan
    folder = capturing.workspace.folder
    # The index is ours: it holds the base.
    differing = Differing(capturing.workspace.tree, {}, plan.present, plan.entries)
    begun = Begun(started.since_ns, kept, store.object_format, plan.gone)
    ignored = (*status.ignored, *plan.ignored)
    untaken, made = await both(
        uncaptured(capturing.git, capturing.place, folder, ignored, begun),
        tree_of_disk(capturing.git, store, capturing.place, differing),
    )
    if isinstance(untaken, GitFailed):
        return untaken
    if isinstance(made, GitFailed):
        return made
    told = plan.left_out + status.not_opened + made.refused + untaken
    return _Taken(made.tree, told, untouched)


async def _look(capturing: _Capturing, started: _Started) -> Status | GitFailed:
    """Compare the folder with the index that it began with, or in a layer with what is above it."""
    git, store, place = capturing.git, capturing.store, capturing.place
    if not started.layered:
        failed = await _unflag(capturing)
        if failed is not None:
            return failed
        return await read_status_and_ignored(git, evolve(place, git_dir=capturing.beside))
    workspace = capturing.workspace
    failed = await index_upper(git, store, place, workspace)
    # That index holds little of the base, so it is compared with no commit.
    return await read_status_and_ignored(git, place) if failed is None else failed


async def _unflag(capturing: _Capturing) -> GitFailed | None:
    """Count files that the agent brought into being where the index looks away."""
    sparse = await anyio.Path(capturing.store.git_dir / "info" / "sparse-checkout").exists()
    if not sparse:
        return None
    paths = await skipped_in(capturing.git, capturing.place)
    if isinstance(paths, GitFailed):
        return paths
    on_disk = await in_thread("look at sparse files", existing, capturing.root, paths)
    if isinstance(on_disk, GitFailed):
        return on_disk
    there = frozenset(on_disk)
    absent = [path for path in paths if path not in there]
    gone = await back_in_view(capturing.git, capturing.store, capturing.workspace, absent)
    if isinstance(gone, GitFailed):
        return gone
    if not on_disk and not gone:
        return None
    done = await capturing.git.run(
        ["update-index", "--no-skip-worktree", "-z", "--stdin"],
        capturing.place,
        stdin=nul_ended((*on_disk, *gone)),
    )
    return done if isinstance(done, GitFailed) else None


async def _plan(capturing: _Capturing, status: Status) -> CapturePlan | GitFailed:
    """Decide what is taken; what a nested repository holds is filtered by the rules of ours."""
    litter = await _litter_among(capturing, status.untracked)
    if isinstance(litter, GitFailed):
        return litter
    untracked = [path for path in status.untracked if path not in litter]
    changed = [one for one in status.tracked if one.unstaged != "."]
    plan = await in_thread(
        "look at a workspace", plan_of_capture, capturing.root, changed, untracked
    )
    if isinstance(plan, GitFailed):
        return plan
    unseen = await out_of_view(capturing.git, capturing.store, capturing.workspace, plan.gone)
    if isinstance(unseen, GitFailed):
        return unseen
    plan = plan.with_kept(unseen, told_of(unseen))
    if not plan.nested:
        return plan
    # Over a layer the rules of the one below lie in the index alone.
    ignored = await ignored_among(capturing.git, capturing.place, plan.nested, by_index=True)
    if isinstance(ignored, GitFailed):
        return ignored
    return plan.with_nested_but(ignored)


async def _litter_among(
    capturing: _Capturing, untracked: Sequence[bytes]
) -> frozenset[bytes] | GitFailed:
    if not capturing.litter or not untracked:
        return frozenset()
    content = "".join(f"{pattern}\n" for pattern in capturing.litter).encode()
    file = capturing.litter_file
    written = await in_thread("write ignore patterns", file.write_bytes, content)
    if isinstance(written, GitFailed):
        return written
    # In place of the user's own patterns: what these match is not among the untracked ones.
    git = capturing.git.configured((("core.excludesFile", str(file)),))
    return await ignored_among(git, capturing.place, untracked)


@frozen
class _Started:
    """When the workspace was complete (nanoseconds by the clock of its disk), and its kind."""

    since_ns: int
    tells_untouched: bool
    layered: bool


def _start(capturing: _Capturing) -> WorkspaceGone | _Started:
    """Check that the folder is the one we made and copy the index that it began with."""
    workspace = capturing.workspace
    record = read_record(capturing.store, workspace.name)
    try:
        found = identity_at(workspace.folder)
    except (FileNotFoundError, NotADirectoryError):
        return WorkspaceGone(workspace.folder)
    if record is None or not record.identity.is_that_of(found):
        return WorkspaceGone(workspace.folder)
    if workspace.folder.lstat().st_mode & _OWNER_MAY_ALL != _OWNER_MAY_ALL:
        # The folder is ours, and an agent has locked it.
        workspace.folder.chmod(_OWNER_MAY_ALL)
    kept = index_file(capturing.store, workspace.name)
    layered = bool(record.lower) and not capturing.within
    if not layered:
        copy_with_times(kept, capturing.index)
    make_git_directory_at(capturing.store, capturing.beside, workspace.base)
    since = complete_since(capturing.store, workspace.name)
    return _Started(since.since_ns, since.tells_changes, layered)


def _remove(capturing: _Capturing) -> None:
    remove_index(capturing.index)
    shutil.rmtree(capturing.beside, ignore_errors=True)
