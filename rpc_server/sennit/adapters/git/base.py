"""Takes a snapshot of what the user sees: the work tree with staged, changed and unsaved text."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import anyio
import anyio.to_thread
from attrs import evolve, frozen

from sennit.adapters.git.base_documents import Buffers, stage_documents
from sennit.adapters.git.base_plan import Plan, plan_of
from sennit.adapters.git.commits import CommitFacts, commit_tree, read_commit_in
from sennit.adapters.git.disk_tree import Differing, DiskTree, tree_of_disk
from sennit.adapters.git.files import both, copy_with_times, in_thread, remove_index
from sennit.adapters.git.git import DISPOSABLE
from sennit.adapters.git.in_progress import operation_in_progress
from sennit.adapters.git.inprocess import is_there
from sennit.adapters.git.lfs import lfs_config
from sennit.adapters.git.look import Look, SnapshotLimits
from sennit.adapters.git.mirror_memory import Mirroring
from sennit.adapters.git.names_by_disk import names_config
from sennit.adapters.git.promised import told_if_promised
from sennit.adapters.git.remembered import Recalled, recall, remember
from sennit.adapters.git.scratch import scratch_name
from sennit.adapters.git.store import keep_new, refresh, refresh_objects
from sennit.adapters.git.survey import Survey, as_the_user_ignores, survey
from sennit.adapters.git.trees import empty_tree
from sennit.core.objects import GitFailed, Manifest, Snapshot

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sennit.adapters.git.discovery import Repository
    from sennit.adapters.git.git import Config, Git
    from sennit.adapters.git.status import Status
    from sennit.adapters.git.store import Store
    from sennit.core.objects import OpenDocument

MESSAGE = b"The work tree as its user saw it\n"
# A base without a parent gets a fixed date, so that equal trees are equal commits.
_DATE_OF_THE_UNBORN = 946_684_800


async def take_snapshot(
    git: Git,
    store: Store,
    repository: Repository,
    documents: Sequence[OpenDocument] = (),
    *,
    unsaved_elsewhere: frozenset[bytes] = frozenset(),
    limits: SnapshotLimits | None = None,
) -> Snapshot | GitFailed:
    """Make a commit in the store that holds what the user sees, and say what it does not hold.

    Nothing is written into the user's repository. When nothing changed since HEAD, the commit is
    HEAD itself; equal trees on one HEAD give equal commits.
    """
    index = store.scratch / scratch_name("index")
    look = Look(
        # Git compares files with an index, through the filters, even where it only writes one:
        # so every call of a snapshot leaves out the programs of a repository without trust.
        git.configured(
            lfs_config(store.git_dir) + repository.neutral + store.hooks_off + DISPOSABLE
        ),
        store,
        repository,
        index,
        limits or SnapshotLimits(),
        documents,
        unsaved_elsewhere,
    )
    try:
        taken = await _snapshot(look)
        if isinstance(taken, GitFailed):
            return await told_if_promised(look.git, repository, taken)
        return taken
    finally:
        with anyio.CancelScope(shield=True):
            await anyio.to_thread.run_sync(remove_index, index)


async def _snapshot(look: Look) -> Snapshot | GitFailed:
    names = await in_thread("begin a snapshot", _begin, look)
    if isinstance(names, GitFailed):
        return names
    look = evolve(look, names=names)
    # What needs no answer of git is done while git looks at the files.
    surveyed, (store, in_progress) = await both(
        survey(look),
        both(
            refresh(look.git, look.store, look.repository),
            operation_in_progress(look.git, look.repository),
        ),
    )
    if isinstance(surveyed, GitFailed):
        return surveyed
    if isinstance(store, GitFailed):
        return store
    if isinstance(in_progress, GitFailed):
        return in_progress
    look = evolve(look, store=store, git=look.git.configured(store.hooks_off))
    surveyed = await as_the_user_ignores(look, surveyed)
    if isinstance(surveyed, GitFailed):
        return surveyed
    return await _planned(look, surveyed, in_progress)


async def _planned(look: Look, surveyed: Survey, in_progress: str | None) -> Snapshot | GitFailed:
    planned, parent = await both(
        in_thread("look at what changed", _plan, look, surveyed),
        _parent(look, surveyed.status.head),
    )
    if isinstance(planned, GitFailed):
        return planned
    if isinstance(parent, GitFailed):
        return parent
    staged = await _staged(look, surveyed.status, planned, parent)
    if isinstance(staged, GitFailed):
        return staged
    manifest = _manifest(surveyed.status, staged, in_progress)
    return await _commit(look, staged.tree, manifest, parent)


@frozen
class _Planned:
    """What to take, and the state of the work tree by its name if it has one."""

    plan: Plan
    known: Recalled | None


def _plan(look: Look, surveyed: Survey) -> _Planned:
    plan = plan_of(look.root, surveyed.status, look.limits.untracked_file)
    known = recall(look, plan) if surveyed.plain else None
    return _Planned(plan, known)


@frozen
class _Staged:
    """The tree of a snapshot, with the plan as far as git took it and the buffers in it."""

    tree: str
    plan: Plan
    buffers: Buffers


async def _staged(
    look: Look, status: Status, planned: _Planned, parent: CommitFacts | None
) -> _Staged | GitFailed:
    """Make the tree of the disk, then put the buffers over it."""
    on_disk = await _on_disk(look, status, planned, parent)
    if isinstance(on_disk, GitFailed):
        return on_disk
    plan = planned.plan.without(on_disk.refused)
    buffers = await stage_documents(look, plan, on_disk.tree)
    return buffers if isinstance(buffers, GitFailed) else _Staged(buffers.tree, plan, buffers)


async def _on_disk(
    look: Look, status: Status, planned: _Planned, parent: CommitFacts | None
) -> DiskTree | GitFailed:
    """Make the tree; the last one is taken where nothing that decides it has changed since."""
    plan, known = planned.plan, planned.known
    if known is not None and known.tree is not None and await is_there(look.store, known.tree):
        return DiskTree(known.tree, ())
    head = await empty_tree(look.git, look.store) if parent is None else parent.tree
    if isinstance(head, GitFailed):
        return head
    differing = Differing(head, status.staged, plan.present, plan.entries)
    made = await tree_of_disk(look.git, look.store, look.place, differing)
    if isinstance(made, GitFailed):
        return made
    named = None if made.refused else known
    kept = await in_thread("remember the snapshot", remember, look, named, made.tree)
    return kept if isinstance(kept, GitFailed) else made


async def _parent(look: Look, head: str | None) -> CommitFacts | GitFailed | None:
    return None if head is None else await read_commit_in(look.git, look.store, look.place, head)


def _manifest(status: Status, staged: _Staged, in_progress: str | None) -> Manifest:
    plan, buffers = staged.plan, staged.buffers
    untracked = set(status.untracked)
    return Manifest(
        head=status.head,
        branch=status.branch,
        staged=tuple(one.path for one in status.tracked if one.staged != "."),
        modified=tuple(one.path for one in status.tracked if one.unstaged in "MTA"),
        deleted=tuple(
            one.path
            for one in status.tracked
            if "D" in one.staged + one.unstaged and one.path not in untracked
        ),
        untracked=plan.untracked,
        unsaved=buffers.taken,
        left_out=status.not_opened + plan.left_out + buffers.left_out,
        left_out_ignored=len(status.ignored),
        in_progress=in_progress,
    )


async def _commit(
    look: Look, tree: str, manifest: Manifest, parent: CommitFacts | None
) -> Snapshot | GitFailed:
    # What a commit of the user brought while we looked must be in the mirror before it is used.
    linked, commit = await both(
        refresh_objects(look.store, look.repository),
        _commit_of(look, tree, manifest.head, parent),
    )
    if isinstance(linked, GitFailed):
        return linked
    if isinstance(commit, GitFailed):
        return commit
    kept = await keep_new(look.store, f"base/{commit}", commit)
    if isinstance(kept, GitFailed):
        return kept
    match linked:
        case Mirroring.BORROWED:
            copied = await _copy_objects(look, commit)
            if isinstance(copied, GitFailed):
                return copied
        case Mirroring.LINKED | Mirroring.COPIED:
            pass
    return Snapshot(commit, tree, manifest)


async def _commit_of(
    look: Look, tree: str, head: str | None, parent: CommitFacts | None
) -> str | GitFailed:
    if head is not None and parent is not None and parent.tree == tree:
        return head
    date = _DATE_OF_THE_UNBORN if parent is None else parent.date
    return await commit_tree(look.git, look.store, tree, head, date, MESSAGE)


async def _copy_objects(look: Look, commit: str) -> GitFailed | None:
    """Copy what a base needs into the store, where the user's objects are only borrowed."""
    packed = await look.git.run(
        ["rev-list", "--objects", "--no-walk", "--no-object-names", commit], look.store.place
    )
    if isinstance(packed, GitFailed):
        return packed
    done = await look.git.run(
        ["pack-objects", "-q", look.store.objects / "pack" / "pack"],
        look.store.place,
        stdin=packed.stdout,
    )
    return done if isinstance(done, GitFailed) else None


def _begin(look: Look) -> Config:
    """Copy the index, and find out how the disk tells names apart."""
    # Nothing was ever added where there is none: git makes the index when it first needs one.
    with suppress(FileNotFoundError):
        copy_with_times(look.repository.git_dir / "index", look.index)
    return names_config(look.repository.work_tree)
