"""``sennit/agents``: the catalogue."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping

import anyio.to_thread
from attrs import evolve, frozen

from sennit.adapters.agents.catalogue import CatalogueEntry, catalogue
from sennit.adapters.agents.versions import Asked, versions
from sennit.adapters.git.discovery import Repository, Trust
from sennit.adapters.runs.environment import agent_environment
from sennit.core.agent_abilities import abilities
from sennit.core.agent_definitions import AgentDefinition
from sennit.core.agents import AgentKind, AgentSettings
from sennit.core.sandbox import wanted
from sennit.server.definitions import definitions_of, not_counting
from sennit.server.jsonrpc import Context
from sennit.server.probing import default_folder
from sennit.server.sandboxing import without_unusable
from sennit.server.services import Services
from sennit.settings.builtin_agents import BUILT_IN
from sennit.settings.values import Given, Settings, SettingsProblems
from sennit_protocol.errors import ErrorCode, RpcError, problems_error
from sennit_protocol.upkeep import AgentsParams, AgentsResult, AgentView, DefinitionView

SOURCE_OF_BUILT_IN = "built in"


@frozen
class Surveyed:
    """What is known of the agents at one place: the settings there and its repository, if any."""

    settings: Settings
    repository: Repository | None


async def agents(
    services: Services, _context: Context, params: AgentsParams
) -> AgentsResult | RpcError:
    """Every agent that may be named, with why it cannot be used where it cannot."""
    surveyed = await _survey(services)
    if isinstance(surveyed, RpcError):
        return surveyed
    settings = surveyed.settings
    entries = await anyio.to_thread.run_sync(
        catalogue, tuple(settings.agents.values()), services.environ
    )
    entries = await without_unusable(services.environ, entries, settings.agents, settings.sandbox)
    views = tuple(_view(entry, settings) for entry in entries)
    if params.versions:
        told = await versions(_asked(entries, settings.agents, services.environ))
        views = tuple(
            evolve(view, version=None if entry.program is None else told.get(entry.program))
            for view, entry in zip(views, entries, strict=True)
        )
    found = await definitions_of(services, surveyed.repository)
    notices = (*found.notices, *await not_counting(services, surveyed.repository))
    return AgentsResult(views, tuple(map(_definition, found.definitions)), notices)


async def _survey(services: Services) -> Surveyed | RpcError:
    folder = default_folder(services)
    repository, top = None, b""
    if folder is not None:
        found = await services.repositories.find(folder, Trust.UNTRUSTED)
        if isinstance(found, Repository):
            repository, top = found, os.fsencode(found.work_tree)
    settings = await services.settings.refresh(top)
    if isinstance(settings, SettingsProblems):
        problems = tuple(problem.as_problem() for problem in settings.problems)
        return problems_error(ErrorCode.SETTINGS_INVALID, "The settings are wrong", problems)
    return Surveyed(settings, repository)


def _view(entry: CatalogueEntry, settings: Settings) -> AgentView:
    agent = settings.agents[entry.name]
    return AgentView(
        name=entry.name,
        kind=entry.kind.value,
        usable=entry.usable,
        program=None if entry.program is None else str(entry.program),
        description=agent.description or "",
        problem=f"{entry.problem} {entry.advice}".strip() or None,
        source=_source(settings.given, entry.name),
        built_in=entry.name in BUILT_IN,
        found=entry.found,
        output=agent.output.value if agent.kind is AgentKind.COMMAND else None,
        can=abilities(agent),
        roles=agent.roles,
        model_class=agent.model_class,
        provider=agent.provider,
        sandbox=wanted(agent, settings.sandbox).value,
        sign_in=agent.sign_in,
    )


def _asked(
    entries: Iterable[CatalogueEntry],
    agents: Mapping[str, AgentSettings],
    environ: Mapping[str, str],
) -> tuple[Asked, ...]:
    return tuple(
        Asked(entry.program, _environment(agents[entry.name], environ))
        for entry in entries
        if entry.program is not None
    )


def _environment(agent: AgentSettings, environ: Mapping[str, str]) -> Mapping[str, str]:
    return agent_environment(environ, agent.pass_env, agent.env)


def _definition(definition: AgentDefinition) -> DefinitionView:
    return DefinitionView(
        name=definition.name,
        description=definition.description,
        model=definition.model,
        tools=definition.tools,
        thinking=definition.thinking,
        read_only=definition.read_only,
        source=definition.source,
    )


def _source(given: tuple[Given, ...], name: str) -> str:
    prefix = f"agents.{name}."
    sources = [one.where for one in given if one.name.startswith(prefix)]
    return sources[-1] if sources else SOURCE_OF_BUILT_IN
