"""Which kind of workspace is made on this machine, and what is made ready ahead of need."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from pathlib import Path

import anyio
import anyio.to_thread

from sennit.adapters.git.discovery import Repository, Trust
from sennit.adapters.git.head import head_snapshot
from sennit.adapters.workspaces.making import prepare
from sennit.adapters.workspaces.spares import Room
from sennit.core.engine.rows import TicketRow
from sennit.core.facts import BadFolder, folder_path
from sennit.core.objects import GitFailed
from sennit.core.views import exact_timestamp
from sennit.core.workspace_kinds import Found, KindRefused, KindWorks, Plan, WorkspaceKind, plan_of
from sennit.server.repositories import ref_of
from sennit.server.services import Services
from sennit.settings.values import Settings
from sennit_protocol.errors import ErrorCode, Problem, RpcError, problems_error
from sennit_protocol.states import FINAL_TICKET_STATES
from sennit_protocol.upkeep import DoctorLine, Health

logger = logging.getLogger(__name__)

_SET_UP = KindRefused(
    "a set-up command (`workspace.setup`) does not run in layers yet",
    "Set workspace.kind to auto, or do without the command.",
)
SPARES = 4
"""How many folders of earlier tasks are kept for one repository, as far as there is room."""
QUIET_S = 3.0
"""How long after its start a server begins to make things ready, seconds."""
LARGE_INDEX = 256 << 10
"""Bytes of git's index from which on preparing is worth it, about 2,500 files."""


async def kinds(services: Services) -> Found:
    """What works on the disk of the state folder; each is tried once in a server's life."""
    return await services.kinds.look_at_all(*_folders(services))


def _folders(services: Services) -> tuple[Path, Path]:
    chosen = services.settings.of(b"").store_path
    stores = services.folders.stores if chosen is None else Path(chosen)
    return stores, services.folders.workspaces


async def plan_for(services: Services, settings: Settings) -> Plan | KindRefused:
    """How workspaces are made under these settings."""
    wish = settings.workspace.kind
    if wish is not WorkspaceKind.OVERLAY:
        return plan_of(wish, await services.kinds.look(*_folders(services)))
    return _SET_UP if settings.workspace.setup else plan_of(wish, await kinds(services))


async def kind_problem(services: Services, settings: Settings) -> RpcError | None:
    """Why nothing may start: a kind that was asked for and cannot be had."""
    wish = settings.workspace.kind
    if wish is WorkspaceKind.AUTO:
        return None
    plan = await plan_for(services, settings)
    if isinstance(plan, Plan):
        return None
    said = f"is {wish.value}, which cannot be had here: {plan.why}. {plan.advice}"
    problem = Problem("workspace.kind", said)
    return problems_error(ErrorCode.SETTINGS_INVALID, "Nothing was started", (problem,))


async def kind_lines(services: Services) -> tuple[DoctorLine, ...]:
    """Tell which kind is made, and of every other one why not."""
    found = await kinds(services)
    wish = services.settings.of(b"").workspace.kind
    plan = plan_of(wish, found)
    if isinstance(plan, KindRefused):
        message = f"workspace.kind is {wish.value}, but {plan.why}."
        first = DoctorLine("workspaces", Health.BAD, message, plan.advice)
    else:
        how = "a folder of an earlier task if one is free, else " if plan.spare else ""
        first = DoctorLine("workspaces", Health.GOOD, f"Made by: {how}{plan.new.value}.")
    return (first, *_refusals(found))


def _refusals(found: Found) -> Iterator[DoctorLine]:
    for kind, one in found.items():
        match one:
            case KindRefused(why=why, advice=advice):
                message = f"{kind.value} is not used: {why}."
                yield DoctorLine("workspaces", Health.GOOD, message, advice)
            case KindWorks(how=how):
                yield DoctorLine("workspaces", Health.GOOD, f"{kind.value} works: {how}.")


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
    plan = await plan_for(services, settings)
    wanted = settings.workspace.prepare and room_for_spares(settings).size > 0
    if not wanted or isinstance(plan, KindRefused) or not await _is_large(found):
        return
    at = exact_timestamp(services.clock.now_ms())
    opened = await services.repositories.open(ref_of(found), at)
    if isinstance(opened, GitFailed) or opened.repository.trust is not Trust.TRUSTED:
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


async def _is_large(repository: Repository) -> bool:
    try:
        status = await anyio.Path(repository.git_dir / "index").stat()
    except FileNotFoundError:
        return False
    return status.st_size >= LARGE_INDEX
