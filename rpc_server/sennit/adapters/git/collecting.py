"""Collects what a store holds for nobody: commits that no row names, folders, files left behind.

No object goes while an agent is at work, since its workspace borrows them. The store is locked
meanwhile. What one step cannot do does not keep the others from their work, as far as they are safe
without it.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from attrs import field, frozen

from sennit.adapters.git.collectable import changed, is_in_a_call, size_of, still_there
from sennit.adapters.git.delete import (
    Deleted,
    NotDeleted,
    delete_workspace,
    remove_tree,
    removed,
)
from sennit.adapters.git.files import in_thread
from sennit.adapters.git.lock import Busy, locked
from sennit.adapters.git.repacking import repack
from sennit.adapters.git.stage import nul_ended
from sennit.core.objects import GitFailed
from sennit.core.uris import display

if TYPE_CHECKING:
    from sennit.adapters.git.collectable import Collectable, Needed
    from sennit.adapters.git.git import Git
    from sennit.adapters.platform.lives import Owner


@frozen
class Collected:
    """What was freed, in bytes, and what stayed, in words."""

    freed: int
    kept: tuple[str, ...] = field(default=())


async def collect(
    git: Git, found: Collectable, needed: Needed, before: float, by: Owner
) -> Collected | GitFailed:
    """Remove what was found, and then the objects that nothing needs.

    What could not be done is told in ``kept``; the next time finds it again.
    """
    store = found.store
    async with locked(store.lock) as held:
        if isinstance(held, Busy):
            why = held.why or f"{store.root} is in use"
            return GitFailed("collect a store", None, why, "Try again.")
        size = await in_thread("measure a store", size_of, store.root)
        if isinstance(size, GitFailed):
            return size
        kept, freed = await _without_workspaces(found, by)
        for failed in (
            await _without_files(found, before),
            await _without_objects(git, found, needed, before),
        ):
            kept += () if failed is None else (failed,)
        after = await in_thread("measure a store", size_of, store.root)
    return after if isinstance(after, GitFailed) else Collected(max(0, freed + size - after), kept)


async def _without_files(found: Collectable, before: float) -> str | None:
    what = "remove what was left behind"
    staying = await in_thread(what, _remove_all, found.files, before)
    if isinstance(staying, GitFailed):
        return _told(found, staying)
    said = ", ".join(f"{display(one.where)} ({one.reason.value})" for one in staying)
    return f"what was left behind: {said}" if said else None


async def _without_objects(
    git: Git, found: Collectable, needed: Needed, before: float
) -> str | None:
    """Let go of commits, then of objects: without the first there is nothing to gain by that."""
    failed = await _without_refs(git, found)
    if failed is not None:
        return _told(found, failed)
    if needed.at_work:
        return f"the objects of {found.store.root}: agents are at work and may use them"
    called = await in_thread("look for calls", is_in_a_call, found.store)
    if isinstance(called, GitFailed):
        return _told(found, called)
    if called:
        return f"the objects of {found.store.root}: a call is at work and may have made some"
    needs = needed.objects | found.borrowed
    failed = await repack(git, found.store, needs, before, found.loose)
    return None if failed is None else _told(found, failed)


def _told(found: Collectable, failed: GitFailed) -> str:
    advice = failed.advice or "Run `sennit gc` again."
    return f"a part of {found.store.root}: {failed.doing}: {failed.stderr.strip()}. {advice}"


async def _without_workspaces(found: Collectable, by: Owner) -> tuple[tuple[str, ...], int]:
    kept: list[str] = []
    freed = 0
    for record in found.workspaces:
        size = await in_thread("measure a workspace", size_of, record.folder)
        gone = await delete_workspace(found.store, record.name, by)
        if isinstance(gone, Deleted):
            freed += size if isinstance(size, int) else 0
        else:
            why = gone.stderr if isinstance(gone, GitFailed) else gone.reason.value
            kept.append(f"the workspace {record.folder}: {why}")
    return tuple(kept), freed


async def _without_refs(git: Git, found: Collectable) -> GitFailed | None:
    refs = found.refs
    while refs:
        # With its value: one that was written anew in the meantime stays, and all are asked again.
        lines = [f"delete {one.name}\0{one.commit}".encode() for one in refs]
        asked = ["update-ref", "-z", "--stdin"]
        done = await git.run(asked, found.store.place, stdin=nul_ended(lines))
        if not isinstance(done, GitFailed):
            return None
        left = await in_thread("read refs", still_there, found.store, refs)
        if isinstance(left, GitFailed) or left == refs:
            return left if isinstance(left, GitFailed) else done
        # A ticket that is being dropped has let go of some itself.
        refs = left
    return None


def _remove_all(files: tuple[Path, ...], before: float) -> tuple[NotDeleted, ...]:
    """Remove files and folders; what stays is given, and keeps no other from going.

    What was changed since it was found is in use again.
    """
    found = [_remove(file) for file in files if changed(file) < before]
    return tuple(one for one in found if one is not None)


def _remove(file: Path) -> NotDeleted | None:
    name, where = os.fsencode(file.name), os.fsencode(file)
    try:
        parent = os.open(file.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    try:
        if file.is_dir() and not file.is_symlink():
            return remove_tree(parent, name, where)
        return removed(os.unlink, parent, name, where)
    finally:
        os.close(parent)
