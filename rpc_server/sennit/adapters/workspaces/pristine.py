"""``pristine/``: a checkout in the store in which nobody works, kept to be copied from."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING

from attrs import evolve, frozen

from sennit.adapters.git.delete import Deleted, delete_workspace
from sennit.adapters.git.files import in_thread, write_private
from sennit.adapters.git.full_disk import told_if_full
from sennit.adapters.git.identity import UNBORN, identity_at
from sennit.adapters.git.lock import Busy, locked
from sennit.adapters.git.records import (
    NOBODY,
    Record,
    index_file,
    make_recorded,
    read_record,
    write_record,
)
from sennit.adapters.git.workspace import CHECKOUT
from sennit.adapters.workspaces.copying import clone_checkout
from sennit.adapters.workspaces.in_use import in_use
from sennit.adapters.workspaces.leases import is_held
from sennit.adapters.workspaces.meddling import meddled_with
from sennit.adapters.workspaces.rules import same_attributes
from sennit.adapters.workspaces.stripping import folders_in, strip
from sennit.core.objects import GitFailed

if TYPE_CHECKING:
    from pathlib import Path

    from sennit.adapters.git.git import Git
    from sennit.adapters.git.store import Store
    from sennit.adapters.git.workspace import Making
    from sennit.core.objects import Snapshot

Hear = Callable[[tuple[bytes, ...]], object]
"""Hears of paths of the kept checkout that somebody else had changed, none as a rule."""
NAME = "pristine"
PATIENCE_S = 2.0
"""How long a task waits for somebody else who works on it, before it gets a plain checkout."""
_UNKNOWN = ""


@frozen
class NotCloned:
    """There is nothing to copy from this time, and why, in a few words for a person."""

    why: str


async def cloned(
    making: Making, rules: str, hear: Hear = lambda _: None
) -> Record | NotCloned | GitFailed:
    """Fill a folder with copies of the kept checkout, which is brought to the base before.

    Not where somebody works on that, or relies on it as it is, or where it cannot be brought.
    """
    store, record = making.store, making.record
    async with locked(lock_of(store), seconds=PATIENCE_S) as held:
        if isinstance(held, Busy) and held.why:
            return NotCloned(f"the kept checkout cannot be used: {held.why}")
        if isinstance(held, Busy) or await _is_in_use(store):
            return NotCloned("the kept checkout is in use just now")
        failed = await brought(making.git, store, record.base, record.tree, rules, hear)
        if failed is not None:
            return NotCloned(unusable(failed))
        copied = await in_thread(
            "copy the kept checkout",
            clone_checkout,
            folder_of(store),
            index_file(store, NAME),
            record.folder,
            store.object_format,
        )
    if isinstance(copied, GitFailed):
        # A plain checkout writes over what was copied, and may have room where this had none.
        return NotCloned(f"the kept checkout could not be copied: {copied.stderr.rstrip('.')}")
    written = await in_thread("write an index", write_private, making.index, copied)
    return written if isinstance(written, GitFailed) else record


async def prepare_pristine(
    git: Git, store: Store, snapshot: Snapshot, rules: str
) -> GitFailed | None:
    """Bring the kept checkout to a base ahead of need; does nothing while somebody works on it."""
    async with locked(lock_of(store), seconds=0.0) as held:
        if isinstance(held, Busy) or await _is_in_use(store):
            return None
        return await brought(git, store, snapshot.commit, snapshot.tree, rules)


def unusable(failed: GitFailed) -> str:
    """Say, as a part of a sentence, that the kept checkout cannot be used, and why."""
    return f"the kept checkout cannot be used: {failed.stderr.strip().rstrip('.')}"


def folder_of(store: Store) -> Path:
    """Where the kept checkout lies."""
    return store.root / NAME


async def _is_in_use(store: Store) -> bool:
    """Whether it is the lower layer of some workspace; if that cannot be told, it may be."""
    return await in_thread("look at leases", is_held, store) is not False


def lock_of(store: Store) -> Path:
    """Name the lock that whoever works on it, or relies on it from now on, has to hold."""
    return store.root / f"{NAME}.lock"


async def brought(
    git: Git, store: Store, base: str, tree: str, rules: str, hear: Hear = lambda _: None
) -> GitFailed | None:
    """Bring it to a base; the caller holds its lock, and nobody relies on it.

    Until that is done its record says that nobody knows what it holds. ``hear`` is told paths that
    somebody else had changed there.
    """
    kept = await _kept(git, store, tree, rules, hear)
    if isinstance(kept, GitFailed):
        return kept
    place = store.over(kept.folder, index_file(store, NAME))
    done = await git.run(["read-tree", "--reset", "-u", base], place, config=CHECKOUT)
    if isinstance(done, GitFailed):
        told = await told_if_full(git, store, done, base=base, folder=kept.folder)
        # Half of it is of use to nobody, and what it takes may be what there was no room for.
        await delete_workspace(store, NAME, NOBODY)
        return told
    record = evolve(kept, base=base, tree=tree, rules=rules)
    written = await in_thread("keep a checkout", write_record, store, record)
    return written if isinstance(written, GitFailed) else None


async def _kept(git: Git, store: Store, tree: str, rules: str, hear: Hear) -> Record | GitFailed:
    """Give its record, marked as unknown; one that cannot be used again is made anew, empty."""
    record = await in_thread("read a record", read_record, store, NAME)
    if isinstance(record, GitFailed):
        return record
    used = await in_thread("look for processes", _used_by_others, record)
    if used is not None:
        return used
    if record is not None and await usable(git, store, record, tree, rules):
        begun = await in_thread("keep a checkout", _begin, store, record, hear)
        if isinstance(begun, Record):
            return begun
    if record is not None:
        gone = await delete_workspace(store, NAME, NOBODY)
        if isinstance(gone, GitFailed):
            return gone
        if not isinstance(gone, Deleted):
            where = os.fsdecode(gone.where)
            return GitFailed("keep a checkout", None, f"{where} cannot be removed")
    return await in_thread("keep a checkout", _new, store)


def _used_by_others(record: Record | None) -> GitFailed | None:
    """Say who goes on with it after its server was killed while it was brought to a base."""
    if record is None or record.tree != _UNKNOWN:
        return None
    return in_use("keep a checkout", record.folder)


async def usable(git: Git, store: Store, record: Record, tree: str, rules: str) -> bool:
    """Tell whether what it holds was written as the files of ``tree`` would be."""
    if record.rules != rules or record.tree == _UNKNOWN:
        return False
    if await in_thread("look at the kept checkout", _is_there, store) is not True:
        return False
    return await same_attributes(git, store, record.tree, tree) is True


def _is_there(store: Store) -> bool:
    return obstacle(store) is None and folder_of(store).exists()


def obstacle(store: Store) -> str | None:
    """Say what lies in the place of the kept checkout, if it is not that; raises OSError."""
    folder = folder_of(store)
    record = read_record(store, NAME)
    try:
        found = identity_at(folder)
    except FileNotFoundError:
        return None
    except NotADirectoryError:
        return f"{folder} is no folder of ours"
    if record is None or not record.identity.is_that_of(found):
        return f"{folder} is another folder than the one that was made"
    return None if os.access(folder, os.W_OK | os.X_OK) else f"{folder} may not be written"


def _begin(store: Store, record: Record, hear: Hear) -> Record:
    hear(meddled_with(store, record))
    index = index_file(store, NAME)
    stopped = strip(record, folders_in(index.read_bytes(), store.object_format))
    if stopped is not None:
        raise OSError(1, "it cannot be removed", stopped.where)
    index.with_name(index.name + ".lock").unlink(missing_ok=True)
    unknown = evolve(record, tree=_UNKNOWN)
    write_record(store, unknown)
    return unknown


def _new(store: Store) -> Record:
    return make_recorded(store, Record(NAME, folder_of(store), UNBORN, "", _UNKNOWN, NOBODY))
