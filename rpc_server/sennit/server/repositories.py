"""Repositories in use: found once, opened with their store, with trust asked anew each time."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path

import anyio
import anyio.to_thread
from attrs import define, evolve, field, frozen

from sennit.adapters.git.discovery import Discovery, Repository, Trust, discover
from sennit.adapters.git.disk_away import DiskAway, made_on_its_disk
from sennit.adapters.git.files import in_thread
from sennit.adapters.git.git import Git
from sennit.adapters.git.mirror import Sharing
from sennit.adapters.git.store import Store, open_store
from sennit.adapters.trust import TrustStore, TrustUnreadable
from sennit.adapters.watched_files import TrustPlace
from sennit.core.engine.rows import RepositoryRef
from sennit.core.objects import GitFailed
from sennit.core.trust import TrustVerdict, state_for_client
from sennit_protocol.states import TrustState

_Stamp = tuple[tuple[int, int, int], ...] | None


@frozen
class Opened:
    """A repository with its store."""

    repository: Repository
    store: Store


@define(eq=False, kw_only=True)
class Repositories:
    """Finds and opens repositories.

    ``stores_root`` and ``sharing`` are read anew, since settings may change them. ``state`` is the
    state folder, which remembers stores on disks of their own.
    """

    _git: Git
    _trust: TrustStore
    _stores_root: Callable[[], Path]
    _state: Path
    _workspaces: Path
    _client_trusts: Callable[[], bool | None]
    _sharing: Callable[[], Sharing]
    _opening: dict[str, anyio.Lock] = field(factory=dict)
    _opened: dict[tuple[str, Trust], Opened] = field(factory=dict)
    _trusted: dict[bytes, tuple[Repository, _Stamp]] = field(factory=dict)

    async def find(self, folder: bytes, trust: Trust) -> Discovery:
        """Find the repository of a folder."""
        return await discover(self._git, Path(os.fsdecode(folder)), trust)

    async def trust_of(
        self, repository: Repository, at: str, folders: Sequence[bytes] = ()
    ) -> TrustVerdict | TrustUnreadable:
        """Whether programs that the repository names may run, by record and by the editor's word.

        An editor's yes is recorded for a folder of which nothing is known yet; its no counts.
        """
        place = place_of(repository, folders)
        said = self._client_trusts()
        if said is True:
            verdict = await self._trust.grant_by_client(place, at)
        else:
            verdict = await self._trust.verdict(place)
        if isinstance(verdict, TrustUnreadable):
            return verdict
        return TrustVerdict(state_for_client(said, verdict), verdict.changed)

    async def open(self, ref: RepositoryRef, at: str) -> Opened | GitFailed:
        """Open a repository that the engine knows, with the trust that it has now."""
        known = await self._known(ref)
        if known is not None and await self._is_trusted(known, at):
            return await self.open_found(known)
        found = await self.find(ref.top, Trust.UNTRUSTED)
        if not isinstance(found, Repository):
            return _not_found(ref, found)
        if await self._is_trusted(found, at):
            # The same place; only that its programs may run is different.
            found = evolve(found, trust=Trust.TRUSTED, neutral=())
            self._trusted[ref.top] = found, await anyio.to_thread.run_sync(_stamp, found)
        return await self.open_found(found)

    async def open_or_last(self, ref: RepositoryRef, at: str) -> Opened | GitFailed:
        """As ``open``; of a repository that is away its store, as it was opened last.

        Nothing else is needed to take what agents have left, and to merge it.
        """
        opened = await self.open(ref, at)
        last = next((one for (key, _), one in self._opened.items() if key == ref.key), None)
        if isinstance(opened, Opened) or last is None:
            return opened
        if isinstance(await self.find(ref.top, Trust.UNTRUSTED), Repository):
            return opened
        there = await anyio.to_thread.run_sync(last.store.git_dir.is_dir)
        return last if there else opened

    async def _known(self, ref: RepositoryRef) -> Repository | None:
        """A repository that was found before and is still the same, by its folders and owners.

        It is no more than where things are: what its configuration says is read by each call.
        """
        found, stamp = self._trusted.get(ref.top, (None, None))
        if found is None or stamp is None:
            return None
        if await anyio.to_thread.run_sync(_stamp, found) != stamp:
            return None
        return found

    async def _is_trusted(self, found: Repository, at: str) -> bool:
        verdict = await self.trust_of(found, at)
        return isinstance(verdict, TrustVerdict) and verdict.state is TrustState.TRUSTED

    async def open_found(self, repository: Repository) -> Opened | GitFailed:
        """Open the store of a repository that was found; once for all who ask at the same time."""
        name = (repository.key, repository.trust)
        async with self._opening.setdefault(repository.key, anyio.Lock()):
            known = self._opened.get(name)
            sharing = self._sharing()
            if (
                known is not None
                and known.repository == repository
                and type(known.store.sharing) is type(sharing)
                and known.store.git_dir.is_dir()
                and known.store.workspaces_disk is not None
            ):
                return evolve(known, store=evolve(known.store, sharing=sharing))
            store = await self._open_store(repository, sharing)
            if isinstance(store, GitFailed):
                return store
            self._opened[name] = Opened(repository, store)
            return self._opened[name]

    async def _open_store(self, repository: Repository, sharing: Sharing) -> Store | GitFailed:
        doing = "open the store"
        stores = await in_thread(doing, self._stores)
        if isinstance(stores, GitFailed):
            return stores
        if isinstance(stores, DiskAway):
            return stores.failure(doing)
        opened = await open_store(self._git, repository, stores, sharing, self._workspaces)
        return opened if isinstance(opened, GitFailed) else evolve(opened, lives=self._state)

    def _stores(self) -> Path | DiskAway:
        """Make the folder of stores, which can only be claimed once it is there."""
        stores = self._stores_root()
        away = made_on_its_disk(self._state, stores)
        claimed = self._stores_root()
        if away is None and claimed != stores:
            away = made_on_its_disk(self._state, claimed)
        return claimed if away is None else away


def _stamp(repository: Repository) -> _Stamp:
    """Which folders these are and whose; a link in between that leads elsewhere shows too."""
    folders = (repository.work_tree, repository.git_dir, repository.common_dir)
    try:
        found = [folder.stat() for folder in (*folders, repository.common_dir / "config")]
    except OSError:
        # It is not there as it was: git says what is there now.
        return None
    *places, config = found
    who = tuple((status.st_dev, status.st_ino, status.st_uid) for status in places)
    return (*who, (config.st_ino, config.st_size, config.st_mtime_ns))


def ref_of(repository: Repository) -> RepositoryRef:
    """The repository as the engine names it."""
    return RepositoryRef(repository.key, os.fsencode(repository.work_tree))


def place_of(repository: Repository, folders: Sequence[bytes] = ()) -> TrustPlace:
    """The repository as the trust file names it; ``folders`` are those in which agents start."""
    configs = (repository.common_dir / "config", repository.git_dir / "config.worktree")
    return TrustPlace(
        os.fsencode(repository.work_tree), tuple(map(os.fsencode, configs)), tuple(folders)
    )


def _not_found(ref: RepositoryRef, found: Discovery) -> GitFailed:
    if isinstance(found, GitFailed):
        return found
    top = os.fsdecode(ref.top)
    advice = "It was there before. Put it back, or drop what belongs to it."
    return GitFailed("open the repository", None, f"{top} is no repository any more", advice)
