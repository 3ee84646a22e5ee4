"""Prepares an application to a work tree: the bytes to write, the bytes to keep, every obstacle.

Content goes through git's own checkout, so that line endings, encodings and filters are the
user's. What lies on disk must be, cleaned by git, what the tree before holds.
"""

from __future__ import annotations

import os
import secrets
import shutil
import stat
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

import anyio
import anyio.to_thread
from attrs import frozen

from sennit.adapters.git.changed_rules import under_rules
from sennit.adapters.git.checkout import Source, check_out, rules_among
from sennit.adapters.git.disk_abilities import Keeps, kept_on
from sennit.adapters.git.disk_obstacles import (
    Look,
    Plan,
    Seen,
    changed_since,
    look_at_all,
    troubles_of_names,
    troubles_of_unwritten,
    troubles_on_disk,
)
from sennit.adapters.git.file_texts import in_its_own_endings
from sennit.adapters.git.files import in_thread, make_private_folder
from sennit.adapters.git.raw_trees import Sides
from sennit.adapters.git.respelled import missing_folders
from sennit.adapters.git.trees import changed_paths, tree_entries
from sennit.core.disk_application import (
    DiskKind,
    Intention,
    OnDisk,
    PathTrouble,
    Staged,
    Step,
    Trouble,
    Unstageable,
)
from sennit.core.names import collisions
from sennit.core.objects import MODE_EXECUTABLE, MODE_FILE, Entry, GitFailed
from sennit.core.units import parents

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sennit.adapters.git.discovery import Repository
    from sennit.adapters.git.git import Git
    from sennit.adapters.git.store import Store

Rules = Mapping[bytes, Entry | None]
_LFS_POINTER = b"version https://git-lfs.github.com/spec/"


@frozen
class Job:
    """What is to be staged: from one tree to another, in one work tree, under an id.

    ``only`` limits it to some paths, such as those that no editor has open. ``unwritten`` are paths
    of ``before`` at which nothing lies on the disk: they are written whole. ``taken_away`` are
    paths of ``after`` that are to be removed from the disk, since git does not look for them there.
    ``known`` are paths that are known to hold ``before``, though git may read them otherwise.
    """

    id: str
    before: str
    after: str
    only: frozenset[bytes] | None = None
    unwritten: frozenset[bytes] = frozenset()
    taken_away: frozenset[bytes] = frozenset()
    known: frozenset[bytes] = frozenset()

    def on_disk(self, path: bytes, sides: Sides) -> Sides:
        """What lies on the disk where a path has these sides, and what is to lie there."""
        return Sides(
            None if path in self.unwritten else sides.before,
            None if path in self.taken_away else sides.after,
        )


async def stage(
    git: Git, store: Store, repository: Repository, job: Job
) -> Staged | Unstageable | GitFailed:
    """Prepare everything that turns the work tree's files from ``before`` into ``after``.

    Nothing of the user's is written. Everything that stands in the way is told at once.
    """
    sides = await changed_paths(git, store, job.before, job.after)
    if isinstance(sides, GitFailed):
        return sides
    plan = {path: two for path, two in sides.items() if job.only is None or path in job.only}
    troubles = list(troubles_of_names(plan))
    plan = {path: job.on_disk(path, two) for path, two in plan.items()}
    troubles += troubles_of_unwritten(plan)
    if troubles:
        return Unstageable(tuple(troubles))
    work_tree = os.fsencode(repository.work_tree)
    seen = await in_thread("look at the work tree", look_at_all, work_tree, plan)
    if isinstance(seen, GitFailed):
        return seen
    troubles = list(troubles_on_disk(plan, seen, work_tree))
    doubtful = {path: two for path, two in plan.items() if path not in job.known}
    changed = await changed_since(git, store, repository, doubtful, seen)
    if isinstance(changed, GitFailed):
        return changed
    named = {trouble.path for trouble in troubles}
    troubles += [trouble for trouble in changed if trouble.path not in named]
    if troubles:
        return Unstageable(tuple(troubles))
    rules = rules_among(sides)
    staged: Staged | Unstageable | GitFailed | None = None
    try:
        staged = await _laid_out(git, store, repository, job, plan, seen, rules)
    finally:
        if not isinstance(staged, Staged):
            with anyio.CancelScope(shield=True):
                await anyio.to_thread.run_sync(
                    shutil.rmtree, store.root / "applications" / job.id, True
                )
    return staged


