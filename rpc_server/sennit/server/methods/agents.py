"""``sennit/agents``: the catalogue."""

from __future__ import annotations

import os

import anyio.to_thread

from sennit.adapters.agents.catalogue import catalogue
from sennit.adapters.git.discovery import Repository, Trust
from sennit.server.jsonrpc import Context
from sennit.server.probing import default_folder
from sennit.server.services import Services
from sennit.settings.values import Given, Settings, SettingsProblems
from sennit_protocol.errors import ErrorCode, RpcError, problems_error
from sennit_protocol.requests import Nothing
from sennit_protocol.upkeep import AgentsResult, AgentView

BUILT_IN = "built in"


async def agents(
    services: Services, _context: Context, _params: Nothing
) -> AgentsResult | RpcError:
    """Every agent that may be named, with why it cannot be used where it cannot."""
    settings = await _settings(services)
    if isinstance(settings, RpcError):
        return settings
    entries = await anyio.to_thread.run_sync(
        catalogue, tuple(settings.agents.values()), services.environ
    )
    return AgentsResult(
        tuple(
            AgentView(
                name=entry.name,
                kind=entry.kind.value,
                usable=entry.usable,
                program=None if entry.program is None else str(entry.program),
                description=settings.agent_descriptions.get(entry.name, ""),
                problem=f"{entry.problem} {entry.advice}".strip() or None,
                source=_source(settings.given, entry.name),
            )
            for entry in entries
        )
    )


async def _settings(services: Services) -> Settings | RpcError:
    folder = default_folder(services)
    top = b""
    if folder is not None:
        found = await services.repositories.find(folder, Trust.UNTRUSTED)
        top = os.fsencode(found.work_tree) if isinstance(found, Repository) else b""
    settings = await services.settings.refresh(top)
    if isinstance(settings, SettingsProblems):
        problems = tuple(problem.as_problem() for problem in settings.problems)
        return problems_error(ErrorCode.SETTINGS_INVALID, "The settings are wrong", problems)
    return settings


def _source(given: tuple[Given, ...], name: str) -> str:
    prefix = f"agents.{name}."
    sources = [one.where for one in given if one.name.startswith(prefix)]
    return sources[-1] if sources else BUILT_IN
