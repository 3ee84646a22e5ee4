"""Whether HEAD is where it was when the bases of a ticket were taken."""

from __future__ import annotations

from sennit.core.engine.rows import BaseRow, RepositoryRef
from sennit.core.objects import Manifest
from sennit.core.uris import display
from sennit.server.services import Services
from sennit_protocol.ids import TicketId
from sennit_protocol.views import Notice


def head_moved(
    services: Services, ticket: TicketId, repository: RepositoryRef, now: Manifest
) -> tuple[Notice, ...]:
    """Why everything is held until the user confirms; nothing where HEAD has not moved."""
    bases = {
        (row.manifest.head, row.manifest.branch)
        for row in services.state.rows(BaseRow)
        if row.ticket == ticket and row.repository == repository and row.manifest is not None
    }
    if not bases or bases == {(now.head, now.branch)}:
        return ()
    then = " and ".join(sorted(_where(head, branch) for head, branch in bases))
    message = (
        f"HEAD is at {_where(now.head, now.branch)} and was at {then} when the base was taken."
        " Look whether the proposals still fit, then apply with confirmMoved."
    )
    return (Notice(message),)


def _where(head: str | None, branch: bytes | None) -> str:
    commit = "no commit" if head is None else head[:12]
    return commit if branch is None else f"{commit} ({display(branch)})"
