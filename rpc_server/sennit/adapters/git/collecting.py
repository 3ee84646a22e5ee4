"""Collects what a store holds for nobody: commits that no row names, folders, files left behind.

Nothing younger than a moment that the caller gives is touched, and no object while an agent is at
work, since its workspace borrows them. The store is locked meanwhile.
"""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from attrs import evolve, field, frozen

from sennit.adapters.git.delete import Deleted, delete_workspace
from sennit.adapters.git.files import in_thread, read_if_there
from sennit.adapters.git.lock import Busy, locked
from sennit.adapters.git.records import (
    is_alive,
    read_record,
    refs_file,
    stores_of_submodules,
)
from sennit.adapters.git.repacking import repack
from sennit.adapters.git.stage import nul_ended
from sennit.adapters.git.store import REF_PREFIX
from sennit.adapters.walking import walked
from sennit.core.objects import GitFailed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from sennit.adapters.git.git import Git
    from sennit.adapters.git.records import Owner, Record
    from sennit.adapters.git.store import Store

_BY_NAME = frozenset({"agent", "applications", "bases", "capture", "runs"})
_SNAPSHOTS = "base"
_SPARE = "spare-"
_SUFFIXES = ("-begun",)
_LEFT_BY_GIT = ("objects/pack/tmp_*", "objects/pack/.tmp-*", "objects/??/tmp_obj_*")


@frozen
class Needed:
    """What the database still names: ids of tickets, bases, runs and so on, and of objects.

    ``at_work`` says that agents run, who may use any object that a store has.
    """

    names: frozenset[str]
    objects: frozenset[str]
    at_work: bool = False


@frozen
class KeepingRef:
    """A ref that keeps a commit for something."""

    name: str
    commit: str


@frozen
class Collectable:
    """What of one store can go; ``staying`` are the commits that refs go on to keep.

    ``borrowed`` are commits that workspaces have from the store, the user's branches among them.
    ``size`` is in bytes, as far as it can be known before.
    """

    store: Store
    refs: tuple[KeepingRef, ...] = ()
    workspaces: tuple[Record, ...] = ()
    files: tuple[Path, ...] = ()
    staying: tuple[str, ...] = ()
    borrowed: frozenset[str] = frozenset()
    size: int = 0

    @property
    def is_something(self) -> bool:
        """Whether there is anything to collect."""
        return bool(self.refs or self.workspaces or self.files)


@frozen
class Collected:
    """What was freed, in bytes, and what stayed, in words."""

    freed: int
    kept: tuple[str, ...] = field(default=())


async def look(
    git: Git, store: Store, needed: Needed, before: float
) -> tuple[Collectable, ...] | GitFailed:
    """Find what can go from a store and from those of its submodules.

    ``before`` is in seconds since 1970.
    """
    found: list[Collectable] = []
    inner = await in_thread("list the stores of submodules", stores_of_submodules, store)
    if isinstance(inner, GitFailed):
        return inner
    for one in (store, *inner):
        here = await in_thread("look through a store", _look, one, needed, before)
        if isinstance(here, GitFailed):
            return here
        sized = await _sized(git, here)
        if isinstance(sized, GitFailed):
            return sized
        found.append(sized)
    return tuple(found)


def _look(store: Store, needed: Needed, before: float) -> Collectable:
    records = [
        record
        for file in store.records.glob("*.json")
        if (record := read_record(store, file.stem)) is not None
    ]
    unused = [
        record
        for record in records
        if record.name not in needed.names
        and not record.name.startswith(_SPARE)
        and record.created < before
        and not is_alive(record.owner)
    ]
    refs = list(_refs(store, needed, before))
    return Collectable(
        store,
        tuple(ref for ref, stale in refs if stale),
        tuple(unused),
        tuple(_left_behind(store, before)),
        tuple({ref.commit for ref, stale in refs if not stale}),
        frozenset(_borrowed(store, records)),
    )


def _borrowed(store: Store, records: Iterable[Record]) -> Iterator[str]:
    for record in records:
        yield record.base
        lines = read_if_there(refs_file(store, record.name)) or b""
        yield from (line.split(b" ")[0].decode() for line in lines.splitlines())


