"""Fills a workspace as a layer over the kept checkout: only what differs from that is written.

The folder of the workspace is the upper layer itself. It is mounted, over itself, where the agent
runs and nowhere else; from outside it holds its git directory, what was copied into it, what the
agent changed, and what the kept checkout has otherwise than the base.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from attrs import evolve, frozen

from sennit.adapters.git.files import copy_with_times, in_thread, write_private
from sennit.adapters.git.full_disk import told_if_full
from sennit.adapters.git.lock import Busy, locked
from sennit.adapters.git.records import (
    Record,
    begun_file,
    index_file,
    read_record,
    record_file,
    work_folder,
    write_record,
)
from sennit.adapters.git.stage import nul_ended
from sennit.adapters.git.submodules import submodules_of
from sennit.adapters.git.trees import changed_paths, entries_at
from sennit.adapters.git.upper import make_opaque, make_whiteout, to_hide
from sennit.adapters.git.workspace import CHECKOUT
from sennit.adapters.workspaces import leases
from sennit.adapters.workspaces.meddling import meddled_with
from sennit.adapters.workspaces.pristine import (
    NAME,
    Hear,
    brought,
    lock_of,
    unusable,
    usable,
)
from sennit.core.objects import GitFailed

if TYPE_CHECKING:
    from sennit.adapters.git.raw_trees import Sides
    from sennit.adapters.git.store import Store
    from sennit.adapters.git.workspace import Making

_FEW = 200
"""So many files are quicker written for each workspace than the kept checkout is brought over."""
_MOST = 5_000
"""More are not written over a kept checkout that others rely on."""
_PATIENCE_S = 300.0
"""How long a task waits for others that fill the kept checkout, as long as git may take for it: to
write another one beside them would take both longer."""
_SUBMODULES = b".gitmodules"


@frozen
class _Lower:
    record: Record
    changed: dict[bytes, Sides]


@frozen
class Unlayered:
    """The workspace cannot be a layer this time, and why, in a few words for a person."""

    why: str


async def layered(
    making: Making, rules: str, hear: Hear = lambda _: None
) -> Record | Unlayered | GitFailed:
    """Fill the folder; not where the kept checkout is in use and too different, or unusable.

    ``hear`` is told what somebody else had changed there.

    Folders of submodules are there, empty and of the upper layer alone: they are filled, and
    captured, as in a plain checkout.
    """
    store = making.store
    async with locked(lock_of(store), seconds=_PATIENCE_S) as held:
        if isinstance(held, Busy):
            return Unlayered(_why_busy(held))
        lower = await _leased(making, rules, hear)
    if isinstance(lower, GitFailed):
        return Unlayered(unusable(lower))
    if isinstance(lower, Unlayered):
        return lower
    record = evolve(making.record, lower=str(lower.record.folder))
    begun = await in_thread("make a layer", _begin, making, record)
    if isinstance(begun, GitFailed):
        return begun
    if lower.changed:
        failed = await _differ(making, lower.changed)
        if failed is not None:
            return failed
    failed = await _room_for_submodules(making)
    return record if failed is None else failed


def _why_busy(held: Busy) -> str:
    if held.why:
        return f"the kept checkout cannot be used: {held.why}"
    return "the kept checkout was being brought to another base for too long"


async def _room_for_submodules(making: Making) -> GitFailed | None:
    store, folder = making.store, making.record.folder
    declared = await entries_at(making.git, store, making.record.tree, (_SUBMODULES,))
    if isinstance(declared, GitFailed):
        return declared
    place = store.over(folder, making.index)
    if declared:
        # Whoever fills them looks for it in the folder, where only the upper layer is to be seen.
        asked = ["checkout-index", "-q", "-f", "-u", "-z", "--stdin"]
        done = await making.git.run(asked, place, stdin=nul_ended([_SUBMODULES]), config=CHECKOUT)
        if isinstance(done, GitFailed):
            return done
    found = await submodules_of(making.git, place)
    if isinstance(found, GitFailed):
        return found
    paths = [one.path for one in found]
    return await in_thread("make folders", _make_opaque, os.fsencode(folder), paths)


def _make_opaque(root: bytes, paths: list[bytes]) -> None:
    for path in paths:
        make_opaque(root, path)


async def _leased(making: Making, rules: str, hear: Hear) -> _Lower | Unlayered | GitFailed:
    """Bring the kept checkout near the base and hold it; not where others hold another one."""
    changed = await _changed(making, rules)
    if isinstance(changed, GitFailed):
        return changed
    meddled = await in_thread("look at the kept checkout", _is_meddled_with, making.store)
    if isinstance(meddled, GitFailed):
        return meddled
    if meddled or changed is None or len(changed) > _FEW:
        used = await in_thread("look at leases", leases.is_held, making.store)
        if isinstance(used, GitFailed):
            return used
        if not used:
            return await _brought_and_held(making, rules, hear)
        if meddled:
            return Unlayered(
                "other tasks work over the kept checkout, in which somebody has changed files"
            )
        if changed is None or len(changed) > _MOST:
            return Unlayered(
                "other tasks work over the kept checkout, which holds another base than this task's"
            )
    return await in_thread("hold the kept checkout", _hold, making, changed)


async def _brought_and_held(making: Making, rules: str, hear: Hear) -> _Lower | GitFailed:
    record = making.record
    failed = await brought(making.git, making.store, record.base, record.tree, rules, hear)
    if failed is not None:
        return failed
    return await in_thread("hold the kept checkout", _hold, making, {})


def _is_meddled_with(store: Store) -> bool:
    kept = read_record(store, NAME)
    return kept is not None and kept.tree != "" and bool(meddled_with(store, kept))


def _hold(making: Making, changed: dict[bytes, Sides]) -> _Lower:
    record = read_record(making.store, NAME)
    if record is None:
        raise FileNotFoundError(2, "its record is gone", str(making.store.records))
    leases.hold(making.store, making.record.name, making.record.owner)
    # Who clears up goes by when it was used last.
    os.utime(record_file(making.store, NAME))
    return _Lower(record, changed)


async def _changed(making: Making, rules: str) -> dict[bytes, Sides] | GitFailed | None:
    """What the base has otherwise than the kept checkout; None where that is not usable."""
    store, tree = making.store, making.record.tree
    record = await in_thread("read a record", read_record, store, NAME)
    if isinstance(record, GitFailed) or record is None:
        return record
    if not await usable(making.git, store, record, tree, rules):
        return None
    return {} if record.tree == tree else await changed_paths(making.git, store, record.tree, tree)


def _begin(making: Making, record: Record) -> None:
    """Write the record, the work folder of the mount, and the index of the kept checkout."""
    store = making.store
    write_record(store, record)
    work_folder(record).mkdir(mode=0o700, parents=True)
    copy_with_times(index_file(store, NAME), making.index)


async def _differ(making: Making, changed: dict[bytes, Sides]) -> GitFailed | None:
    """Write what the base has otherwise, and hide what it has not."""
    written = [path for path, sides in changed.items() if sides.after is not None]
    folder = making.record.folder
    plain = making.store.over(folder, making.index)
    # An index of the base that knows the files of the lower layer as it knew them before.
    asked = ["read-tree", "-m", "-i", making.record.base]
    done = await making.git.run(asked, plain, config=CHECKOUT)
    if isinstance(done, GitFailed):
        return done
    if written:
        paths = nul_ended(written)
        begun = begun_file(making.store, making.record.name)
        noted = await in_thread("note what a layer begins with", write_private, begun, paths)
        if isinstance(noted, GitFailed):
            return noted
        # As a checkout does: what lies outside the sparse patterns is not written.
        write = ["checkout-index", "-q", "-f", "-u", "-z", "--stdin"]
        done = await making.git.run(write, plain, stdin=paths, config=CHECKOUT)
        if isinstance(done, GitFailed):
            base = making.record.base
            return await told_if_full(making.git, making.store, done, base=base, folder=folder)
    gone = [path for path, sides in changed.items() if _goes(sides)]
    if not gone:
        return None
    listed = await making.git.run(["ls-files", "-z"], plain)
    if isinstance(listed, GitFailed):
        return listed
    return await in_thread("hide files", _hide, os.fsencode(folder), gone, listed.stdout)


def _goes(sides: Sides) -> bool:
    """Whether the lower layer has something where the base has nothing."""
    return sides.before is not None and sides.after is None


def _hide(root: bytes, gone: list[bytes], listed: bytes) -> None:
    kept = [path for path in listed.split(b"\0") if path]
    for path in to_hide(gone, kept):
        make_whiteout(root, path)
