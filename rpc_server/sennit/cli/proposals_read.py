"""Reads proposals in full, with the texts that their changes stand in."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import frozen

from sennit.cli.client import Client
from sennit.cli.diffs import Bases, Lines
from sennit.cli.names import Names, kind_of
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
    """Tell tickets from proposals by their names; raises `UsageError` for what is neither."""
    return kind_of(name, IdKind.TICKET, IdKind.PROPOSAL) is IdKind.TICKET


@frozen
class Found:
    """What a name stands for: a ticket or a proposal by its ``id``, and its proposals in full."""

    id: TicketId | ProposalId
    views: Sequence[ProposalView]


async def proposals_of(names: Names, name: str) -> Found:
    """Read one proposal, or all of a ticket; raises `UsageError` for what is neither."""
    client = names.client
    if not is_ticket(name):
        proposal = await names.proposal(name)
        return Found(proposal, [await proposal_of(client, proposal)])
    ticket = await names.ticket(name)
    summaries = await summaries_of(client, ticket)
    return Found(ticket, [await proposal_of(client, each.id) for each in summaries])


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
