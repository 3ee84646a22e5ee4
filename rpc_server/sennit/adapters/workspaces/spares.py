"""The pool: folders of tasks that are over, kept to be brought to another base.

A spare has a record like a workspace, whose owner is nobody. An agent may have broken anything in
its folder, so nothing there is believed: its git directory and all that our own index does not name
are removed, and git writes anew whatever differs from that index by inode, size or time. The
change time is compared too, which no program can set, so that an edit which puts the old time and
size back does not survive.
"""

from __future__ import annotations

import logging
import os
import secrets
from typing import TYPE_CHECKING

import anyio
from attrs import evolve, frozen

from sennit.adapters.git.delete import Deleted, Deletion, NotDeleted, delete_workspace
from sennit.adapters.git.disk_clock import tells_changes
from sennit.adapters.git.files import copy_with_times, in_thread, read_if_there, write_private
from sennit.adapters.git.identity import identity_at
from sennit.adapters.git.index_file import disk_size
from sennit.adapters.git.lock import Busy, locked
from sennit.adapters.git.records import (
    NOBODY,
    SPARE,
    Record,
    folders_file,
    index_file,
    is_alive,
    read_record,
    remove_record,
    write_record,
)
from sennit.adapters.git.workspace import CHECKOUT
from sennit.adapters.platform.lives import Owner
from sennit.adapters.workspaces.in_use import in_use
from sennit.adapters.workspaces.rules import same_attributes
from sennit.adapters.workspaces.stripping import (
    folders_in,
    is_as_stripped,
    look_at_stripped,
    strip,
    tells_edits,
)
from sennit.core.objects import GitFailed

if TYPE_CHECKING:
    from pathlib import Path

    from sennit.adapters.git.store import Store
    from sennit.adapters.git.workspace import Making

logger = logging.getLogger(__name__)

FOLDER = ".spare"
"""The folder of spares, beside workspaces."""
_LEAST_FREE = 2 << 30
_OWNER_MAY_ALL = 0o700
_AGAIN = "use a folder again"


@frozen
class Room:
    """How many spares of a repository may be kept, and how many bytes they may take on the disk."""

    count: int
    size: int


@frozen
class Spared:
    """The workspace is gone from its place; its folder is kept as a spare of this name."""

    name: str


@frozen
class _Claimed:
    record: Record
    unusable: GitFailed | None


async def reuse(making: Making, rules: str) -> Record | None:
    """Bring a spare to the base and to the place of ``making``; None where there is none to use.

    One that cannot be used is deleted, since what is wrong with it is not known.
    """
    store, owner = making.store, making.record.owner
    async with locked(lock_of_spares(store)) as held:
        if isinstance(held, Busy):
            return None
        spare = await in_thread("look for a spare", _claim, store, owner, rules)
    if isinstance(spare, GitFailed):
        logger.warning("No spare folder is used: %s", spare.stderr)
        return None
    return None if spare is None else await _taken(making, spare)


async def _taken(making: Making, claimed: _Claimed) -> Record | None:
    store, spare = making.store, claimed.record
    try:
        taken = claimed.unusable or await _reset_and_moved(making, spare)
    except anyio.get_cancelled_exc_class():
        # Half reset is as good as not at all: what differs from its own index is written anew.
        with anyio.CancelScope(shield=True):
            await in_thread("give a spare back", give_up, store, spare.name)
        raise
    if isinstance(taken, Record):
        return taken
    logger.warning("The spare folder %s is given up: %s", spare.folder, taken.stderr)
    await delete_workspace(store, spare.name, making.record.owner)
    return None


async def release_workspace(
    store: Store, name: str, by: Owner, room: Room
) -> Spared | Deletion | GitFailed:
    """Be done with a workspace: keep its folder as a spare where there is room, else delete it.

    The conditions are those of ``delete_workspace``.
    """
    async with locked(lock_of_spares(store)) as held:
        if isinstance(held, Busy):
            return await delete_workspace(store, name, by)
        kept = await in_thread("keep a spare", _keep, store, name, by, room)
    await _trim(store, by, room, kept.rules if isinstance(kept, Record) else None)
    if isinstance(kept, Record):
        stopped = await in_thread("clear a spare", _clear, store, kept)
        if stopped is None:
            return Spared(kept.name)
        why = stopped.stderr if isinstance(stopped, GitFailed) else stopped.reason.value
        logger.warning("The folder of %s is not kept: %s", name, why)
        return await delete_workspace(store, kept.name, by)
    if isinstance(kept, GitFailed):
        logger.warning("The folder of %s is not kept: %s", name, kept.stderr)
    return await delete_workspace(store, name, by)


async def _trim(store: Store, by: Owner, room: Room, rules: str | None) -> None:
    """Delete spares that are too many, and those of rules that count no more."""
    found = await in_thread("look at spares", spares_of, store)
    if isinstance(found, GitFailed):
        logger.warning("Spare folders are not looked at: %s", found.stderr)
        return
    free = [one for one in found if not is_alive(one.owner, store)]
    stale = [one for one in free if rules is not None and one.rules != rules]
    too_many = [one for one in free if one not in stale][room.count :]
    for one in (*stale, *too_many):
        outcome = await delete_workspace(store, one.name, by)
        if not isinstance(outcome, Deleted):
            logger.warning("The spare folder %s stays: %s", one.folder, outcome)


def spares_of(store: Store) -> list[Record]:
    """Give the records of spares, the newest first."""
    names = (file.stem for file in store.records.glob(f"{SPARE}*.json"))
    found = [record for name in names if (record := read_record(store, name)) is not None]
    return sorted(found, key=lambda record: record.created, reverse=True)


