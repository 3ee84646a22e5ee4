"""``sennit/proposals``, ``sennit/proposal``: proposals in lists, in full, as patches."""

from __future__ import annotations

import base64

import anyio.to_thread
from attrs import frozen

from sennit.adapters.git.changes import patch
from sennit.core.conflict_views import resolved_views
from sennit.core.engine.rows import TURN_OF_TICKETS, ProposalRow, RevisionRow, TicketRow
from sennit.core.objects import GitFailed
from sennit.core.proposal_views import (
    file_views,
    merge_notices,
    proposal_summary,
    revision_line,
    revision_summaries,
)
from sennit.core.settled_views import hidden_by, settled_files, settled_notices
from sennit.core.views import concerns, exact_timestamp
from sennit.server.conflicts import conflict_views
from sennit.server.errors import (
    git_error,
    revision_or_error,
    ticket_or_error,
)
from sennit.server.jsonrpc import Context
from sennit.server.looking import look
from sennit.server.methods.tickets import folder_or_error, limit_error
from sennit.server.repositories import Opened
from sennit.server.review_turns import all_said
from sennit.server.services import Services
from sennit.server.settled import settled_changes, settled_of, settled_tree
from sennit_protocol.errors import ErrorCode, Problem, RpcError, problems_error
from sennit_protocol.proposals import FileView, ProposalSummary, ProposalView
from sennit_protocol.review import (
    ProposalFormat,
    ProposalParams,
    ProposalsParams,
    ProposalsResult,
    ProposalText,
)

MOST_FILES = 10_000


async def proposals(
    services: Services, _context: Context, params: ProposalsParams
) -> ProposalsResult | RpcError:
    """List proposals, newest ticket first, in the order of reconciliation."""
    wrong = limit_error(params.limit) or _offset_error(params.offset)
    if wrong is not None:
        return wrong
    if params.ticket is not None:
        ticket = ticket_or_error(services, params.ticket)
        if isinstance(ticket, RpcError):
            return ticket
    folder = folder_or_error(params.folder)
    if isinstance(folder, RpcError):
        return folder
    rows = [
        row
        for row in services.state.rows(ProposalRow)
        if params.ticket in {None, row.ticket} and concerns(services.state, row.ticket, folder)
    ]
    rows.sort(key=lambda row: row.order)
    rows.sort(key=lambda row: _turn(services, row), reverse=True)
    shown = rows[params.offset : params.offset + params.limit]
    return ProposalsResult(
        tuple(proposal_summary(services.state, row) for row in shown), total=len(rows)
    )


def _offset_error(offset: int) -> RpcError | None:
    if offset >= 0:
        return None
    problem = Problem("offset", f"is {offset}", ("0 or more",))
    return problems_error(ErrorCode.INVALID_PARAMS, "The page cannot be given", (problem,))


def _turn(services: Services, row: ProposalRow) -> tuple[int, int, str]:
    turn: tuple[int, int, str] = TURN_OF_TICKETS(services.state.the(TicketRow, row.ticket))
    return turn


async def proposal(
    services: Services, _context: Context, params: ProposalParams
) -> ProposalView | RpcError:
    """One proposal in full, or as a patch."""
    wrong = limit_error(params.limit, MOST_FILES) or _offset_error(params.offset)
    if wrong is not None:
        return wrong
    await all_said(services, None, (params.proposal,))
    revision = revision_or_error(services, params.proposal, params.revision)
    if isinstance(revision, RpcError):
        return revision
    opened = await opened_for(services, revision)
    if isinstance(opened, RpcError):
        return opened
    if params.format is ProposalFormat.PATCH:
        return await _as_patch(services, opened, revision, params)
    if params.against is not None:
        problem = Problem("against", "means something with `format: patch` only")
        return problems_error(ErrorCode.INVALID_PARAMS, "Nothing can be compared", (problem,))
    page = Page(params.offset, params.limit, params.text)
    return await proposal_view(services, opened, revision, page)


async def opened_for(services: Services, revision: RevisionRow) -> Opened | RpcError:
    """The repository of a revision, or the error why it cannot be read."""
    at = exact_timestamp(services.clock.now_ms())
    opened = await services.repositories.open(revision.repository, at)
    return git_error(opened) if isinstance(opened, GitFailed) else opened


