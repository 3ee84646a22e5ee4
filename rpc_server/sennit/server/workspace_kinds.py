"""Which kind of workspace is made on this machine, and what is made ready ahead of need."""

from __future__ import annotations

import logging
import os
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

import anyio
import anyio.to_thread

from sennit.adapters.git.discovery import Repository, Trust
from sennit.adapters.git.disk_away import made_on_its_disk
from sennit.adapters.git.files import in_thread
from sennit.adapters.git.head import head_snapshot
from sennit.adapters.git.index_file import count_of, disk_size_of
from sennit.adapters.git.mirror_memory import Mirroring
from sennit.adapters.git.store import Store
from sennit.adapters.workspaces.making import FROM_PRISTINE, prepare
from sennit.adapters.workspaces.pristine import folder_of, obstacle
from sennit.adapters.workspaces.spares import Room, leaves_room
from sennit.core.agents import Sandboxing
from sennit.core.engine.rows import TicketRow
from sennit.core.facts import BadFolder, folder_path
from sennit.core.objects import GitFailed
from sennit.core.views import exact_timestamp
from sennit.core.workspace_kinds import (
    LEAST_FILES,
    Circumstances,
    Found,
    How,
    KindRefused,
    KindWorks,
    Plan,
    WorkspaceKind,
    needs_a_try,
    plan_of,
)
from sennit.server.repositories import Opened, ref_of
from sennit.server.services import Services
from sennit.settings.values import Settings
from sennit_protocol.errors import ErrorCode, Problem, RpcError, problems_error
from sennit_protocol.states import FINAL_TICKET_STATES
from sennit_protocol.texts import RunWorkspace
from sennit_protocol.upkeep import DoctorLine, Health

logger = logging.getLogger(__name__)

SPARES = 4
"""How many folders of earlier tasks are kept for one repository, as far as there is room."""
QUIET_S = 3.0
"""How long after its start a server begins to make things ready, seconds."""


async def kinds(services: Services) -> Found:
    """What works on the disk of the state folder; each is tried once in a server's life."""
    return await _tried(services, services.kinds.look_at_all)


async def _tried(services: Services, look: Callable[[Path, Path], Awaitable[Found]]) -> Found:
    """Try it in the stores, which are not made anew for it where they are away with their disk."""
    doing, stores = "try what works", services.stores_root
    away = await in_thread(doing, made_on_its_disk, services.folders.root, stores)
    if away is None:
        return await look(stores, services.folders.workspaces)
    failed = away if isinstance(away, GitFailed) else away.failure(doing)
    refused = KindRefused(failed.stderr, failed.advice, passes=True)
    untried = dict.fromkeys((WorkspaceKind.REFLINK, WorkspaceKind.POOL), refused)
    return {**untried, WorkspaceKind.CHECKOUT: KindWorks("git writes every file")}


async def found_for(services: Services, settings: Settings, around: Circumstances) -> Found:
    """What works here, with layers only where it matters under these settings."""
    if needs_a_try(settings.workspace.kind, around):
        return await kinds(services)
    return await _tried(services, services.kinds.look)


async def files_of(repository: Repository) -> int:
    """How many files a repository has, about: as many as its index names."""
    return await anyio.to_thread.run_sync(count_of, repository.git_dir / "index")


async def kind_problem(services: Services, settings: Settings) -> RpcError | None:
    """Why nothing may start: a kind that was asked for and cannot be had."""
    wish = settings.workspace.kind
    if wish is WorkspaceKind.AUTO:
        return None
    # What decides only about kinds that nobody asked for does not matter.
    around = Circumstances(0, confined=True)
    plan = plan_of(wish, await found_for(services, settings, around), around)
    if isinstance(plan, Plan):
        return None
    said = f"is {wish.value}, which cannot be had here: {plan.why}. {plan.advice}"
    problem = Problem("workspace.kind", said)
    return problems_error(ErrorCode.SETTINGS_INVALID, "Nothing was started", (problem,))


async def kind_lines(services: Services, repository: Repository | None) -> tuple[DoctorLine, ...]:
    """Tell which kind is made for a repository, and of every other one why not."""
    found = await kinds(services)
    top = b"" if repository is None else os.fsencode(repository.work_tree)
    settings = services.settings.of(top)
    wish = settings.workspace.kind
    files = LEAST_FILES if repository is None else await files_of(repository)
    plan = plan_of(wish, found, Circumstances(files, _confined(settings)))
    if isinstance(plan, KindRefused):
        message = f"workspace.kind is {wish.value}, but {plan.why}."
        first = DoctorLine("workspaces", Health.BAD, message, plan.advice)
        return (first, *_refusals(found))
    where = "Made by:" if repository else f"In repositories of {LEAST_FILES} files or more made by:"
    lines = [DoctorLine("workspaces", Health.GOOD, f"{where} {_told(plan, found)}")]
    other = plan_of(wish, found, Circumstances(files, confined=False))
    if plan.new is WorkspaceKind.OVERLAY and isinstance(other, Plan) and other != plan:
        message = f"For what runs without a sandbox made by: {_told(other, found)}"
        lines.append(DoctorLine("workspaces", Health.GOOD, message))
    if repository is not None and plan.new in FROM_PRISTINE:
        lines += await _in_the_way(services, repository)
    return (*lines, *_refusals(found))


