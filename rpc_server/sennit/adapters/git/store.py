"""The store of one repository: our own git directory, which never writes into the user's.

Layout of a store: ``git/`` (a git directory with the mirror of the user's objects and ours),
``workspaces/`` (records of what we made),
``scratch/`` (files of calls that are running), ``lock``.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from attrs import evolve, frozen

from sennit.adapters.git.config import carried_config, config_file
from sennit.adapters.git.disk_abilities import TELLS_NOTHING, abilities_of
from sennit.adapters.git.file_copies import NoRoom
from sennit.adapters.git.files import (
    PRIVATE_FOLDER,
    in_thread,
    make_private_folder,
    read_if_there,
    read_rules,
    write_private,
)
from sennit.adapters.git.git import Place
from sennit.adapters.git.lfs import lfs_config, mirror_lfs
from sennit.adapters.git.mirror import LINKING, Linking, Sharing, refresh_mirror
from sennit.adapters.git.mirror_memory import FILE, Mirroring
from sennit.core.counted import spelled_size
from sennit.core.objects import GitFailed

if TYPE_CHECKING:
    from pathlib import Path

    from sennit.adapters.git.config import Carried
    from sennit.adapters.git.discovery import Repository
    from sennit.adapters.git.git import Config, Git

REF_PREFIX = "refs/sennit"
"""Every object that we still need is reachable from a ref below this name, in the store."""


@frozen
class Store:
    """Where the objects, indexes and records of one repository and work tree are.

    ``neutral`` is to be passed as configuration to every call that could run a driver; ``rules``
    tells the configuration of the last refresh from any other. ``sharing`` says whether files may
    be those of the user, ``mirroring`` what came of it. ``work_tree`` is the user's, and
    ``users_disk`` what its configuration says of the disk there. ``workspaces_disk`` is what was
    found of the disk that workspaces lie on, where that is not as the one of the store; None where
    it could not be found out for now.
    ``hooks_off`` is for calls that write with the configuration of the user's repository in force.
    ``lives`` is the folder in which those who use the store say that they live; see ``lives``.
    """

    root: Path
    object_format: str
    mirroring: Mirroring
    neutral: Config = ()
    rules: str = ""
    sharing: Sharing = LINKING
    work_tree: Path | None = None
    users_disk: Config = ()
    workspaces_disk: Config | None = ()
    hooks_off: Config = ()
    lives: Path | None = None

    @property
    def git_dir(self) -> Path:
        """The git directory of the store, with ``objects`` and ``refs`` of its own."""
        return self.root / "git"

    @property
    def objects(self) -> Path:
        """The folder of objects: the mirror of the user's, and ours."""
        return self.git_dir / "objects"

    @property
    def records(self) -> Path:
        """The folder of records, one for each workspace that we made."""
        return self.root / "workspaces"

    @property
    def scratch(self) -> Path:
        """A folder for files that live as long as one call."""
        return self.root / "scratch"

    @property
    def attributes(self) -> Path:
        """Folders with nothing but attribute files; what is missing is made again."""
        return self.root / "attributes"

    @property
    def mirror_memory(self) -> Path:
        """What is known of the mirror; see ``mirror_memory``. It goes with what it is about."""
        return self.objects / "info" / FILE

    @property
    def lock(self) -> Path:
        """The file to lock (see ``lock.locked``) while the mirror or a snapshot is made."""
        return self.root / "lock"

    @property
    def place(self) -> Place:
        """Give the place of calls on objects and refs of the store; its work tree is empty."""
        empty = self.root / "empty"
        return Place(cwd=empty, git_dir=self.git_dir, work_tree=empty, objects=self.objects)

    def over(self, work_tree: Path, index: Path) -> Place:
        """Give the place of calls that look at a work tree with our configuration and objects.

        Our configuration says what the disk of the store can do; of others the place does.
        """
        return Place(
            cwd=work_tree,
            git_dir=self.git_dir,
            work_tree=work_tree,
            index_file=index,
            config=self._disk_of(work_tree),
            objects=self.objects,
        )

    def _disk_of(self, work_tree: Path) -> Config:
        if work_tree == self.work_tree:
            return self.users_disk
        if work_tree.is_relative_to(self.root):
            return ()
        return self.workspaces_disk or ()


async def open_store(
    git: Git,
    repository: Repository,
    stores: Path,
    sharing: Sharing = LINKING,
    workspaces: Path | None = None,
) -> Store | GitFailed:
    """Make the store of a repository, ``stores / repository.key``, if it is missing; refresh it.

    Several processes may do so at once. What is made is for its owner alone. ``workspaces`` is the
    folder that workspaces are made in, where that may be on another disk than ``stores``.
    """
    store = Store(
        stores / repository.key,
        repository.object_format,
        Mirroring.LINKED,
        repository.neutral,
        sharing=sharing,
    )
    made = await in_thread("make the store", _make, store, workspaces)
    return made if isinstance(made, GitFailed) else await refresh(git, made, repository)


async def refresh(git: Git, store: Store, repository: Repository) -> Store | GitFailed:
    """Bring objects, configuration, ignore and attribute rules of the user up to date."""
    carried = await carried_config(git, repository)
    if isinstance(carried, GitFailed):
        return carried
    refreshed = await in_thread("refresh the store", _refresh, store, repository, carried)
    return _without_room(store, refreshed) if isinstance(refreshed, NoRoom) else refreshed


