"""The definitions of agents that count in a repository."""

from __future__ import annotations

import anyio.to_thread

from sennit.adapters.agents.definitions import (
    Definitions,
    Folder,
    definitions_in,
    with_definitions,
)
from sennit.adapters.git.discovery import Repository
from sennit.adapters.trust import TrustUnreadable
from sennit.core.views import exact_timestamp
from sennit.server.services import Services
from sennit.settings.reader import config_folder
from sennit_protocol.states import TrustState
from sennit_protocol.views import Notice


async def definitions_of(services: Services, repository: Repository | None) -> Definitions:
    """The definitions that tasks in a repository can name; its own only where it is trusted."""
    folders = [Folder(config_folder(services.environ) / "agents")]
    if repository is not None and await _is_trusted(services, repository):
        folders += _of(repository)
    return await anyio.to_thread.run_sync(definitions_in, folders)


async def not_counting(services: Services, repository: Repository | None) -> tuple[Notice, ...]:
    """Say which definitions of a repository do not count, since it is not trusted as it is."""
    if repository is None or await _is_trusted(services, repository):
        return ()
    there = await anyio.to_thread.run_sync(with_definitions, _of(repository))
    top = repository.work_tree
    return tuple(
        Notice(
            f"Definitions of agents: those in {each.path.relative_to(top)} do not count until the"
            " folder is trusted as it is now (sennit trust grant)."
        )
        for each in there
    )


def _of(repository: Repository) -> list[Folder]:
    top = repository.work_tree
    return [Folder(top / name / "agents", within=top) for name in (".sennit", ".claude")]


async def _is_trusted(services: Services, repository: Repository) -> bool:
    at = exact_timestamp(services.clock.now_ms())
    verdict = await services.repositories.trust_of(repository, at)
    return not isinstance(verdict, TrustUnreadable) and verdict.state is TrustState.TRUSTED
