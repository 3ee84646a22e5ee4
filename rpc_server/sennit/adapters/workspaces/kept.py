"""Collects folders that are kept to be used again: spares, and the checkout to be copied from.

They hold nothing that is not elsewhere, so they go by age and by room alone. Each is taken like any
user of it would take it, under its lock, and deleted like any workspace.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from attrs import evolve, frozen

from sennit.adapters.git.collectable import size_of
from sennit.adapters.git.delete import Deleted, NotDeleted, delete_workspace
from sennit.adapters.git.files import in_thread
from sennit.adapters.git.lock import Busy, locked
from sennit.adapters.git.records import is_alive, read_record, record_file, write_record
from sennit.adapters.workspaces.leases import is_held, lock_of_lower
from sennit.adapters.workspaces.pristine import NAME, lock_of
from sennit.adapters.workspaces.spares import lock_of_spares, spares_of
from sennit.core.objects import GitFailed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sennit.adapters.git.records import Record
    from sennit.adapters.git.store import Store
    from sennit.adapters.platform.lives import Owner
    from sennit.adapters.workspaces.spares import Room

IN_USE = "somebody uses it by now"
_NO_ROOM = "there are more than are kept"


@frozen
class Keeping:
    """Which kept folders stay. Moments are in seconds since 1970.

    Of what was used after ``young`` nothing goes; of the rest what was not used since ``unused``
    goes, for the reason ``why``, and what there is no ``room`` for.
    """

    young: float
    unused: float
    why: str
    room: Room


@frozen
class KeptFolder:
    """A folder that can go: whose it is, how large in bytes, and why it goes."""

    store: Store
    record: Record
    size: int
    why: str


def look_at_kept(store: Store, keeping: Keeping) -> list[KeptFolder]:
    """Find the kept folders of a store that can go. Raises OSError."""
    return list(_found(store, keeping))


def _found(store: Store, keeping: Keeping) -> Iterator[KeptFolder]:
    room = keeping.room.size
    staying = 0
    for record in spares_of(store):
        used = _last_used(store, record)
        if used is None or is_alive(record.owner, store):
            continue
        size = size_of(record.folder)
        why = keeping.why if used < keeping.unused else ""
        if not why and (staying >= keeping.room.count or size > room):
            why = _NO_ROOM
        if why and used < keeping.young:
            yield KeptFolder(store, record, size, why)
        else:
            staying, room = staying + 1, room - size
    checkout = read_record(store, NAME)
    used = None if checkout is None else _last_used(store, checkout)
    if checkout is None or used is None or used >= min(keeping.unused, keeping.young):
        return
    if not is_held(store):
        yield KeptFolder(store, checkout, size_of(checkout.folder), keeping.why)


def _last_used(store: Store, record: Record) -> float | None:
    """When its record was written last, which everybody does who takes it or gives it back.

    Who makes a layer over the checkout may leave it as it is, and touches its lock.
    """
    files = [record_file(store, record.name)]
    if record.name == NAME:
        files.append(lock_of_lower(store))
    times = [file.stat().st_mtime for file in files if file.exists()]
    return max(times, default=None)


async def remove_kept(kept: KeptFolder, by: Owner) -> str | None:
    """Delete a kept folder that was found; gives why it stays if it does."""
    if kept.record.name == NAME:
        async with locked(lock_of(kept.store)) as held:
            return IN_USE if isinstance(held, Busy) else await _removed(kept, by, _is_free)
    async with locked(lock_of_spares(kept.store)) as held:
        if isinstance(held, Busy):
            return IN_USE
        taken = await in_thread("take a spare", _take, kept, by)
    return await _removed(kept, by, lambda _kept: taken)


async def _removed(
    kept: KeptFolder, by: Owner, is_ours: Callable[[KeptFolder], bool | GitFailed]
) -> str | None:
    ours = await in_thread("look at a kept folder", is_ours, kept)
    if isinstance(ours, GitFailed):
        return ours.stderr
    if not ours:
        return IN_USE
    gone = await delete_workspace(kept.store, kept.record.name, by)
    match gone:
        case Deleted():
            return None
        case NotDeleted(reason=reason):
            # What is left is as good as what an agent leaves: its next user writes it anew.
            await in_thread("give a kept folder back", write_record, kept.store, kept.record)
            return reason.value
        case GitFailed(stderr=stderr):
            return stderr
        case unknown:
            assert_never(unknown)


def _is_free(kept: KeptFolder) -> bool:
    """Tell whether it is as it was found, and nobody relies on it."""
    same = read_record(kept.store, kept.record.name) == kept.record
    return same and not (kept.record.name == NAME and is_held(kept.store))


def _take(kept: KeptFolder, by: Owner) -> bool:
    if not _is_free(kept) or is_alive(kept.record.owner, kept.store):
        return False
    write_record(kept.store, evolve(kept.record, owner=by))
    return True
