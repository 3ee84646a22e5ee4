"""The definitions of agents that count in a repository."""

from __future__ import annotations

import anyio.to_thread

from sennit.adapters.agents.definitions import Definitions, Folder, definitions_in
from sennit.adapters.git.discovery import Repository
from sennit.adapters.trust import TrustUnreadable
from sennit.core.views import exact_timestamp
from sennit.server.services import Services
from sennit.settings.reader import config_folder
from sennit_protocol.states import TrustState


async def definitions_of(services: Services, repository: Repository | None) -> Definitions:
    """The definitions that tasks in a repository can name; its own only where it is trusted."""
    folders = [Folder(config_folder(services.environ) / "agents")]
    if repository is not None and await _is_trusted(services, repository):
        top = repository.work_tree
        folders += [Folder(top / name / "agents", within=top) for name in (".sennit", ".claude")]
    return await anyio.to_thread.run_sync(definitions_in, folders)


async def _is_trusted(services: Services, repository: Repository) -> bool:
    at = exact_timestamp(services.clock.now_ms())
    verdict = await services.repositories.trust_of(repository, at)
    return not isinstance(verdict, TrustUnreadable) and verdict.state is TrustState.TRUSTED
