"""Whether stores share the object files of repositories, and what `sennit doctor` says about it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, assert_never

import anyio.to_thread

from sennit.adapters.git.disk_away import disk_away
from sennit.adapters.git.files import in_thread
from sennit.adapters.git.mirror import LINKING, Copying, Sharing
from sennit.adapters.git.mirror_memory import Memory, Mirroring, read_memory
from sennit.adapters.git.store import Store
from sennit.core.agents import Sandboxing
from sennit.core.object_files import ObjectFiles
from sennit.core.sandbox import SandboxReady
from sennit.server.sandboxing import available
from sennit.settings.decided import effective
from sennit_protocol.upkeep import DoctorLine, Health

if TYPE_CHECKING:
    from sennit.adapters.git.discovery import Repository
    from sennit.server.services import Services

_AREA = "objects"
_KEY = "objects"
_ALWAYS = 64 << 20
"""Bytes that copies may take even where the quota is used up, which refuses no more than new
workspaces: what is there can be looked at, applied and dropped after the user's next commits."""


def sharing_wanted(services: Services) -> Sharing:
    """How the settings want it; copies may take what `limits.storeBytes` leaves."""
    settings = services.settings.of(b"")
    match settings.objects:
        case ObjectFiles.LINK:
            return LINKING
        case ObjectFiles.COPY:
            used = services.disk_use.measured or 0
            return Copying(max(_ALWAYS, settings.limits.store_bytes - used))
        case unknown:
            assert_never(unknown)


async def object_files_line(services: Services) -> DoctorLine:
    """Tell whether agents could damage repositories through stores, and by which setting."""
    settings = services.settings.of(b"")
    by = next(one.where for one in effective(settings) if one.name == _KEY)
    chosen = f"`objects` is {settings.objects.value} ({by})"
    match settings.objects:
        case ObjectFiles.COPY:
            message = f"{chosen}: stores have object files of their own and share none."
            return DoctorLine(_AREA, Health.GOOD, message)
        case ObjectFiles.LINK:
            message = f"{chosen}: stores share object files with repositories (hard links)"
        case unknown:
            assert_never(unknown)
    found = await available(services.environ)
    if isinstance(found, SandboxReady) and settings.sandbox is not Sandboxing.OFF:
        return DoctorLine(_AREA, Health.GOOD, f"{message}; the sandbox keeps agents off them.")
    message += ". Agents without a sandbox can write them, and so damage both."
    advice = "Let agents run in a sandbox, or set objects to copy in your config.toml."
    return DoctorLine(_AREA, Health.WARNING, message, advice)


async def mirror_line(services: Services, repository: Repository) -> DoctorLine:
    """Tell how the store of one repository has its objects, as it was left."""
    state, stores = services.folders.root, services.stores_root
    if await in_thread("look at the stores", disk_away, state, stores) is not None:
        message = (
            f"What the store has of {repository.common_dir / 'objects'} is not known just now."
        )
        return DoctorLine("mirror", Health.WARNING, message, "See what is said of the stores.")
    root = stores / repository.key
    store = Store(root, repository.object_format, Mirroring.LINKED)
    memory = await anyio.to_thread.run_sync(read_memory, store.mirror_memory)
    return DoctorLine("mirror", Health.GOOD, _spelled(memory, repository.common_dir / "objects"))


def _spelled(memory: Memory | None, theirs: Path) -> str:
    if memory is None:
        return f"No store has anything of {theirs} yet."
    match memory.mirroring:
        case Mirroring.LINKED:
            return f"The store has the files of {theirs} by hard links."
        case Mirroring.BORROWED:
            return (
                f"The store reads {theirs} itself and copies what a base needs, since its files "
                f"cannot be linked: {memory.why}."
            )
        case Mirroring.COPIED:
            return f"The store has copies of the files of {theirs}."
        case unknown:
            assert_never(unknown)