@frozen
class Page:
    """Which files of a revision are shown, and which text of them."""

    offset: int = 0
    limit: int = MOST_FILES
    text: ProposalText = ProposalText.SETTLED


async def proposal_view(
    services: Services, opened: Opened, revision: RevisionRow, page: Page | None = None
) -> ProposalView | RpcError:
    """A revision with its files and units, all of them unless said."""
    page = page or Page()
    files = await _files(services, opened, revision, page.text)
    if isinstance(files, GitFailed):
        return git_error(files)
    conflicts = await conflict_views(services, opened, revision)
    if isinstance(conflicts, GitFailed):
        return git_error(conflicts)
    return ProposalView(
        summary=_summary(services, revision),
        base=revision.base_commit,
        files=files[page.offset : page.offset + page.limit],
        conflicts=conflicts,
        resolved=resolved_views(revision),
        notices=(*merge_notices(revision), *settled_notices(files), *revision.notices),
        failure=revision.failure,
        files_total=len(files),
        revisions=revision_summaries(
            services.state, services.state.the(ProposalRow, revision.proposal)
        ),
    )


async def _files(
    services: Services, opened: Opened, revision: RevisionRow, text: ProposalText
) -> tuple[FileView, ...] | GitFailed:
    looked = await look(services, opened, revision)
    if isinstance(looked, GitFailed):
        return looked
    settled = await settled_of(services, opened, revision)
    if isinstance(settled, GitFailed):
        return settled
    changes = await settled_changes(services, opened, revision, settled)
    if isinstance(changes, GitFailed):
        return changes

    def made() -> tuple[FileView, ...]:
        if text is ProposalText.AGENT:
            return file_views(revision, looked)
        hidden = hidden_by(looked, settled.resolutions)
        return file_views(revision, looked, settled_files(revision, looked, changes), hidden)

    return await anyio.to_thread.run_sync(made)


def _summary(services: Services, revision: RevisionRow) -> ProposalSummary:
    return revision_line(
        services.state, services.state.the(ProposalRow, revision.proposal), revision
    )


async def _as_patch(
    services: Services, opened: Opened, revision: RevisionRow, params: ProposalParams
) -> ProposalView | RpcError:
    if params.against is None:
        sides = await _changed(services, opened, revision, params.text)
    else:
        other = revision_or_error(services, revision.proposal, params.against)
        if isinstance(other, RpcError):
            return other
        sides = await _both(services, opened, (other, revision), params.text)
    if isinstance(sides, GitFailed):
        return git_error(sides)
    made = await patch(services.git, opened.store, *sides)
    if isinstance(made, GitFailed):
        return git_error(made)
    text, encoded = patch_fields(made)
    return ProposalView(
        summary=_summary(services, revision),
        base=revision.base_commit,
        patch=text,
        patch_base64=encoded,
        files_total=revision.counts.files,
    )


async def _changed(
    services: Services, opened: Opened, revision: RevisionRow, text: ProposalText
) -> tuple[str, str] | GitFailed:
    """The trees before and after what a revision changes."""
    if text is ProposalText.AGENT:
        return revision.base_tree, revision.tree
    settled = await settled_of(services, opened, revision)
    return settled if isinstance(settled, GitFailed) else (settled.before, settled.after)


async def _both(
    services: Services, opened: Opened, both: tuple[RevisionRow, RevisionRow], text: ProposalText
) -> tuple[str, str] | GitFailed:
    """The trees of two revisions."""
    if text is ProposalText.AGENT:
        return both[0].tree, both[1].tree
    old = await settled_tree(services, opened, both[0])
    new = await settled_tree(services, opened, both[1])
    if isinstance(old, GitFailed):
        return old
    return new if isinstance(new, GitFailed) else (old, new)


def patch_fields(made: bytes) -> tuple[str | None, str | None]:
    """A patch as text, or in base64 where its bytes are not UTF-8."""
    try:
        return made.decode(), None
    except UnicodeDecodeError:
        return None, base64.b64encode(made).decode("ascii")
