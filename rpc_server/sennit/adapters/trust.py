"""The user's word on folders, kept in the state folder: which may start programs, in which content.

The file is read anew for every question, so that all servers of the user agree. Whatever is wrong
with it means that nothing is trusted, and the file is left as it is for the user to look at.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import anyio.to_thread
from attrs import frozen

from sennit.adapters.git.files import make_private_folder, write_private
from sennit.adapters.git.lock import Busy, locked
from sennit.adapters.small_files import Content, Missing, Unreadable, read_small_file
from sennit.adapters.trust_file import Grants, NotGrants, read_grants, written_grants
from sennit.adapters.watched_files import TrustPlace, WatchedUnreadable, watched_digests
from sennit.core.trust import (
    Digests,
    Grant,
    TrustVerdict,
    accepts,
    granted,
    granted_by_client,
    judged,
    revoked,
)

_LOCK_SECONDS = 10.0

Answer = TypeVar("Answer")


@frozen
class TrustUnreadable:
    """Nobody can say what is trusted, so nothing is: what is wrong and what to do."""

    message: str


@frozen
class NotGranted:
    """There is no word on this folder that could be taken back."""

    folder: bytes


@frozen
class TrustStore:
    """The trust file of one user; ``folder`` is the state folder, made when it is missing."""

    folder: Path

    @property
    def file(self) -> Path:
        """Where the grants are."""
        return self.folder / "trust.json"

    async def verdict(self, place: TrustPlace) -> TrustVerdict | TrustUnreadable:
        """Tell whether programs of a folder may run as its watched files are now."""
        return await anyio.to_thread.run_sync(_verdict, self.file, place)

    async def grant(self, place: TrustPlace, at: str) -> TrustVerdict | TrustUnreadable:
        """Record the user's own word: the folder and its watched files as they are now.

        ``at`` is RFC 3339 in UTC.
        """
        return await self._exclusively(lambda: _record(self.file, place, at, granted))

    async def grant_by_client(self, place: TrustPlace, at: str) -> TrustVerdict | TrustUnreadable:
        """Record an editor's `trusted: true`, which grants no changed content."""
        return await self._exclusively(lambda: _record(self.file, place, at, granted_by_client))

    async def revoke(self, folder: bytes, at: str) -> Grant | NotGranted | TrustUnreadable:
        """Take back the word on a folder, given by its real path; it need not exist any more."""
        return await self._exclusively(lambda: _take_back(self.file, folder, at))

    async def granted_folders(self) -> tuple[Grant, ...] | TrustUnreadable:
        """List every folder that there is a word on, also those whose word was taken back."""
        grants = await anyio.to_thread.run_sync(_grants, self.file)
        return grants if isinstance(grants, TrustUnreadable) else tuple(grants.values())

    def accepts_file(self, top: bytes, path: bytes, digest: str) -> bool:
        """Tell whether a file may start programs with the content of that SHA-256.

        ``path`` is relative to ``top``, the real path of the folder that was granted. Blocking:
        made for the reader of settings, which runs in a thread. An unreadable trust file means no;
        `verdict` tells why.
        """
        grants = _grants(self.file)
        return not isinstance(grants, TrustUnreadable) and accepts(grants.get(top), path, digest)

    async def _exclusively(self, work: Callable[[], Answer]) -> Answer | TrustUnreadable:
        """Do blocking work while no other server changes the file."""
        try:
            await anyio.to_thread.run_sync(make_private_folder, self.folder)
            async with locked(self.folder / "trust.lock", seconds=_LOCK_SECONDS) as got:
                if isinstance(got, Busy) and got.why:
                    return _unwritable(self.file, got.why)
                if isinstance(got, Busy):
                    return TrustUnreadable(
                        f"{self.file} has been locked by another server for {got.waited:.0f} s. "
                        "Try again; if it stays so, end the other server."
                    )
                return await anyio.to_thread.run_sync(work)
        except OSError as error:
            return _unwritable(self.file, error.strerror or str(error))


def _unwritable(file: Path, why: str) -> TrustUnreadable:
    return TrustUnreadable(
        f"{file} cannot be written: {why}. Nothing was granted or revoked. "
        "Look at free space and permissions there, then try again."
    )


def _verdict(file: Path, place: TrustPlace) -> TrustVerdict | TrustUnreadable:
    grants = _grants(file)
    if isinstance(grants, TrustUnreadable):
        return grants
    grant = grants.get(place.top)
    if grant is None or grant.revoked:
        return judged(grant, {})
    found = _found(place, grant)
    return found if isinstance(found, TrustUnreadable) else judged(grant, found)


def _record(
    file: Path,
    place: TrustPlace,
    at: str,
    change: Callable[[Grant | None, bytes, Digests, str], Grant],
) -> TrustVerdict | TrustUnreadable:
    grants = _grants(file)
    if isinstance(grants, TrustUnreadable):
        return grants
    before = grants.get(place.top)
    found = _found(place, before)
    if isinstance(found, TrustUnreadable):
        return found
    after = change(before, place.top, found, at)
    if after != before:
        write_private(file, written_grants({**grants, place.top: after}), to_the_disk=True)
    return judged(after, found)


def _take_back(file: Path, folder: bytes, at: str) -> Grant | NotGranted | TrustUnreadable:
    grants = _grants(file)
    if isinstance(grants, TrustUnreadable):
        return grants
    if folder not in grants:
        return NotGranted(folder)
    after = revoked(grants[folder], at)
    write_private(file, written_grants({**grants, folder: after}), to_the_disk=True)
    return after


def _found(place: TrustPlace, grant: Grant | None) -> Digests | TrustUnreadable:
    found = watched_digests(place, grant.accepted if grant is not None else ())
    if isinstance(found, WatchedUnreadable):
        where = os.fsdecode(place.top + b"/" + found.path)
        return TrustUnreadable(
            f"{where} can start programs, but cannot be read: {found.reason}. "
            "Mend or remove it, then grant trust again."
        )
    return found


def _grants(file: Path) -> Grants | TrustUnreadable:
    read = read_small_file(os.fsencode(file))
    match read:
        case Missing():
            return {}
        case Unreadable(reason=reason):
            return _damaged(file, f"cannot be read: {reason}")
        case Content(content=content):
            if problem := _unsafe(file):
                return _damaged(file, problem)
            grants = read_grants(content)
            return _damaged(file, grants.reason) if isinstance(grants, NotGrants) else grants


def _unsafe(file: Path) -> str | None:
    """Say whether anyone else could have written the file."""
    status = file.stat()
    if status.st_uid != os.geteuid():
        return "belongs to another user"
    if status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        return "can be written by others; run: chmod 600 on it after you have looked at it"
    return None


def _damaged(file: Path, problem: str) -> TrustUnreadable:
    return TrustUnreadable(
        f"{file} {problem}. No folder is trusted until that is mended: "
        "repair the file, or move it away and grant trust again."
    )
