"""Reads proposals in full, with the texts that their changes stand in."""

from __future__ import annotations

from collections.abc import Sequence

from sennit.cli.client import Client
from sennit.cli.diffs import Bases, Lines
from sennit.cli.failures import UsageError
from sennit_protocol.ids import IdKind, ProposalId, TicketId
from sennit_protocol.proposals import FileView, ProposalSummary, ProposalView, UnitKind
from sennit_protocol.review import (
    ProposalFormat,
    ProposalParams,
    ProposalsParams,
    ProposalsResult,
    ProposalText,
)
from sennit_protocol.texts import ContentParams, ContentResult

_PAGE = 1000


async def summaries_of(client: Client, ticket: TicketId) -> Sequence[ProposalSummary]:
    """List every proposal of a ticket, in the order of reconciliation."""
    found: list[ProposalSummary] = []
    while True:
        params = ProposalsParams(ticket, limit=_PAGE, offset=len(found))
        page = await client.ask("sennit/proposals", params, ProposalsResult)
        found += page.proposals
        if not page.proposals or len(found) >= page.total:
            return found


async def proposal_of(
    client: Client, proposal: str, text: ProposalText = ProposalText.SETTLED
) -> ProposalView:
    """Read the newest revision of one proposal."""
    params = ProposalParams(ProposalId(proposal), text=text)
    return await client.ask("sennit/proposal", params, ProposalView)


def is_ticket(name: str) -> bool:
    """Tell tickets from proposals by their ids; raises `UsageError` for what is neither."""
    match name.partition("_")[0]:
        case IdKind.TICKET:
            return True
        case IdKind.PROPOSAL:
            return False
        case _:
            raise UsageError(
                f"{name!r} is neither a ticket (t_…) nor a proposal (p_…). "
                "`sennit tickets` lists tickets, `sennit show TICKET` its proposals."
            )


async def proposals_of(client: Client, name: str) -> Sequence[ProposalView]:
    """Read one proposal, or all of a ticket; raises `UsageError` for what is neither."""
    if not is_ticket(name):
        return [await proposal_of(client, name)]
    found = await summaries_of(client, TicketId(name))
    return [await proposal_of(client, each.id) for each in found]


async def patch_of(
    client: Client, proposal: str, text: ProposalText = ProposalText.SETTLED
) -> ProposalView:
    """Read the newest revision of one proposal as a patch."""
    params = ProposalParams(ProposalId(proposal), format=ProposalFormat.PATCH, text=text)
    return await client.ask("sennit/proposal", params, ProposalView)


async def bases_of(client: Client, views: Sequence[ProposalView]) -> Bases:
    """Read the texts around the hunks of proposals."""
    uris = {
        file.base_uri: None
        for view in views
        for file in view.files
        if file.base_uri is not None and _has_hunks(file)
    }
    return {uri: await lines_of(client, uri) for uri in uris}


def _has_hunks(file: FileView) -> bool:
    return not file.binary and any(each.kind is UnitKind.HUNK for each in file.units)


async def lines_of(client: Client, uri: str) -> Lines:
    """Read the lines behind a `sennit:` URI; none where they are no text."""
    content = await client.ask("sennit/content", ContentParams(uri), ContentResult)
    # What follows the last line break is a line only where there is something.
    return () if content.binary else content.text.removesuffix("\n").split("\n")
