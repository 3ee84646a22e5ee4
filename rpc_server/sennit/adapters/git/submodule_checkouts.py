"""Fills the submodules of a workspace from objects that are on this machine; nothing is fetched.

Each gets a store within the store of its repository and a git directory of its own, like the
workspace that it lies in. What a submodule's configuration names as a program is never run: trust
in a repository says nothing about it.
"""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING

import anyio.to_thread
from attrs import evolve, frozen

from sennit.adapters.git.discovery import Repository, Trust, neutralised
from sennit.adapters.git.files import in_thread
from sennit.adapters.git.held_up import looked_at
from sennit.adapters.git.identity import identity_at
from sennit.adapters.git.records import Record, modules_folder, write_inner_record
from sennit.adapters.git.store import open_store
from sennit.adapters.git.submodules import declared_names, git_directories, submodules_of
from sennit.core.objects import GitFailed

if TYPE_CHECKING:
    from sennit.adapters.git.git import Git, Place
    from sennit.adapters.git.store import Store
    from sennit.adapters.git.submodules import Submodule

Fill = Callable[["Inner"], Awaitable[GitFailed | None]]
"""Checks the commit of a record out into its folder, which is empty."""

_NOT_THERE = (1, 128)


@frozen
class Filled:
    """What became of the submodules of a workspace.

    ``absent`` ones are empty folders: nothing of their commit is on this machine. ``dirty`` ones
    hold changes at the user's that are in no commit, which the workspace does not have.
    """

    absent: tuple[bytes, ...] = ()
    dirty: tuple[bytes, ...] = ()


@frozen
class Inner:
    """One submodule to fill: its repository, its store, and the record of its folder."""

    repository: Repository
    store: Store
    record: Record


@frozen
class Outer:
    """The workspace whose submodules are to be filled, and the repository that it is made from."""

    git: Git
    store: Store
    repository: Repository
    record: Record
    place: Place


async def fill_submodules(outer: Outer, fill: Fill) -> Filled | GitFailed:
    """Fill every submodule whose commit is here; ``fill`` goes on with those within it."""
    found = await submodules_of(outer.git, outer.place)
    if isinstance(found, GitFailed) or not found:
        return found if isinstance(found, GitFailed) else Filled()
    names = await declared_names(outer.git, outer.place, outer.record.folder)
    if isinstance(names, GitFailed):
        return names
    filled = Filled()
    for one in found:
        inner = await _found(outer, one, names.get(one.path))
        became = await _became(outer, one, inner, fill)
        if isinstance(became, GitFailed):
            return became
        filled = Filled(filled.absent + became.absent, filled.dirty + became.dirty)
    return filled


async def _became(
    outer: Outer, one: Submodule, inner: Inner | GitFailed | None, fill: Fill
) -> Filled | GitFailed:
    """Fill one submodule, if its commit is here, and tell what the workspace does not have."""
    if inner is None:
        return Filled(absent=(one.path,))
    if isinstance(inner, GitFailed):
        return inner
    failed = await fill(inner)
    if failed is not None:
        return failed
    dirty = await _is_dirty(outer.git, inner.repository, outer.repository, one.path)
    if isinstance(dirty, GitFailed):
        return dirty
    return Filled(dirty=(one.path,) if dirty else ())


async def _found(outer: Outer, one: Submodule, name: str | None) -> Inner | GitFailed | None:
    top = os.fsencode(outer.repository.work_tree)
    return await looked_at(top, lambda: _inner(outer, one, name))


async def _inner(outer: Outer, one: Submodule, name: str | None) -> Inner | GitFailed | None:
    """Find a repository of a submodule that holds its commit, and open its store."""
    for git_dir in git_directories(outer.repository, one.path, name):
        repository = await _repository_at(outer, one.path, git_dir)
        if isinstance(repository, GitFailed):
            return repository
        stores = modules_folder(outer.store.root)
        store = await open_store(outer.git, repository, stores, outer.store.sharing)
        if isinstance(store, GitFailed):
            return store
        store = evolve(store, workspaces_disk=outer.store.workspaces_disk)
        asked = ["cat-file", "-e", f"{one.commit}^{{commit}}"]
        there = await outer.git.run(asked, store.place, accept=(0, *_NOT_THERE))
        if isinstance(there, GitFailed):
            return there
        if there.code == 0:
            return await _recorded(outer, one, repository, store)
    return None


async def _repository_at(outer: Outer, path: bytes, git_dir: Path) -> Repository | GitFailed:
    checkout = outer.repository.work_tree / os.fsdecode(path)
    is_there = await anyio.Path(checkout).is_dir()
    found = Repository(
        work_tree=checkout if is_there else git_dir,
        git_dir=git_dir,
        common_dir=git_dir,
        object_format=outer.repository.object_format,
        trust=Trust.UNTRUSTED,
    )
    return await neutralised(outer.git, found)


async def _recorded(
    outer: Outer, one: Submodule, repository: Repository, store: Store
) -> Inner | GitFailed:
    tree = await outer.git.run(["rev-parse", f"{one.commit}^{{tree}}"], store.place)
    if isinstance(tree, GitFailed):
        return tree
    folder = outer.record.folder / os.fsdecode(one.path)
    record = evolve(outer.record, folder=folder, base=one.commit, tree=tree.stdout.decode().strip())
    written = await in_thread("note a submodule", _note, store, record)
    return written if isinstance(written, GitFailed) else Inner(repository, store, written)


def _note(store: Store, record: Record) -> Record:
    noted = evolve(record, identity=identity_at(record.folder))
    write_inner_record(store, noted)
    return noted


async def _is_dirty(
    git: Git, inner: Repository, outer: Repository, path: bytes
) -> bool | GitFailed:
    """Tell whether the user's checkout of a submodule holds what no commit holds."""
    checkout = outer.work_tree / os.fsdecode(path)
    if not await anyio.Path(checkout / ".git").exists():
        return False
    asked = ["status", "--porcelain", "-z", "--ignore-submodules=dirty"]
    quiet = git.configured(inner.neutral)
    answer = await looked_at(os.fsencode(checkout), lambda: quiet.run(asked, inner.place))
    return answer if isinstance(answer, GitFailed) else bool(answer.stdout)
