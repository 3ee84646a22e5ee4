"""``sennit/doctor``: looks at machine, repository, agents, store and left-overs, with advice."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import AsyncIterator, Mapping
from pathlib import Path

import anyio
import anyio.to_thread
from attrs import evolve

from sennit.adapters.agents.catalogue import catalogue
from sennit.adapters.git.discovery import NotARepository, Refused, Repository, Trust
from sennit.adapters.git.disk_away import disk_away
from sennit.adapters.git.files import in_thread
from sennit.adapters.git.git import Git, git_for
from sennit.adapters.git.version import git_version
from sennit.adapters.platform.filesystems import NO_NAMES, no_file_can_be_made
from sennit.adapters.platform.support import Unsupported, process_control
from sennit.adapters.store.files import put_aside
from sennit.adapters.trust import TrustUnreadable
from sennit.core.counted import counted
from sennit.core.engine.rows import RunRow, ServerRow
from sennit.core.facts import BadFolder, folder_path
from sennit.core.objects import GitFailed
from sennit.core.stored import StoreProblem
from sennit.core.uris import display
from sennit.core.views import exact_timestamp
from sennit.server.checkouts import checkouts_line
from sennit.server.damaged_stores import damage_lines
from sennit.server.disk_use import ground_lines, use_line
from sennit.server.jsonrpc import Context
from sennit.server.object_files import mirror_line, object_files_line
from sennit.server.own_folders import why_not_here
from sennit.server.probing import default_folder
from sennit.server.sandboxing import (
    sandbox_line,
    without_unusable,
)
from sennit.server.services import Services, StateFolders
from sennit.server.workspace_kinds import kind_lines
from sennit.settings.builtin_agents import BUILT_IN
from sennit_protocol.errors import ErrorCode, Problem, RpcError, problems_error
from sennit_protocol.states import RunState, TrustState
from sennit_protocol.upkeep import DoctorLine, DoctorParams, DoctorResult, Health

LITTLE_DISK = 2 << 30
_MEND = "Mend that, then look again: until then nothing of the rest can be looked at."


async def doctor(
    services: Services, _context: Context, params: DoctorParams
) -> DoctorResult | RpcError:
    """Look at everything; nothing is changed."""
    folder = default_folder(services) if params.cwd is None else folder_path(params.cwd)
    if isinstance(folder, BadFolder):
        problem = Problem("cwd", folder.message)
        return problems_error(ErrorCode.INVALID_PARAMS, "The folder cannot be read", (problem,))
    lines = [_spelled(line) async for line in _looks(services, folder)]
    return DoctorResult(tuple(lines))


async def doctor_without_database(
    folders: StateFolders, environ: Mapping[str, str], problem: StoreProblem
) -> DoctorResult:
    """Look at what can be looked at while the database cannot be used."""
    lines = [_python(), _processes(), await _git(git_for("git", environ), Path("/"))]
    lines.append(DoctorLine("database", Health.BAD, problem.message, _MEND))
    if await anyio.Path(folders.root).is_dir():
        lines += await anyio.to_thread.run_sync(_put_aside, folders.database)
        lines.append(await anyio.to_thread.run_sync(_disk, str(folders.root)))
    return DoctorResult(tuple(map(_spelled, lines)))


def _spelled(line: DoctorLine) -> DoctorLine:
    """Escape the bytes of paths that are no UTF-8, which no message can carry."""
    advice = None if line.advice is None else _escaped(line.advice)
    return evolve(line, message=_escaped(line.message), advice=advice)


def _escaped(text: str) -> str:
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


async def _looks(services: Services, folder: bytes | None) -> AsyncIterator[DoctorLine]:
    git = await _git(services.git, services.folders.root)
    for line in (_python(), _processes(), git, _settings(services), *await _database(services)):
        yield line
    if not await anyio.Path(services.folders.root).is_dir():
        # To look further would make it anew.
        return
    for line in (*await _state_folder(services), *await _stores(services)):
        yield line
    yield await sandbox_line(services)
    yield await object_files_line(services)
    for line in await kind_lines(services, await _opened(services, folder)):
        yield line
    async for line in _repository(services, folder):
        yield line
    async for line in _agents(services):
        yield line
    for line in _left_overs(services):
        yield line


def _python() -> DoctorLine:
    return DoctorLine("machine", Health.GOOD, f"{sys.platform}, Python {sys.version.split()[0]}")


def _processes() -> DoctorLine:
    control = process_control()
    if isinstance(control, Unsupported):
        return DoctorLine("machine", Health.BAD, control.why, "Run Sennit on Linux.")
    message = "Programs can be supervised so that none outlives its task."
    return DoctorLine("machine", Health.GOOD, message)


async def _git(git: Git, folder: Path) -> DoctorLine:
    found = await git_version(git, folder)
    if isinstance(found, GitFailed):
        return DoctorLine("git", Health.BAD, found.stderr, found.advice or "Install git.")
    if found.advice is not None:
        return DoctorLine("git", Health.BAD, found.told, found.advice)
    return DoctorLine("git", Health.GOOD, found.told)


def _settings(services: Services) -> DoctorLine:
    problems = services.settings.problems()
    if not problems:
        return DoctorLine("settings", Health.GOOD, "All settings are right.")
    told = "; ".join(f"{problem.path}: {problem.message}" for problem in problems)
    return DoctorLine("settings", Health.BAD, told, "Mend them; they are read again at once.")


async def _database(services: Services) -> list[DoctorLine]:
    aside = await anyio.to_thread.run_sync(_put_aside, services.folders.database)
    return [await _database_in_use(services), *aside]


async def _database_in_use(services: Services) -> DoctorLine:
    counts = await services.database.counts()
    if isinstance(counts, StoreProblem):
        return DoctorLine("database", Health.BAD, counts.message)
    rows = dict(counts.rows)
    servers = sum(1 for _ in services.state.rows(ServerRow))
    message = (
        f"{services.folders.database}: {counted(sum(rows.values()), 'row')},"
        f" {counted(counts.events, 'event')},"
        f" {counted(servers, 'server uses', 'servers use')} it."
    )
    return DoctorLine("database", Health.GOOD, message)


def _put_aside(database: Path) -> list[DoctorLine]:
    return [
        DoctorLine(
            "database",
            Health.WARNING,
            f"A damaged database was put aside: {found}",
            "Its tickets are in no list. Delete it when you do not miss them.",
        )
        for found in put_aside(database)
    ]


def _disk(folder: str) -> DoctorLine:
    free = shutil.disk_usage(folder).free
    message = f"{free / (1 << 30):.1f} GiB are free at {folder}."
    if no_file_can_be_made(folder):
        message = f"The disk of {folder} is full: {NO_NAMES}."
        return DoctorLine("disk", Health.BAD, message, "Run `sennit gc`, or delete files there.")
    if free < LITTLE_DISK:
        return DoctorLine("disk", Health.WARNING, message, "Run `sennit gc`, or make room.")
    return DoctorLine("disk", Health.GOOD, message)


async def _state_folder(services: Services) -> list[DoctorLine]:
    disk = await anyio.to_thread.run_sync(_disk, str(services.folders.root))
    ground = await anyio.to_thread.run_sync(ground_lines, services.folders.workspaces)
    kept = await checkouts_line(services)
    return [disk, await use_line(services), *ground, *([] if kept is None else [kept])]


async def _stores(services: Services) -> tuple[DoctorLine, ...]:
    stores, state = services.stores_root, services.folders.root
    away = await in_thread("look at the stores", disk_away, state, stores)
    if away is None:
        return await damage_lines(services)
    failed = away if isinstance(away, GitFailed) else away.failure("look at the stores")
    return (DoctorLine("stores", Health.BAD, f"{failed.stderr}.", failed.advice),)


async def _opened(services: Services, folder: bytes | None) -> Repository | None:
    """The repository of a folder; what is wrong with it is told by `_repository`."""
    found = None if folder is None else await services.repositories.find(folder, Trust.UNTRUSTED)
    return found if isinstance(found, Repository) else None


async def _repository(services: Services, folder: bytes | None) -> AsyncIterator[DoctorLine]:
    if folder is None:
        return
    found = await services.repositories.find(folder, Trust.UNTRUSTED)
    where = display(folder)
    why_not = await why_not_here(services, folder, found)
    if why_not is not None:
        yield DoctorLine("repository", Health.BAD, f"{where} cannot be used.", why_not)
        return
    match found:
        case NotARepository():
            yield DoctorLine(
                "repository",
                Health.WARNING,
                f"{where} is in no repository.",
                "Go into one, or run `git init` in a folder of its own.",
            )
        case Refused(advice=advice):
            yield DoctorLine("repository", Health.BAD, f"{where} cannot be used.", advice)
        case GitFailed(stderr=stderr, advice=advice):
            yield DoctorLine("repository", Health.BAD, stderr.strip(), advice or None)
        case Repository():
            top = display(os.fsencode(found.work_tree))
            yield DoctorLine("repository", Health.GOOD, f"{top}, {found.object_format}")
            yield await mirror_line(services, found)
            yield await _trust(services, found, top)


async def _trust(services: Services, repository: Repository, top: str) -> DoctorLine:
    at = exact_timestamp(services.clock.now_ms())
    verdict = await services.repositories.trust_of(repository, at)
    if isinstance(verdict, TrustUnreadable):
        return DoctorLine("trust", Health.BAD, verdict.message)
    if verdict.state is TrustState.TRUSTED:
        return DoctorLine("trust", Health.GOOD, f"{top} is trusted.")
    changed = ", ".join(map(display, verdict.changed))
    message = f"{top} is {verdict.state.value}" + (f": {changed}" if changed else "")
    return DoctorLine("trust", Health.WARNING, message, "Run `sennit trust grant` to dispatch.")


async def _agents(services: Services) -> AsyncIterator[DoctorLine]:
    settings = services.settings.of(b"")
    agents = settings.agents
    entries = await anyio.to_thread.run_sync(catalogue, tuple(agents.values()), services.environ)
    absent = []
    for entry in await without_unusable(services.environ, entries, agents, settings.sandbox):
        if entry.name in BUILT_IN and not entry.found:
            absent.append(entry.name)
        elif entry.usable:
            where = str(entry.program or "found when it runs")
            yield DoctorLine("agents", Health.GOOD, f"{entry.name}: {where}")
        else:
            yield DoctorLine("agents", Health.WARNING, entry.problem, entry.advice)
    if absent:
        message = f"Known to Sennit, but not installed: {', '.join(absent)}."
        yield DoctorLine("agents", Health.GOOD, message)


def _left_overs(services: Services) -> list[DoctorLine]:
    lines = []
    for run in services.state.rows(RunRow):
        if run.state is RunState.QUARANTINED:
            pids = ", ".join(map(str, run.survivors))
            lines.append(
                DoctorLine(
                    "left-overs",
                    Health.WARNING,
                    f"Processes of the run {run.id} could not be ended: {pids}.",
                    "End them; then drop the ticket.",
                )
            )
    return lines