def new_spare(workspaces: Path) -> Path:
    """Name a folder for a spare that is not there yet."""
    return workspaces / FOLDER / f"{SPARE}{secrets.token_hex(6)}"


def give_up(store: Store, name: str) -> None:
    """Let anybody use a spare that this process has made."""
    record = read_record(store, name)
    if record is not None:
        write_record(store, evolve(record, owner=NOBODY))


def lock_of_spares(store: Store) -> Path:
    """Name the lock that whoever takes a spare, or adds one, has to hold."""
    return store.root / "spares.lock"


def _claim(store: Store, owner: Owner, rules: str) -> _Claimed | None:
    for record in spares_of(store):
        if record.rules == rules and not is_alive(record.owner, store):
            claimed = evolve(record, owner=owner)
            write_record(store, claimed)
            # A git of a server that was killed goes on, and its work is not ours.
            given_up = None if record.owner == NOBODY else in_use(_AGAIN, record.folder)
            return _Claimed(claimed, given_up)
    return None


async def _reset(making: Making, spare: Record) -> GitFailed | None:
    git, store = making.git, making.store
    same = await same_attributes(git, store, spare.tree, making.record.tree)
    if isinstance(same, GitFailed):
        return same
    if not same:
        return GitFailed("reset a spare", None, "its files were written under other attributes")
    began = await in_thread("reset a spare", _begin_reset, making, spare)
    if isinstance(began, GitFailed):
        return began
    if isinstance(began, NotDeleted):
        return GitFailed("reset a spare", None, f"{os.fsdecode(began.where)} cannot be removed")
    place = store.over(spare.folder, making.index)
    asked = ["read-tree", "--reset", "-u", making.record.base]
    done = await git.run(asked, place, config=CHECKOUT)
    return done if isinstance(done, GitFailed) else None


def _begin_reset(making: Making, spare: Record) -> NotDeleted | None:
    """Bring the index of the spare, and clear its folder where anything came into it since."""
    store = making.store
    copy_with_times(index_file(store, spare.name), making.index)
    times = _times_in(read_if_there(folders_file(store, spare.name)))
    if times and is_as_stripped(spare.folder, times):
        return None
    return strip(spare, folders_in(making.index.read_bytes(), store.object_format))


async def _reset_and_moved(making: Making, spare: Record) -> Record | GitFailed:
    failed = await _reset(making, spare)
    return await in_thread("take a spare", _move, making, spare) if failed is None else failed


def _move(making: Making, spare: Record) -> Record:
    """Put the spare in the place of the empty folder."""
    record = evolve(making.record, identity=spare.identity, rules=spare.rules, size=spare.size)
    # First the empty one goes, which else no record would name; then the record comes: until the
    # rename nothing is in its place, and the spare is still named by its own record.
    record.folder.rmdir()
    write_record(making.store, record)
    spare.folder.rename(record.folder)
    remove_record(making.store, spare.name)
    return record


def _keep(store: Store, name: str, by: Owner, room: Room) -> Record | None:
    record = read_record(store, name)
    if record is None or not record.rules or (record.owner != by and is_alive(record.owner, store)):
        return None
    if not record.identity.is_that_of(identity_at(record.folder)):
        return None
    size = record.size or _size_of(store, record)
    if not _has_room(store, record.folder, size, room):
        return None
    folder = new_spare(record.folder.parent)
    folder.parent.mkdir(mode=0o700, exist_ok=True)
    if not _tells_changes(folder.parent):
        # There an edit may look as if there had been none.
        return None
    spare = evolve(record, name=folder.name, folder=folder, owner=by, size=size)
    os.link(index_file(store, name), index_file(store, spare.name))
    write_record(store, spare)
    try:
        # An agent may have locked it, and then its owner cannot move it either.
        record.folder.chmod(_OWNER_MAY_ALL)
        record.folder.rename(folder)
    except OSError:
        remove_record(store, spare.name)
        raise
    remove_record(store, name)
    return spare


def _tells_changes(folder: Path) -> bool:
    opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        return tells_changes(opened)
    finally:
        os.close(opened)


def _size_of(store: Store, record: Record) -> int:
    return disk_size(index_file(store, record.name).read_bytes(), store.object_format)


def _has_room(store: Store, folder: Path, size: int, room: Room) -> bool:
    others = spares_of(store)
    if len(others) >= room.count:
        return False
    if not leaves_room(folder, 0):
        return False
    return size + sum(other.size or _size_of(store, other) for other in others) <= room.size


def leaves_room(folder: Path, size: int) -> bool:
    """Whether so many bytes more at a place leave enough of its disk to others."""
    disk = os.statvfs(folder)
    return disk.f_bavail * disk.f_frsize >= _LEAST_FREE + size


def _clear(store: Store, spare: Record) -> NotDeleted | GitFailed | None:
    """Remove what an agent left beside the files of the base, then let anybody have it."""
    used = in_use(_AGAIN, spare.folder)
    if used is not None:
        return used
    index = index_file(store, spare.name).read_bytes()
    folders = folders_in(index, store.object_format)
    stopped = strip(spare, folders)
    if stopped is not None:
        return stopped
    found = look_at_stripped(spare.folder, folders)
    if found is not None and tells_edits(index, store.object_format, found.since):
        lines = (b"%d %s\0" % (changed, path) for path, changed in found.times.items())
        write_private(folders_file(store, spare.name), b"".join(lines))
    write_record(store, evolve(spare, owner=NOBODY))
    return None


def _times_in(listed: bytes | None) -> dict[bytes, int]:
    lines = (line.partition(b" ") for line in (listed or b"").split(b"\0")[:-1])
    return {path: int(changed) for changed, _, path in lines}
