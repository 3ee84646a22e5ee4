"""Which runs are confined, and which agents cannot be used because they would have to be."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import assert_never

import anyio.to_thread
from attrs import evolve, frozen

from sennit.adapters.agents.catalogue import CatalogueEntry
from sennit.adapters.runs.environment import agent_environment
from sennit.adapters.runs.own_program import own_program
from sennit.adapters.runs.values import RunSpec
from sennit.adapters.sandbox.planning import Surroundings, plan
from sennit.adapters.sandbox.probing import probe
from sennit.core.agents import AgentSettings, Sandboxing
from sennit.core.engine.commands import StartRun
from sennit.core.engine.rows import RunRow, TaskSpec
from sennit.core.objects import GitFailed
from sennit.core.sandbox import (
    Availability,
    SandboxReady,
    SandboxRecord,
    Unconfined,
    wanted,
    why_off,
    why_unusable,
)
from sennit.core.uris import display
from sennit.core.views import exact_timestamp
from sennit.server.services import Services
from sennit.server.workspace_names import workspace_name
from sennit.settings.reader import config_folder
from sennit.settings.values import Settings
from sennit_protocol.texts import RunSandbox
from sennit_protocol.upkeep import DoctorLine, Health


@frozen
class SandboxRefused:
    """The agent must not run without a sandbox, and there is none; the message is for a person."""

    message: str


async def sandboxed(
    services: Services, command: StartRun, spec: RunSpec, *, read_only: bool = False
) -> RunSpec | SandboxRefused:
    """Confine a run as its agent's settings say; ``read_only``: it may not write anything.

    The state folders that the agent lists are made where they are missing.
    """
    task = services.state.task(command.ticket, command.task).spec
    settings = services.settings_of(command.ticket, task.repository.top)
    folder = services.state.the(RunRow, command.run).folder or b""
    name = workspace_name(folder, services.folders.workspaces)
    workspace = Path(os.fsdecode(folder)) if name is None else services.folders.workspaces / name
    place = _Place(workspace, task.agent.state_folders, read_only)
    return await _confined(services, task, wanted(task.agent, settings.sandbox), place, spec)


async def confined_setup(
    services: Services, task: TaskSpec, settings: Settings, workspace: Path, spec: RunSpec
) -> RunSpec | SandboxRefused:
    """Confine what makes a workspace ready for an agent as that agent will be.

    It may run what other agents have written, so it has no more rights than they have.
    """
    place = _Place(workspace, settings.workspace.setup_folders, read_only=False)
    return await _confined(services, task, wanted(task.agent, settings.sandbox), place, spec)


@frozen
class _Place:
    """Where a program works, and the folders elsewhere that it may write to."""

    workspace: Path
    writable: tuple[str, ...]
    read_only: bool


async def _confined(
    services: Services, task: TaskSpec, wish: Sandboxing, place: _Place, spec: RunSpec
) -> RunSpec | SandboxRefused:
    if wish is Sandboxing.OFF:
        return evolve(spec, sandbox=Unconfined(wish, why_off(task.agent)))
    found = await available(services.environ)
    missing = why_unusable(wish, found)
    if missing is not None:
        # It worked when the task was taken on, or this server took the task over from another.
        return SandboxRefused(f"The agent {task.agent.name!r} was not started. {missing.told}")
    around = await _surroundings(services, task, place.workspace, spec)
    sandbox = await anyio.to_thread.run_sync(
        lambda: plan(wish, found, place.writable, around, read_only=place.read_only)
    )
    return evolve(spec, sandbox=sandbox)


async def _surroundings(
    services: Services, task: TaskSpec, workspace: Path, spec: RunSpec
) -> Surroundings:
    variables = agent_environment(services.environ, spec.env_allow, spec.env_set)
    kept = [services.folders.root, config_folder(services.environ)]
    chosen = services.settings.of(b"").store_path
    if chosen is not None:
        kept.append(Path(chosen))
    at = exact_timestamp(services.clock.now_ms())
    opened = await services.repositories.open(task.repository, at)
    if not isinstance(opened, GitFailed):
        # It could not have become a workspace otherwise; if it is gone since, it needs no care.
        kept += [opened.repository.git_dir, opened.repository.common_dir]
    return Surroundings(
        home=variables.get("HOME", ""),
        workspace=str(workspace),
        kept=(os.fsdecode(task.repository.top), *map(str, kept)),
        arguments=(*spec.argv, *variables["PATH"].split(os.pathsep), *_asking()),
    )


def _asking() -> tuple[str, ...]:
    """Name what an agent needs to see of this installation to ask."""
    program = own_program()
    return () if program is None else (str(program),)


async def available(environ: Mapping[str, str]) -> Availability:
    """Tell whether there is a sandbox on this machine, by making one."""
    return await anyio.to_thread.run_sync(probe, environ)


async def without_unusable(
    environ: Mapping[str, str],
    entries: Iterable[CatalogueEntry],
    agents: Mapping[str, AgentSettings],
    general: Sandboxing,
) -> tuple[CatalogueEntry, ...]:
    """Mark those entries unusable that must be sandboxed where that is not possible."""
    judged = tuple(entries)
    wishes = {each.name: wanted(agents[each.name], general) for each in judged if each.usable}
    if Sandboxing.REQUIRED not in wishes.values():
        return judged
    found = await available(environ)
    return tuple(
        _judged(each, wishes[each.name], found) if each.usable else each for each in judged
    )


def _judged(entry: CatalogueEntry, wish: Sandboxing, found: Availability) -> CatalogueEntry:
    missing = why_unusable(wish, found)
    if missing is None:
        return entry
    return evolve(entry, usable=False, problem=missing.problem, advice=missing.advice)


async def sandbox_line(services: Services) -> DoctorLine:
    """Tell whether there is a sandbox, and how bad it is if there is none.

    Which agents cannot be used without one is told with the agents.
    """
    found = await available(services.environ)
    if isinstance(found, SandboxReady):
        message = f"{found.version} works: agents are confined as `sandbox` says."
        return DoctorLine("sandbox", Health.GOOD, message)
    match services.settings.of(b"").sandbox:
        case Sandboxing.OFF:
            message = f"{found.problem} The settings ask for no sandbox."
            return DoctorLine("sandbox", Health.GOOD, message)
        case Sandboxing.PREFERRED:
            message = f"{found.problem} Agents run without a sandbox: they write wherever you can."
            return DoctorLine("sandbox", Health.WARNING, message, found.advice)
        case Sandboxing.REQUIRED:
            message = f"{found.problem} A sandbox is required, so no agent can run."
            return DoctorLine("sandbox", Health.BAD, message, found.advice)
        case unknown:
            assert_never(unknown)


def sandbox_shown(record: SandboxRecord) -> RunSandbox:
    """Say what was in force on a run in the words of the protocol."""
    return RunSandbox(
        wanted=record.wanted.value,
        confined=record.in_force,
        why_not=record.why or None,
        workspace_writable=not (record.in_force and record.read_only),
        writable=tuple(display(os.fsencode(each)) for each in record.writable),
        left_out=tuple(f"{each.folder}: {each.why}" for each in record.left_out),
    )