def _refs(store: Store, needed: Needed, before: float) -> Iterator[tuple[KeepingRef, bool]]:
    """Give every ref of ours, and whether it is stale."""
    top = store.git_dir / REF_PREFIX
    for file in sorted(path for path in top.rglob("*") if path.is_file()):
        kind, who, *_ = (*file.relative_to(top).parts, "")
        stale = file.stat().st_mtime < before and _is_stale(kind, who, needed)
        name = str(file.relative_to(store.git_dir))
        yield KeepingRef(name, file.read_text().strip()), stale


def _is_stale(kind: str, who: str, needed: Needed) -> bool:
    """Tell whether nobody needs a ref; one of a kind that is not known here is always needed."""
    if kind == _SNAPSHOTS:
        return who not in needed.objects
    for suffix in _SUFFIXES:
        who = who.removesuffix(suffix)
    return kind in _BY_NAME and who not in needed.names


def _left_behind(store: Store, before: float) -> Iterator[Path]:
    candidates = [*store.scratch.iterdir()] if store.scratch.is_dir() else []
    for pattern in _LEFT_BY_GIT:
        candidates += store.git_dir.glob(pattern)
    yield from (path for path in candidates if path.lstat().st_mtime < before)


async def _sized(git: Git, found: Collectable) -> Collectable | GitFailed:
    known = await in_thread("measure what can go", _size_of, found)
    if isinstance(known, GitFailed):
        return known
    if not found.refs:
        return evolve(found, size=known)
    ends = [one.commit for one in found.refs] + [f"^{commit}" for commit in found.staying]
    answer = await git.run(
        ["rev-list", "--objects", "--disk-usage", "--ignore-missing", "--stdin"],
        found.store.place,
        stdin="".join(f"{end}\n" for end in ends).encode(),
    )
    if isinstance(answer, GitFailed):
        return answer
    return evolve(found, size=known + int(answer.stdout))


def _size_of(found: Collectable) -> int:
    folders = [record.folder for record in found.workspaces]
    return sum(map(size_of, [*folders, *found.files]))


def size_of(path: Path) -> int:
    """How much of the disk a file or a folder takes, in bytes; links are not followed.

    What cannot be looked at counts for nothing: it goes away meanwhile, or an agent has locked its
    folder, or put it deeper than a path can say.
    """
    return _blocks(path.lstat) + sum(
        _blocks(partial(entry.stat, follow_symlinks=False)) for entry in walked(os.fsencode(path))
    )


def _blocks(status: Callable[[], os.stat_result]) -> int:
    try:
        return status().st_blocks * 512
    except OSError:
        return 0


async def collect(
    git: Git, found: Collectable, needed: Needed, before: float, by: Owner
) -> Collected | GitFailed:
    """Remove what was found, and then the objects that nothing needs."""
    store = found.store
    async with locked(store.lock) as held:
        if isinstance(held, Busy):
            return GitFailed("collect a store", None, f"{store.root} is in use", "Try again.")
        size = await in_thread("measure a store", size_of, store.root)
        if isinstance(size, GitFailed):
            return size
        kept, freed = await _without_workspaces(found, by)
        failed = await _without_refs(git, found)
        if failed is not None:
            return failed
        removed = await in_thread("remove what was left behind", _unlink_all, found.files)
        if isinstance(removed, GitFailed):
            return removed
        if needed.at_work:
            kept = (*kept, f"the objects of {store.root}: agents are at work and may use them")
        else:
            packed = await repack(git, store, needed.objects | found.borrowed, before)
            if isinstance(packed, GitFailed):
                return packed
        after = await in_thread("measure a store", size_of, store.root)
    return after if isinstance(after, GitFailed) else Collected(freed + size - after, kept)


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
    if not found.refs:
        return None
    # With its value: one that was written anew in the meantime stays, and so do all others.
    lines = [f"delete {one.name}\0{one.commit}".encode() for one in found.refs]
    done = await git.run(["update-ref", "-z", "--stdin"], found.store.place, stdin=nul_ended(lines))
    return done if isinstance(done, GitFailed) else None


def _unlink_all(files: tuple[Path, ...]) -> None:
    for file in files:
        if file.is_dir() and not file.is_symlink():
            for folder, folders, names in os.walk(file, topdown=False):
                for name in names:
                    (Path(folder) / name).unlink(missing_ok=True)
                for name in folders:
                    inner = Path(folder) / name
                    inner.unlink() if inner.is_symlink() else inner.rmdir()
            file.rmdir()
        else:
            file.unlink(missing_ok=True)
