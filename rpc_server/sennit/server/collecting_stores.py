"""What the object stores hold that no row of the database needs, and collecting it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import cast

import anyio.to_thread
import attrs
from attrs import evolve, frozen

from sennit.adapters.git.collectable import Collectable, Needed, look
from sennit.adapters.git.collecting import Collected, collect
from sennit.adapters.git.disk_away import disk_away
from sennit.adapters.git.files import in_thread
from sennit.adapters.git.mirror_memory import Mirroring
from sennit.adapters.git.store import Store
from sennit.adapters.workspaces.kept import Keeping, KeptFolder, look_at_kept, remove_kept
from sennit.core.counted import counted
from sennit.core.engine.rows import ROWS, RunRow
from sennit.core.objects import GitFailed
from sennit.server.disk_use import WARN_AT
from sennit.server.failures import git_failed
from sennit.server.services import Services
from sennit.server.workspace_kinds import room_for_spares
from sennit_protocol.states import FINAL_TASK_STATES, RunState
from sennit_protocol.upkeep import RetainedItem

UNUSED_DAYS = 7
"""How long a folder is kept to be used again if nobody does."""
_OBJECT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?\Z")


@frozen
class InStores:
    """What can go from all stores, and stores that could not be looked through, and why.

    ``kept`` are folders that were kept to be used again.
    """

    found: tuple[Collectable, ...]
    problems: tuple[str, ...]
    kept: tuple[KeptFolder, ...] = ()


async def look_through_stores(
    services: Services, before: float, going: frozenset[str] = frozenset()
) -> InStores:
    """Find what nothing needs and what is older than a moment, in seconds since 1970.

    Workspaces that are ``going`` are removed by whoever has dropped their tickets.
    """
    needed = evolve(needed_by_rows(services), going=going)
    keeping = await _keeping(services, before)
    found: list[Collectable] = []
    problems = await _away(services)
    kept: list[KeptFolder] = []
    for store in await anyio.to_thread.run_sync(_stores, services):
        here = await look(services.git, store, needed, before)
        if isinstance(here, GitFailed):
            problems.append(git_failed(here))
        else:
            found += (one for one in here if one.is_something)
        folders = await in_thread("look at kept folders", look_at_kept, store, keeping)
        if isinstance(folders, GitFailed):
            problems.append(git_failed(folders))
        else:
            kept += folders
    return InStores(tuple(found), tuple(problems), tuple(kept))


async def _away(services: Services) -> list[str]:
    """Say that stores are not there just now, which is no reason to call them empty."""
    doing, state = "look through the stores", services.folders.root
    away = await in_thread(doing, disk_away, state, services.stores_root)
    if away is None:
        return []
    return [git_failed(away if isinstance(away, GitFailed) else away.failure(doing))]


async def _keeping(services: Services, before: float) -> Keeping:
    """Which kept folders stay: fewer of them once the disk that stores may take is nearly full."""
    settings = services.settings.of(b"")
    used = await services.disk_use.measure(services)
    room = room_for_spares(settings)
    if used >= WARN_AT * settings.limits.store_bytes:
        return Keeping(before, before, "what limits.storeBytes allows is nearly taken", room)
    unused = services.clock.now_ms() / 1000 - UNUSED_DAYS * 24 * 3600
    return Keeping(before, unused, f"not used for {UNUSED_DAYS} days", room)


def _stores(services: Services) -> list[Store]:
    heads = services.stores_root.glob("*/git/HEAD")
    folders = sorted(file.parent.parent for file in heads)
    lives = services.folders.root
    # Objects are only moved and removed here, for which their format does not matter.
    return [Store(folder, "sha1", Mirroring.LINKED, lives=lives) for folder in folders]


def needed_by_rows(services: Services) -> Needed:
    """Every id that a row of any server names, of whatever it is."""
    texts = {text for kind in ROWS for text in _texts(tuple(services.state.rows(kind)))}
    objects = frozenset(text for text in texts if _OBJECT.match(text))
    at_work = any(_is_at_work(services, run) for run in services.state.rows(RunRow))
    return Needed(frozenset(texts) - objects, objects, at_work)


def _is_at_work(services: Services, run: RunRow) -> bool:
    """Whether a run may use objects; one whose program was never started is never captured."""
    if run.state is RunState.ENDED:
        return services.state.task(run.ticket, run.task).state not in FINAL_TASK_STATES
    return run.state is not RunState.CAPTURED


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif attrs.has(type(value)):
        for name in attrs.fields_dict(cast("type[attrs.AttrsInstance]", type(value))):
            yield from _texts(getattr(value, name))
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from _texts(key)
            yield from _texts(inner)
    elif isinstance(value, tuple | list | frozenset | set):
        for inner in value:
            yield from _texts(inner)


def store_items(in_stores: InStores) -> Iterator[RetainedItem]:
    """Tell what can go: a line for each workspace and spare, and one for the rest of each store."""
    for kept in in_stores.kept:
        yield RetainedItem(id=kept.record.name, kind="spare", bytes=kept.size, reason=kept.why)
    for one in in_stores.found:
        for record in one.workspaces:
            reason = "its process is gone and no task needs it"
            yield RetainedItem(id=record.name, kind="workspace", reason=reason)
        parts = [
            counted(len(one.refs), "commit") + " kept for nobody" if one.refs else "",
            counted(len(one.files), "file") + " left behind" if one.files else "",
            counted(len(one.packs), "pack") + " that its repository has no more"
            if one.packs
            else "",
            counted(one.loose, "loose object") + " to be packed" if one.loose else "",
        ]
        reason = ", ".join(filter(None, parts)) or "the size of its workspaces"
        yield RetainedItem(id=one.store.root.name, kind="store", bytes=one.size, reason=reason)


async def collect_stores(services: Services, in_stores: InStores, before: float) -> Collected:
    """Remove what was found; what could not be removed is told."""
    needed = needed_by_rows(services)
    freed, kept = 0, list(in_stores.problems)
    for folder in in_stores.kept:
        stays = await remove_kept(folder, services.owner)
        if stays is None:
            freed += folder.size
        else:
            kept.append(f"the folder {folder.record.folder}: {stays}")
    for one in in_stores.found:
        done = await collect(services.git, one, needed, before, services.owner)
        if isinstance(done, GitFailed):
            kept.append(git_failed(done))
        else:
            freed += done.freed
            kept += done.kept
    return Collected(freed, tuple(kept))
