"""Conflicts of revisions with the suggestions for them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from sennit.adapters.git.suggesting import suggested
from sennit.core.conflict_views import conflict_view
from sennit.core.engine.rows import RevisionRow
from sennit.core.objects import GitFailed
from sennit.core.resolutions import Suggested
from sennit.server.repositories import Opened
from sennit_protocol.conflicts import ConflictView

if TYPE_CHECKING:
    from sennit.server.services import Services

MOST_WITH_SUGGESTIONS = 100
"""Conflicts of one revision for which suggestions are worked out."""


async def suggestions_for(
    services: Services, opened: Opened, revision: RevisionRow
) -> Mapping[bytes, tuple[Suggested, ...]] | GitFailed:
    """What could settle each conflict, by path; worked out anew, since few look at them."""
    at = services.clock.now_ms() // 1000
    few = revision.conflicts[:MOST_WITH_SUGGESTIONS]
    return await suggested(services.git, opened.store, few, at)


async def conflict_views(
    services: Services, opened: Opened, revision: RevisionRow
) -> tuple[ConflictView, ...] | GitFailed:
    """The conflicts of a revision as clients see them."""
    found = await suggestions_for(services, opened, revision)
    if isinstance(found, GitFailed):
        return found
    return tuple(
        conflict_view(revision, one, found.get(one.path, ())) for one in revision.conflicts
    )