async def _laid_out(
    git: Git,
    store: Store,
    repository: Repository,
    job: Job,
    plan: Plan,
    seen: Look,
    rules: Rules,
) -> Staged | Unstageable | GitFailed:
    folder = store.root / "applications" / job.id
    made = await in_thread("make the staging folder", make_private_folder, folder / "after")
    if isinstance(made, GitFailed):
        return made
    created = [path for path, sides in plan.items() if sides.after is not None]
    source = Source(job.after, rules)
    failed = await check_out(git, store, repository, source, folder / "after", created)
    if failed is not None:
        return failed
    kept = await _keep_endings(git, store, repository, job, folder, plan, seen, rules)
    if kept is not None:
        return kept
    troubles = await _lfs_troubles(git, store, repository, folder, created, seen, rules)
    if isinstance(troubles, GitFailed):
        return troubles
    if troubles:
        return Unstageable(tuple(troubles))
    intention = await in_thread(
        "keep what is replaced", _intention, store, repository, job, folder, plan, seen
    )
    if isinstance(intention, GitFailed):
        return intention
    return await _with_collisions(git, store, job, plan, intention)


async def _keep_endings(
    git: Git,
    store: Store,
    repository: Repository,
    job: Job,
    folder: Path,
    plan: Plan,
    seen: Look,
    rules: Rules,
) -> GitFailed | None:
    """Bring changed texts into the line endings that they have on the disk."""
    changed = [
        path
        for path, sides in plan.items()
        if sides.before is not None
        and sides.after is not None
        and {sides.before.mode, sides.after.mode} <= {MODE_FILE, MODE_EXECUTABLE}
    ]
    if not changed:
        return None
    made = await in_thread("make the staging folder", make_private_folder, folder / "was")
    if isinstance(made, GitFailed):
        return made
    # Under the rules of the tree after, or else every line would seem to change with a rule.
    before = Source(job.before, rules)
    failed = await check_out(git, store, repository, before, folder / "was", changed)
    if failed is not None:
        return failed
    done = await in_thread("keep the line endings", _rewrite, folder, changed, seen)
    return done if isinstance(done, GitFailed) else None


def _rewrite(folder: Path, paths: Sequence[bytes], seen: Look) -> None:
    for path in paths:
        one, name = seen[path], os.fsdecode(path)
        if isinstance(one, Seen):
            was, file = (folder / "was" / name).read_bytes(), folder / "after" / name
            becomes = file.read_bytes()
            content = in_its_own_endings(one.content, was, becomes)
            if content != becomes:
                file.write_bytes(content)
    shutil.rmtree(folder / "was")


async def _lfs_troubles(
    git: Git,
    store: Store,
    repository: Repository,
    folder: Path,
    paths: Sequence[bytes],
    seen: Look,
    rules: Rules,
) -> list[PathTrouble] | GitFailed:
    """Name large files whose content git-lfs did not bring: a pointer is never written over it."""
    pointers = await in_thread("look for pointers", _pointers, folder / "after", paths)
    if isinstance(pointers, GitFailed):
        return pointers
    if not pointers:
        return []
    asked = b"".join(path + b"\0" for path in pointers)
    async with under_rules(git, store, repository.work_tree, rules) as work_tree:
        if isinstance(work_tree, GitFailed):
            return work_tree
        place = store.over(work_tree, store.scratch / "none")
        done = await git.run(
            ["check-attr", "-z", "--stdin", "filter"], place, stdin=asked, config=store.neutral
        )
    if isinstance(done, GitFailed):
        return done
    fields = done.stdout.split(b"\0")
    filtered = {
        path for path, value in zip(fields[::3], fields[2::3], strict=False) if value == b"lfs"
    }
    said = "its content is kept by git-lfs, which is not available here; install git-lfs and fetch"
    return [
        PathTrouble(path, Trouble.LFS, said)
        for path in pointers
        if path in filtered and not _was_pointer(seen[path])
    ]