async def _in_the_way(services: Services, repository: Repository) -> tuple[DoctorLine, ...]:
    """Tell of what lies in the place of the kept checkout, so that none can be made."""
    root = services.stores_root / repository.key
    store = Store(root, repository.object_format, Mirroring.LINKED)
    found = await in_thread("look at the kept checkout", obstacle, store)
    why = found.stderr if isinstance(found, GitFailed) else found
    if why is None:
        return ()
    message = f"Workspaces are made without the kept checkout, since it cannot be used: {why}."
    advice = f"Move {folder_of(store)} away: another one is made."
    return (DoctorLine("workspaces", Health.WARNING, message, advice),)


def _confined(settings: Settings) -> bool:
    """Whether agents run in a sandbox that do not say otherwise themselves."""
    return settings.sandbox is not Sandboxing.OFF


def _told(plan: Plan, found: Found) -> str:
    how = "a folder of an earlier task if one is free, else " if plan.spare else ""
    # Of what does not work here the lines that follow tell.
    unwanted = (each for each in plan.refused if isinstance(found.get(each.kind), KindWorks))
    why = (f"Not by {each.kind.value}: {each.why}." for each in unwanted)
    return " ".join((f"{how}{plan.new.value}.", *why))


def _refusals(found: Found) -> Iterator[DoctorLine]:
    for kind, one in found.items():
        match one:
            case KindRefused(why=why, advice=advice):
                message = f"{kind.value} is not used: {why}."
                yield DoctorLine("workspaces", Health.GOOD, message, advice)
            case KindWorks(how=how):
                yield DoctorLine("workspaces", Health.GOOD, f"{kind.value} works: {how}.")


def how_shown(how: How | None) -> RunWorkspace | None:
    """Say how a workspace was made in the words of the protocol."""
    if how is None:
        return None
    return RunWorkspace(
        how.kind.value, tuple(f"{each.kind.value}: {each.why}" for each in how.refused)
    )


def room_for_spares(settings: Settings) -> Room:
    """How much of what tasks leave is kept for the next ones."""
    kept = settings.workspace.kind in {WorkspaceKind.AUTO, WorkspaceKind.POOL}
    return Room(SPARES if kept else 0, settings.workspace.spare_bytes)


async def make_ready(services: Services) -> None:
    """Prepare the first workspace of each large, trusted repository that the client has open."""
    await anyio.sleep(QUIET_S)
    for folder in services.connection.client.folders:
        path = folder_path(folder.uri)
        if not isinstance(path, BadFolder) and not _at_work(services):
            await _make_ready(services, path)


def _at_work(services: Services) -> bool:
    return any(row.state not in FINAL_TICKET_STATES for row in services.state.rows(TicketRow))


async def _make_ready(services: Services, folder: bytes) -> None:
    found = await services.repositories.find(folder, Trust.UNTRUSTED)
    if not isinstance(found, Repository):
        return
    settings = services.settings.of(os.fsencode(found.work_tree))
    around = Circumstances(await files_of(found), _confined(settings))
    wanted = settings.workspace.prepare and room_for_spares(settings).size > 0
    if not wanted or around.files < LEAST_FILES:
        return
    found_here = await found_for(services, settings, around)
    plan = plan_of(settings.workspace.kind, found_here, around)
    if isinstance(plan, KindRefused):
        return
    at = exact_timestamp(services.clock.now_ms())
    opened = await services.repositories.open(ref_of(found), at)
    if isinstance(opened, GitFailed) or opened.repository.trust is not Trust.TRUSTED:
        return
    if not await _has_room(services, settings, opened):
        logger.warning(
            "No workspace is prepared for %s: it would take more than `workspace.spareBytes`, "
            "`limits.storeBytes` or the disk have room for.",
            found.work_tree,
        )
        return
    base = await head_snapshot(services.git, opened.store, opened.repository)
    failed: GitFailed | None
    if isinstance(base, GitFailed):
        failed = base
    else:
        failed = await prepare(
            services.git,
            opened.store,
            opened.repository,
            base,
            services.folders.workspaces,
            owner=services.owner,
            plan=plan,
        )
    if failed is not None:
        # Nothing is lost: the first task makes what it needs itself, and tells what is wrong.
        logger.warning("No workspace was prepared for %s: %s", found.work_tree, failed.stderr)


async def _has_room(services: Services, settings: Settings, opened: Opened) -> bool:
    """Whether a checkout of a repository fits into what may be taken for nobody's sake yet."""
    index, store = opened.repository.git_dir / "index", opened.store
    size = await anyio.to_thread.run_sync(disk_size_of, index, store.object_format)
    used = await services.disk_use.known(services)
    return (
        size <= settings.workspace.spare_bytes
        and used + size <= services.settings.of(b"").limits.store_bytes
        and await anyio.to_thread.run_sync(leaves_room, store.root, size)
    )
