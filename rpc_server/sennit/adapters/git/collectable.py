"""Finds what a store holds for nobody: commits that no row names, folders, files left behind.

Nothing younger than a moment that the caller gives counts. Folders that are kept to be used again
are another matter: see `workspaces.kept`.
"""

from __future__ import annotations

import math
import os
import re
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from attrs import evolve, frozen

from sennit.adapters.git.files import in_thread, read_if_there
from sennit.adapters.git.mirror_memory import packs_without_their_repository, read_memory
from sennit.adapters.git.records import (
    is_alive,
    is_kept,
    read_record,
    refs_file,
    stores_of_submodules,
)
from sennit.adapters.git.repacking import ROOTS
from sennit.adapters.git.scratch import is_somebodys
from sennit.adapters.git.store import REF_PREFIX
from sennit.adapters.platform.open_files import open_below
from sennit.adapters.walking import walked
from sennit.core.objects import GitFailed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from sennit.adapters.git.git import Git
    from sennit.adapters.git.records import Record
    from sennit.adapters.git.store import Store

_COMMIT = re.compile(rb"[0-9a-f]{40}(?:[0-9a-f]{24})?\Z")
_BY_NAME = frozenset({"agent", "applications", "bases", "capture", "runs"})
_SNAPSHOTS = "base"
_SUFFIXES = ("-begun",)
_LEFT_BY_GIT = (
    "objects/pack/tmp_*",
    "objects/pack/.tmp-*",
    "objects/??/tmp_obj_*",
    "lfs/objects/??/??/tmp_obj_*",
    "*.lock",
    "objects/info/*.lock",
)
"""Where git writes what it renames when it is whole: what nobody has open is nobody's."""
MANY_LOOSE = 5_000
"""So many objects take less in one pack; git thinks so of 6,700."""


@frozen
class Needed:
    """What the database still names: ids of tickets, bases, runs and so on, and of objects.

    ``at_work`` says that agents run, who may use any object that a store has. ``going`` names
    workspaces that are nobody's any more, and that somebody else is removing just now.
    """

    names: frozenset[str]
    objects: frozenset[str]
    at_work: bool = False
    going: frozenset[str] = frozenset()


@frozen
class KeepingRef:
    """A ref that keeps a commit for something."""

    name: str
    commit: str


@frozen
class Collectable:
    """What of one store can go; ``staying`` are the commits that refs go on to keep.

    ``borrowed`` are commits that workspaces have from the store, the user's branches among them;
    ``packs`` those that the user's repository has no more, of which what is needed is packed anew;
    ``loose`` is how many objects have a file of their own here, where those are to be packed.
    ``size`` is in bytes, as far as it can be known before.
    """

    store: Store
    refs: tuple[KeepingRef, ...] = ()
    workspaces: tuple[Record, ...] = ()
    files: tuple[Path, ...] = ()
    packs: tuple[Path, ...] = ()
    loose: int = 0
    staying: tuple[str, ...] = ()
    borrowed: frozenset[str] = frozenset()
    size: int = 0

    @property
    def is_something(self) -> bool:
        """Whether there is anything to collect."""
        return bool(self.refs or self.workspaces or self.files or self.packs or self.loose)


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
        if record.name not in needed.names | needed.going
        and not is_kept(record)
        and record.created < before
        and not is_alive(record.owner, store)
    ]
    # A call that runs may have made a commit that its caller has not named yet.
    refs = list(_refs(store, needed, -math.inf if is_in_a_call(store) else before))
    return Collectable(
        store,
        tuple(ref for ref, stale in refs if stale),
        tuple(unused),
        (*_left_behind(store, before), *_stagings(store, needed, before)),
        tuple(_outlived(store, before)),
        _many_loose(store),
        tuple({ref.commit for ref, stale in refs if not stale}),
        frozenset(_borrowed(store, records)),
    )


def is_in_a_call(store: Store) -> bool:
    """Tell whether a living process has something of a call in the store."""
    scratch = store.scratch.iterdir() if store.scratch.is_dir() else ()
    return any(is_somebodys(path.name, store) for path in scratch)


def _borrowed(store: Store, records: Iterable[Record]) -> Iterator[str]:
    for record in records:
        yield record.base
        lines = read_if_there(refs_file(store, record.name)) or b""
        yield from (line.split(b" ")[0].decode() for line in lines.splitlines())


def _refs(store: Store, needed: Needed, before: float) -> Iterator[tuple[KeepingRef, bool]]:
    """Give every ref of ours, and whether it is stale."""
    top = store.git_dir / REF_PREFIX
    for file in _ref_files(store):
        commit = _commit_in(file)
        if commit is None:
            continue
        kind, who, *_ = (*file.relative_to(top).parts, "")
        stale = _written(file) < before and _is_stale(kind, who, needed)
        name = str(file.relative_to(store.git_dir))
        yield KeepingRef(name, commit), stale