async def refresh_objects(store: Store, repository: Repository) -> Mirroring | GitFailed:
    """Bring the objects alone up to date, with what came while others were at work."""
    done = await in_thread("refresh the store", _refresh_objects, store, repository)
    return _without_room(store, done) if isinstance(done, NoRoom) else done


async def keep(git: Git, store: Store, name: str, commit: str) -> GitFailed | None:
    """Protect a commit from every clean-up of the store: ``refs/sennit/NAME`` points at it."""
    done = await git.run(["update-ref", f"{REF_PREFIX}/{name}", commit], store.place)
    return done if isinstance(done, GitFailed) else None


async def keep_new(store: Store, name: str, commit: str) -> GitFailed | None:
    """Protect a commit that was just made, under a name that nothing else uses.

    As ``keep``, but the file of the ref is written directly, which saves a call of git.
    """
    file = store.git_dir / REF_PREFIX / name
    return await in_thread("keep a commit", _write_ref, file, commit)


async def release(git: Git, store: Store, name: str) -> GitFailed | None:
    """Stop protecting what ``refs/sennit/NAME`` points at; a name that is not there is fine."""
    done = await git.run(["update-ref", "-d", f"{REF_PREFIX}/{name}"], store.place)
    return done if isinstance(done, GitFailed) else None


def _write_ref(file: Path, commit: str) -> None:
    make_private_folder(file.parent)
    _write_if_new(file, f"{commit}\n".encode())
    # Who clears up goes by its time: whoever asks for it anew has not said yet what for.
    os.utime(file)


def _make(store: Store, workspaces: Path | None) -> Store:
    folders = (
        store.objects / "info",
        store.objects / "pack",
        store.git_dir / "refs",
        store.git_dir / "info",
        store.records,
        store.scratch,
        store.root / "empty",
    )
    make_private_folder(store.root.parent)
    make_private_folder(store.root)
    for folder in folders:
        make_private_folder(folder)
    store.root.chmod(PRIVATE_FOLDER)
    head = store.git_dir / "HEAD"
    if read_if_there(head) is None:
        write_private(head, b"ref: refs/heads/none\n")
    return store if workspaces is None else evolve(store, workspaces_disk=_other(store, workspaces))


def _other(store: Store, workspaces: Path) -> Config | None:
    """Tell what the disk of workspaces can do where the disk of the store can do other things."""
    try:
        if workspaces.stat().st_dev == store.scratch.stat().st_dev:
            return ()
        disk = abilities_of(workspaces)
    except FileNotFoundError:
        return ()
    except OSError as error:
        if error.errno in TELLS_NOTHING:
            return None
        raise
    return () if disk == abilities_of(store.scratch) else disk


def _without_room(store: Store, refused: NoRoom) -> GitFailed:
    needed, room = spelled_size(refused.needed), spelled_size(refused.room)
    if isinstance(store.sharing, Linking):
        advice = "Make room on the disk, or keep stores on that of the repository (store.path)."
    else:
        advice = (
            "Make room there or with `sennit gc`, raise limits.storeBytes, or link (`objects`)."
        )
    return GitFailed(
        "copy the object files of the repository",
        None,
        f"the copies take {needed} in {store.root}, where {room} may still be used",
        advice,
    )


def _refresh(store: Store, repository: Repository, carried: Carried) -> Store | NoRoom:
    ours = abilities_of(store.scratch) + lfs_config(store.git_dir) + carried.hooks
    content = config_file(store.object_format, carried.config + ours, carried.partial_clone)
    _write_if_new(store.git_dir / "config", content)
    carry_rules(repository, store.git_dir)
    refused = mirror_lfs(repository.common_dir, store.git_dir, store.sharing)
    mirroring = refused or _refresh_objects(store, repository)
    if isinstance(mirroring, NoRoom):
        return mirroring
    return evolve(
        store,
        mirroring=mirroring,
        rules=carried.digest,
        work_tree=repository.work_tree,
        users_disk=carried.abilities,
        hooks_off=carried.hooks,
    )


def _refresh_objects(store: Store, repository: Repository) -> Mirroring | NoRoom:
    theirs = repository.common_dir / "objects"
    return refresh_mirror(theirs, store.objects, store.mirror_memory, store.sharing)


def carry_rules(repository: Repository, git_dir: Path) -> None:
    """Copy what a repository says outside its tree: ignored, attributes, sparse, shallow."""
    make_private_folder(git_dir / "info")
    sources = {
        repository.common_dir / "info" / "exclude": git_dir / "info" / "exclude",
        repository.common_dir / "info" / "attributes": git_dir / "info" / "attributes",
        repository.git_dir / "info" / "sparse-checkout": git_dir / "info" / "sparse-checkout",
        repository.common_dir / "shallow": git_dir / "shallow",
    }
    for source, target in sources.items():
        content = read_rules(source)
        if content is not None:
            _write_if_new(target, content)
        else:
            target.unlink(missing_ok=True)


def _write_if_new(path: Path, content: bytes) -> None:
    if read_if_there(path) != content:
        write_private(path, content)
