"""Takes a snapshot of what the user sees: the work tree with staged, changed and unsaved text."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

import anyio
import anyio.to_thread
from attrs import evolve

from sennit.adapters.git.base_documents import Buffers, stage_documents
from sennit.adapters.git.base_plan import Plan, plan_of
from sennit.adapters.git.commits import CommitFacts, commit_tree, read_commit
from sennit.adapters.git.disk import existing
from sennit.adapters.git.files import both, copy_with_times, in_thread
from sennit.adapters.git.git import DISPOSABLE
from sennit.adapters.git.lfs import lfs_config
from sennit.adapters.git.look import Look, SnapshotLimits
from sennit.adapters.git.mirror import Mirroring, refresh_mirror
from sennit.adapters.git.stage import nul_ended, stage, write_tree
from sennit.adapters.git.status import Status, read_status
from sennit.adapters.git.store import keep_new, refresh
from sennit.core.objects import GitFailed, Manifest, Snapshot

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from sennit.adapters.git.discovery import Repository
    from sennit.adapters.git.git import Git
    from sennit.adapters.git.store import Store
    from sennit.core.objects import OpenDocument

MESSAGE = b"The work tree as its user saw it\n"
# A base without a parent gets a fixed date, so that equal trees are equal commits.
_DATE_OF_THE_UNBORN = 946_684_800
_IN_PROGRESS = {
    "rebase-merge": "rebase",
    "rebase-apply": "rebase",
    "MERGE_HEAD": "merge",
    "CHERRY_PICK_HEAD": "cherry-pick",
    "REVERT_HEAD": "revert",
    "BISECT_LOG": "bisect",
}


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
    index = store.scratch / f"index.{secrets.token_hex(6)}"
    look = Look(
        # Git compares files with an index, through the filters, even where it only writes one:
        # so every call of a snapshot leaves out the programs of a repository without trust.
        git.configured(lfs_config(store.git_dir) + repository.neutral + DISPOSABLE),
        store,
        repository,
        index,
        limits or SnapshotLimits(),
        documents,
        unsaved_elsewhere,
    )
    try:
        return await _snapshot(look)
    finally:
        with anyio.CancelScope(shield=True):
            await anyio.to_thread.run_sync(_remove, index)


async def _snapshot(look: Look) -> Snapshot | GitFailed:
    copied = await in_thread(
        "copy the index", _copy_index, look.repository.git_dir / "index", look.index
    )
    if isinstance(copied, GitFailed):
        return copied
    answers = await both(_refreshed_status(look), refresh(look.git, look.store, look.repository))
    status, store = answers
    if isinstance(status, GitFailed):
        return status
    if isinstance(store, GitFailed):
        return store
    return await _staged(evolve(look, store=store), status)


async def _staged(look: Look, status: Status) -> Snapshot | GitFailed:
    plan = await in_thread(
        "look at what changed", plan_of, look.root, status, look.limits.untracked_file
    )
    if isinstance(plan, GitFailed):
        return plan
    staged, parent = await both(
        stage(look.git, look.place, plan.present, plan.entries), _parent(look, status.head)
    )
    if isinstance(staged, GitFailed):
        return staged
    if isinstance(parent, GitFailed):
        return parent
    plan = plan.without(staged)
    buffers = await stage_documents(look, plan)
    if isinstance(buffers, GitFailed):
        return buffers
    manifest = await in_thread("describe the snapshot", _manifest, look, status, plan, buffers)
    if isinstance(manifest, GitFailed):
        return manifest
    return await _commit(look, manifest, parent)


async def _parent(look: Look, head: str | None) -> CommitFacts | GitFailed | None:
    return None if head is None else await read_commit(look.git, look.place, head)


async def _refreshed_status(look: Look) -> Status | GitFailed:
    """Look at the work tree, counting edits of files that git was told not to look at."""
    status, flagged = await both(
        read_status(look.git, look.place),
        look.git.run(["ls-files", "-v", "-z"], look.place),
    )
    if isinstance(flagged, GitFailed):
        return flagged
    paths = [record[2:] for record in flagged.stdout.split(b"\0") if record[:1] not in b"HM"]
    on_disk = await in_thread("look at flagged files", existing, look.root, paths)
    if isinstance(on_disk, GitFailed):
        return on_disk
    if not on_disk:
        return status
    for flag in ("--no-assume-unchanged", "--no-skip-worktree"):
        done = await look.git.run(
            ["update-index", flag, "-z", "--stdin"], look.place, stdin=nul_ended(on_disk)
        )
        if isinstance(done, GitFailed):
            return done
    return await read_status(look.git, look.place)


def _manifest(look: Look, status: Status, plan: Plan, buffers: Buffers) -> Manifest:
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
        left_out=plan.left_out + buffers.left_out,
        left_out_ignored=status.ignored,
        in_progress=_in_progress(look.repository.git_dir),
    )


def _in_progress(git_dir: Path) -> str | None:
    return next((what for name, what in _IN_PROGRESS.items() if (git_dir / name).exists()), None)


async def _commit(
    look: Look, manifest: Manifest, parent: CommitFacts | None
) -> Snapshot | GitFailed:
    tree = await write_tree(look.git, look.place)
    if isinstance(tree, GitFailed):
        return tree
    # What a commit of the user brought while we looked must be in the mirror before it is used.
    linked = await in_thread("refresh the store", _finish, look)
    if isinstance(linked, GitFailed):
        return linked
    commit = await _commit_of(look, tree, manifest.head, parent)
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
        case Mirroring.LINKED:
            pass
    return Snapshot(commit, tree, manifest)


def _finish(look: Look) -> Mirroring:
    look.index.replace(look.store.source_index)
    objects = look.repository.common_dir / "objects"
    return refresh_mirror(objects, look.store.objects, look.store.root / "mirror.json")


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


def _copy_index(source: Path, target: Path) -> None:
    try:
        copy_with_times(source, target)
    except FileNotFoundError:
        # Nothing was ever added: git makes the index when it first needs one.
        return


def _remove(index: Path) -> None:
    index.unlink(missing_ok=True)
    index.with_name(index.name + ".lock").unlink(missing_ok=True)