def still_there(store: Store, refs: Iterable[KeepingRef]) -> tuple[KeepingRef, ...]:
    """Give those that are as they were found."""
    return tuple(one for one in refs if _commit_in(store.git_dir / one.name) == one.commit)


def _ref_files(store: Store) -> list[Path]:
    return sorted(path for path in (store.git_dir / REF_PREFIX).rglob("*") if path.is_file())


def _commit_in(file: Path) -> str | None:
    """Read a ref; None of what was to become one, by its name (git-check-ref-format) or content.

    Git refuses to delete any ref together with one of those.
    """
    content = (read_if_there(file) or b"").strip()
    odd = file.name.startswith(".") or file.suffix == ".lock" or not _COMMIT.match(content)
    return None if odd else content.decode()


def _is_stale(kind: str, who: str, needed: Needed) -> bool:
    """Tell whether nobody needs a ref; one of a kind that is not known here is always needed."""
    if kind == _SNAPSHOTS:
        return who not in needed.objects
    if f"{kind}/{who}" == ROOTS:
        # Left by a repack that was killed.
        return True
    for suffix in _SUFFIXES:
        who = who.removesuffix(suffix)
    return kind in _BY_NAME and who not in needed.names


def _left_behind(store: Store, before: float) -> Iterator[Path]:
    scratch = store.scratch.iterdir() if store.scratch.is_dir() else ()
    candidates = [path for path in scratch if not is_somebodys(path.name, store)]
    candidates += (file for file in _ref_files(store) if _commit_in(file) is None)
    candidates += store.attributes.glob("*")
    yield from (path for path in candidates if changed(path) < before)
    yield from _left_by_git(store, before)
    yield from _without_record(store, before)


def _left_by_git(store: Store, before: float) -> Iterator[Path]:
    """Give what calls of git left that were killed; names of such files tell nothing of whose."""
    candidates = (path for pattern in _LEFT_BY_GIT for path in store.git_dir.glob(pattern))
    old = [path for path in candidates if changed(path) < before]
    if old:
        in_use = open_below(store.git_dir)
        yield from (path for path in old if path.resolve() not in in_use)


def changed(path: Path) -> float:
    """Tell when an inode was changed last; what is gone meanwhile counts as new.

    Not when it was written: the index of a call that is running has the time of the one that it is
    a copy of, and without it that call would find that every file had been removed.
    """
    try:
        return path.lstat().st_ctime
    except FileNotFoundError:
        return math.inf


def _written(ref: Path) -> float:
    """Tell when a ref was asked for last; one that is gone meanwhile counts as new."""
    try:
        return ref.stat().st_mtime
    except FileNotFoundError:
        return math.inf


def _stagings(store: Store, needed: Needed, before: float) -> Iterator[Path]:
    """Give what was staged for applications that no row names any more."""
    for folder in (store.root / "applications").glob("*"):
        if folder.name not in needed.names and changed(folder) < before:
            yield folder


def _without_record(store: Store, before: float) -> Iterator[Path]:
    """Give what was kept beside records that are gone, or that could not be written."""
    files = list(store.records.iterdir()) if store.records.is_dir() else []
    names = [file.stem for file in files if file.suffix == ".json" and file.name[0] != "."]
    for file in files:
        if changed(file) < before and not any(file.name.startswith(f"{name}.") for name in names):
            yield file


def _outlived(store: Store, before: float) -> Iterator[Path]:
    """Give packs that only the store has by now."""
    memory = read_memory(store.mirror_memory)
    if memory is None:
        return
    for pack in packs_without_their_repository(memory, store.objects):
        status = pack.stat()
        if status.st_nlink == 1 and status.st_mtime < before:
            yield pack


def _many_loose(store: Store) -> int:
    """Count the loose objects that the user's repository has not; 0 where they are not many."""
    files = [
        (folder.name, entry)
        for folder in store.objects.glob("??")
        for entry in os.scandir(folder)
        if not entry.name.startswith("tmp_obj_")
    ]
    if len(files) < MANY_LOOSE:
        return 0
    theirs = read_memory(store.mirror_memory)
    count = sum(
        entry.stat(follow_symlinks=False).st_nlink == 1
        and (theirs is None or not theirs.has(folder, entry.name))
        for folder, entry in files
    )
    return count if count >= MANY_LOOSE else 0


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
    return sum(map(size_of, [*folders, *found.files, *found.packs]))


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
