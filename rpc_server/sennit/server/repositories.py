"""Repositories in use: found once, opened with their store, with trust asked anew each time."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path

import anyio
from attrs import define, field, frozen
from sennit_protocol.states import TrustState

from sennit.adapters.git.discovery import Discovery, Repository, Trust, discover
from sennit.adapters.git.git import Git
from sennit.adapters.git.store import Store, open_store
from sennit.adapters.trust import TrustStore, TrustUnreadable
from sennit.adapters.watched_files import TrustPlace
from sennit.core.engine.rows import RepositoryRef
from sennit.core.objects import GitFailed
from sennit.core.trust import TrustVerdict, state_for_client


@frozen
class Opened:
    """A repository with its store."""

    repository: Repository
    store: Store


@define(eq=False, kw_only=True)
class Repositories:
    """Finds and opens repositories. ``stores_root`` is read anew, since a setting may change it."""

    _git: Git
    _trust: TrustStore
    _stores_root: Callable[[], Path]
    _client_trusts: Callable[[], bool | None]
    _opening: dict[str, anyio.Lock] = field(factory=dict)
    _opened: dict[tuple[str, Trust], Opened] = field(factory=dict)

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
        found = await self.find(ref.top, Trust.UNTRUSTED)
        if not isinstance(found, Repository):
            return _not_found(ref, found)
        verdict = await self.trust_of(found, at)
        trusted = isinstance(verdict, TrustVerdict) and verdict.state is TrustState.TRUSTED
        if trusted:
            found = await self.find(ref.top, Trust.TRUSTED)
            if not isinstance(found, Repository):
                return _not_found(ref, found)
        return await self.open_found(found)

    async def open_found(self, repository: Repository) -> Opened | GitFailed:
        """Open the store of a repository that was found; once for all who ask at the same time."""
        name = (repository.key, repository.trust)
        async with self._opening.setdefault(repository.key, anyio.Lock()):
            known = self._opened.get(name)
            if (
                known is not None
                and known.repository == repository
                and known.store.git_dir.is_dir()
            ):
                return known
            store = await open_store(self._git, repository, self._stores_root())
            if isinstance(store, GitFailed):
                return store
            self._opened[name] = Opened(repository, store)
            return self._opened[name]


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
