"""The settings as they are now, for each repository; files are read again when they change."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path

import anyio
import anyio.to_thread
from attrs import define, evolve, field

from sennit.adapters.trust import TrustStore, TrustUnreadable
from sennit.core.trust import Grant, accepts
from sennit.settings.reader import (
    REPOSITORY_FILE,
    USER_FILE,
    Sources,
    config_folder,
    read_settings,
)
from sennit.settings.values import Settings, SettingsProblems
from sennit_protocol.errors import Problem

EVERYWHERE = b""
LOOK_AGAIN_S = 1.0


@define(eq=False, kw_only=True)
class SettingsInForce:
    """Settings by the top level of a repository; ``EVERYWHERE`` stands for no repository."""

    _environ: Mapping[str, str]
    _trust: TrustStore
    initialization_options: object = None
    configuration: object = None
    _read: dict[bytes, Settings | SettingsProblems] = field(factory=dict)
    _stamps: dict[Path, tuple[int, int] | None] = field(factory=dict)
    on_change: Callable[[], Awaitable[None]] | None = None
    """Told after the settings that count everywhere were read anew."""

    async def refresh(self, top: bytes) -> Settings | SettingsProblems:
        """Read the settings of a repository anew."""
        sources = Sources(
            user_folder=config_folder(self._environ),
            repository=Path(os.fsdecode(top)) if top else None,
            environment=self._environ,
            initialization_options=self.initialization_options,
            configuration=self.configuration,
        )
        if top:
            grant = await self._grant(top)
            name = os.fsencode(REPOSITORY_FILE)
            sources = evolve(sources, is_trusted=lambda digest: accepts(grant, name, digest))
        file = self._file(top)
        # Looked at before it is read: a change in between is then found by the next look.
        stamp = await anyio.to_thread.run_sync(_stamp, file)
        found = await anyio.to_thread.run_sync(read_settings, sources)
        known = self._read.get(top)
        if known is not None and known == found:
            # One value for all tickets that began with it, and there may be many.
            found = known
        self._read[top], self._stamps[file] = self._until_mended(top, found), stamp
        if top == EVERYWHERE and self.on_change is not None:
            await self.on_change()
        return found

    def _until_mended(
        self, top: bytes, found: Settings | SettingsProblems
    ) -> Settings | SettingsProblems:
        """What a file said before it was broken goes on to count, where stores are above all."""
        before = self._read.get(top)
        if before is None or isinstance(found, Settings):
            return found
        was = before.meanwhile if isinstance(before, SettingsProblems) else before
        return evolve(found, meanwhile=was)

    def _file(self, top: bytes) -> Path:
        if top:
            return Path(os.fsdecode(top)) / REPOSITORY_FILE
        return config_folder(self._environ) / USER_FILE

    async def _grant(self, top: bytes) -> Grant | None:
        grants = await self._trust.granted_folders()
        if isinstance(grants, TrustUnreadable):
            # Nobody can say what is trusted, so nothing is; whoever needs trust is told why.
            return None
        return next((grant for grant in grants if grant.folder == top), None)

    def of(self, top: bytes) -> Settings:
        """The settings of a repository as they were read last."""
        found = self._read.get(top, self._read.get(EVERYWHERE))
        if found is None:
            raise RuntimeError("settings are asked for before they were read")
        return found.meanwhile if isinstance(found, SettingsProblems) else found

    def problems(self) -> tuple[Problem, ...]:
        """What is wrong with the settings that count everywhere."""
        found = self._read.get(EVERYWHERE)
        if not isinstance(found, SettingsProblems):
            return ()
        return tuple(problem.as_problem() for problem in found.problems)

    async def watch(self) -> None:
        """Read files again when they change, until cancelled."""
        while True:
            await anyio.sleep(LOOK_AGAIN_S)
            if await anyio.to_thread.run_sync(self._changed):
                for top in tuple(self._read):
                    await self.refresh(top)

    def _changed(self) -> bool:
        return any(_stamp(file) != stamp for file, stamp in tuple(self._stamps.items()))


def _stamp(file: Path) -> tuple[int, int] | None:
    try:
        status = file.stat()
    except OSError:
        # A file that cannot be looked at is as good as none here; reading it says what is wrong.
        return None
    return status.st_mtime_ns, status.st_size
