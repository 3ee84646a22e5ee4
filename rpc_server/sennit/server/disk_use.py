"""How much of the disk stores and workspaces take, and what follows from it."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import anyio
import anyio.to_thread
from attrs import define

from sennit.adapters.git.disk_abilities import abilities_of, folds_case
from sennit.adapters.git.identity import identity_at
from sennit.adapters.walking import walked
from sennit.core.counted import spelled_size
from sennit.core.objects import GitFailed
from sennit_protocol.upkeep import DoctorLine, Health
from sennit_protocol.views import Notice

if TYPE_CHECKING:
    from sennit.server.services import Services

MEASURE_EVERY_S = 300.0
QUIET_S = 5.0
"""How long after its start a server begins to measure, unless a task is there before."""
WARN_AT = 0.8
_ADVICE = (
    "`sennit gc` shows what nothing needs any more; `sennit gc --list` shows all that is kept."
)


@define(eq=False)
class DiskUse:
    """The size at the last look, in bytes. Files that the user's repository has too count not."""

    measured: int | None = None

    async def measure(self, services: Services) -> int:
        """Look at everything now."""
        folders = (services.stores_root, services.folders.workspaces)
        self.measured = await anyio.to_thread.run_sync(own_size, folders)
        return self.measured

    async def known(self, services: Services) -> int:
        """What it was at the last look; the first one is made here if need be."""
        return await self.measure(services) if self.measured is None else self.measured

    async def run(self, services: Services) -> None:
        """Go on measuring."""
        await anyio.sleep(QUIET_S)
        while True:
            await self.measure(services)
            await anyio.sleep(MEASURE_EVERY_S)


def own_size(folders: Iterable[Path]) -> int:
    """Add up what files with one name alone take, in bytes; links are not followed.

    What cannot be looked at counts for nothing, as in ``collecting.size_of``.
    """
    total = 0
    for top in folders:
        for entry in walked(os.fsencode(top)):
            try:
                status = entry.stat(follow_symlinks=False)
            except OSError:
                continue
            if status.st_nlink == 1 and not stat.S_ISDIR(status.st_mode):
                total += status.st_blocks * 512
    return total


async def room_for_a_workspace(services: Services) -> tuple[Notice, ...] | GitFailed:
    """Refuse at the limit, and warn before it."""
    limit = services.settings.of(b"").limits.store_bytes
    used = await services.disk_use.known(services)
    if used >= limit:
        # What was dropped since the last look counts at once.
        used = await services.disk_use.measure(services)
    said = f"stores and workspaces take {spelled_size(used)} of {spelled_size(limit)}"
    if used >= limit:
        return GitFailed(
            "make a workspace", None, f"{said} (limits.storeBytes), all that they may", _ADVICE
        )
    if used >= WARN_AT * limit:
        return (Notice(f"The {said} (limits.storeBytes). {_ADVICE}"),)
    return ()


def ground_lines(folder: Path) -> tuple[DoctorLine, ...]:
    """Tell `sennit doctor` what the disk of workspaces cannot do, and what follows from it."""
    found = (_without_births(folder), _without_case(folder))
    return tuple(
        DoctorLine("workspaces", Health.WARNING, *said) for said in found if said is not None
    )


def _without_births(folder: Path) -> tuple[str, str] | None:
    """Tell where folders cannot be told from later ones in their place, and the advice."""
    if identity_at(folder).birth:
        return None
    message = (
        f"The file system of {folder} keeps no time of birth: a folder that you put in place of a "
        "removed workspace, with the same inode, could be taken for it and deleted."
    )
    return (
        message,
        "Put nothing of yours there, or keep the state folder elsewhere (SENNIT_STATE_DIR).",
    )


def _without_case(folder: Path) -> tuple[str, str] | None:
    """Tell where agents cannot rename a file by case alone, and the advice."""
    try:
        folds = folds_case(abilities_of(folder))
    except OSError:
        # Other lines tell of a disk that is full or cannot be written.
        return None
    if not folds:
        return None
    message = (
        f"The disk of {folder} takes names that differ by case alone for one, as git there does:"
        " what an agent renames so is not in its proposal."
    )
    return message, "Keep the state folder on a disk that tells them apart (SENNIT_STATE_DIR)."


async def use_line(services: Services) -> DoctorLine:
    """Tell `sennit doctor` about it."""
    limit = services.settings.of(b"").limits.store_bytes
    used = await services.disk_use.measure(services)
    told = f"Stores and workspaces take {spelled_size(used)} of {spelled_size(limit)}."
    if used < WARN_AT * limit:
        return DoctorLine("storage", Health.GOOD, told)
    health = Health.BAD if used >= limit else Health.WARNING
    return DoctorLine("storage", health, told, _ADVICE)