def _pointers(folder: Path, paths: Iterable[bytes]) -> list[bytes]:
    return [
        path
        for path in paths
        if not (file := folder / os.fsdecode(path)).is_symlink()
        and file.read_bytes()[: len(_LFS_POINTER)] == _LFS_POINTER
    ]


def _was_pointer(seen: Seen | PathTrouble) -> bool:
    return isinstance(seen, Seen) and seen.content.startswith(_LFS_POINTER)


def _intention(
    store: Store,
    repository: Repository,
    job: Job,
    folder: Path,
    plan: Plan,
    seen: Look,
) -> Intention:
    keeps = kept_on(store.users_disk)
    make_private_folder(folder / "before")
    # Deletions come first, the deepest before the others: a folder can give way to a file.
    ordered = sorted(plan, key=lambda path: _turn(path, plan[path]))
    steps: list[Step] = []
    for path in ordered:
        one = seen[path]
        found = one.found if isinstance(one, Seen) and isinstance(one.found, OnDisk) else None
        after = _image_after(folder, path, plan[path], found, keeps)
        if found is not None and found.same_as(after):
            continue
        if found is not None and isinstance(one, Seen):
            # In a folder that is new and ours alone, so there is nobody who could read half of it.
            (folder / "before" / str(len(steps))).write_bytes(one.content)
        beside = b".sennit-%s-%d" % (secrets.token_hex(6).encode(), len(steps))
        sides = plan[path]
        steps.append(Step(path, sides.before, sides.after, found, after, beside))
    work_tree = os.fsencode(repository.work_tree)
    return Intention(
        id=job.id,
        work_tree=work_tree,
        folder=os.fsencode(folder),
        steps=tuple(steps),
        new_folders=tuple(missing_folders(work_tree, [step.path for step in steps if step.after])),
        modes=keeps.modes,
    )


def _turn(path: bytes, sides: Sides) -> tuple[int, int, bytes]:
    return (1, 0, path) if sides.after is not None else (0, -path.count(b"/"), path)


def _image_after(
    folder: Path, path: bytes, sides: Sides, found: OnDisk | None, keeps: Keeps
) -> OnDisk | None:
    """Describe what will lie there; a file keeps its permissions but for the executable bit."""
    if sides.after is None:
        return None
    file = folder / "after" / os.fsdecode(path)
    content = os.fsencode(file.readlink()) if file.is_symlink() else file.read_bytes()
    digest = sha256(content).hexdigest()
    if file.is_symlink() and keeps.links:
        return OnDisk(DiskKind.LINK, digest)
    if found is None or found.kind is not DiskKind.FILE:
        plain = MODE_FILE & 0o777
        permissions = plain if file.is_symlink() else stat.S_IMODE(file.stat().st_mode)
        return OnDisk(DiskKind.FILE, digest, permissions)
    if not keeps.modes and sides.before is not None and sides.before.mode == sides.after.mode:
        return OnDisk(DiskKind.FILE, digest, found.permissions)
    permissions = found.permissions & ~0o111
    if sides.after.mode == MODE_EXECUTABLE:
        # Whoever may read it may run it, as when git sets the bit.
        permissions |= (permissions & 0o444) >> 2
    return OnDisk(DiskKind.FILE, digest, permissions)


async def _with_collisions(
    git: Git, store: Store, job: Job, plan: Plan, intention: Intention
) -> Staged | Unstageable | GitFailed:
    """Name what a file system without case could not keep apart; refuse it on such a one."""
    created = {path for path, sides in plan.items() if sides.before is None}
    if not created:
        return Staged(intention)
    entries = await tree_entries(git, store, job.after)
    if isinstance(entries, GitFailed):
        return entries
    everything = {name for path in entries for name in (path, *parents(path))}
    new = {name for path in created for name in (path, *parents(path))}
    groups = tuple(group for group in collisions(everything) if new & set(group))
    if groups and _ignores_case(intention):
        said = "another name differs from it only by case or Unicode form, which is one file here"
        return Unstageable(
            tuple(PathTrouble(group[0], Trouble.NAME_COLLISION, said) for group in groups)
        )
    return Staged(intention, groups)


def _ignores_case(intention: Intention) -> bool:
    """Ask the work tree's own file system: ``.git`` is there under its own name."""
    return Path(os.fsdecode(intention.work_tree), ".GIT").exists()
