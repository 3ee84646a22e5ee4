"""``sennit/proposals``, ``sennit/proposal``, ``sennit/decide``: proposals and decisions."""

from __future__ import annotations

import base64

import anyio.to_thread

from sennit.adapters.git.changes import patch
from sennit.core.conflict_views import resolved_views
from sennit.core.engine.events import DecisionsMade
from sennit.core.engine.reviewing import Decided, NotDecided
from sennit.core.engine.rows import ProposalRow, RevisionRow, TicketRow
from sennit.core.objects import GitFailed
from sennit.core.proposal_views import (
    Looked,
    file_views,
    proposal_summary,
    revision_line,
    revision_summaries,
    set_aside,
)
from sennit.core.stored import StoreProblem
from sennit.core.units import Unit, with_dependents, with_needs
from sennit.core.uris import file_uri
from sennit.core.views import concerns, exact_timestamp
from sennit.server.conflicts import conflict_views
from sennit.server.errors import (
    git_error,
    newest_or_error,
    revision_or_error,
    store_error,
    ticket_or_error,
)
from sennit.server.jsonrpc import Context
from sennit.server.looking import look
from sennit.server.methods.tickets import folder_or_error, limit_error
from sennit.server.repositories import Opened
from sennit.server.services import Services
from sennit_protocol.errors import ErrorCode, Problem, RpcError, problems_error
from sennit_protocol.ids import RevisionId, UnitId
from sennit_protocol.proposals import ProposalSummary, ProposalView
from sennit_protocol.review import (
    Choice,
    DecideParams,
    DecideResult,
    ProposalFormat,
    ProposalParams,
    ProposalsParams,
    ProposalsResult,
)
from sennit_protocol.states import Decision

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
    rows.sort(key=lambda row: (-_created(services, row), row.ticket, row.order))
    shown = rows[params.offset : params.offset + params.limit]
    return ProposalsResult(
        tuple(proposal_summary(services.state, row) for row in shown), total=len(rows)
    )


def _offset_error(offset: int) -> RpcError | None:
    if offset >= 0:
        return None
    problem = Problem("offset", f"is {offset}", ("0 or more",))
    return problems_error(ErrorCode.INVALID_PARAMS, "The page cannot be given", (problem,))


def _created(services: Services, row: ProposalRow) -> int:
    return services.state.the(TicketRow, row.ticket).created_at


async def proposal(
    services: Services, _context: Context, params: ProposalParams
) -> ProposalView | RpcError:
    """One proposal in full, or as a patch."""
    wrong = limit_error(params.limit, MOST_FILES) or _offset_error(params.offset)
    if wrong is not None:
        return wrong
    revision = revision_or_error(services, params.proposal, params.revision)
    if isinstance(revision, RpcError):
        return revision
    opened = await opened_for(services, revision)
    if isinstance(opened, RpcError):
        return opened
    if params.format is ProposalFormat.PATCH:
        return await _as_patch(services, opened, revision, params.against)
    if params.against is not None:
        problem = Problem("against", "means something with `format: patch` only")
        return problems_error(ErrorCode.INVALID_PARAMS, "Nothing can be compared", (problem,))
    return await proposal_view(services, opened, revision, params.offset, params.limit)


async def opened_for(services: Services, revision: RevisionRow) -> Opened | RpcError:
    """The repository of a revision, or the error why it cannot be read."""
    at = exact_timestamp(services.clock.now_ms())
    opened = await services.repositories.open(revision.repository, at)
    return git_error(opened) if isinstance(opened, GitFailed) else opened


async def proposal_view(
    services: Services,
    opened: Opened,
    revision: RevisionRow,
    offset: int = 0,
    limit: int = MOST_FILES,
) -> ProposalView | RpcError:
    """A revision with its files and units."""
    looked = await look(services, opened, revision)
    if isinstance(looked, GitFailed):
        return git_error(looked)
    files = await anyio.to_thread.run_sync(file_views, revision, looked)
    conflicts = await conflict_views(services, opened, revision)
    if isinstance(conflicts, GitFailed):
        return git_error(conflicts)
    return ProposalView(
        summary=_summary(services, revision),
        base=revision.base_commit,
        files=files[offset : offset + limit],
        conflicts=conflicts,
        resolved=resolved_views(revision),
        notices=(*set_aside(revision), *revision.notices),
        failure=revision.failure,
        files_total=len(files),
        revisions=revision_summaries(
            services.state, services.state.the(ProposalRow, revision.proposal)
        ),
    )


def _summary(services: Services, revision: RevisionRow) -> ProposalSummary:
    return revision_line(
        services.state, services.state.the(ProposalRow, revision.proposal), revision
    )


async def _as_patch(
    services: Services, opened: Opened, revision: RevisionRow, against: RevisionId | None
) -> ProposalView | RpcError:
    begin = revision.base_tree
    if against is not None:
        other = revision_or_error(services, revision.proposal, against)
        if isinstance(other, RpcError):
            return other
        begin = other.tree
    made = await patch(services.git, opened.store, begin, revision.tree)
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


def patch_fields(made: bytes) -> tuple[str | None, str | None]:
    """A patch as text, or in base64 where its bytes are not UTF-8."""
    try:
        return made.decode(), None
    except UnicodeDecodeError:
        return None, base64.b64encode(made).decode("ascii")


async def decide(
    services: Services, _context: Context, params: DecideParams
) -> DecideResult | RpcError:
    """Keep decisions about units of the newest revision."""
    revision = newest_or_error(services, params.proposal, params.revision)
    if isinstance(revision, RpcError):
        return revision
    opened = await opened_for(services, revision)
    if isinstance(opened, RpcError):
        return opened
    looked = await look(services, opened, revision)
    if isinstance(looked, GitFailed):
        return git_error(looked)
    decisions = await anyio.to_thread.run_sync(decisions_of, revision, looked, params.choices)
    if isinstance(decisions, RpcError):
        return decisions
    outcome: Decided | NotDecided | StoreProblem = await services.tell(
        DecisionsMade,
        revision=revision.id,
        decisions=tuple(decisions.items()),
        total=len(looked.units),
    )
    match outcome:
        case StoreProblem():
            return store_error(outcome)
        case NotDecided(message=message):
            return RpcError(ErrorCode.WRONG_STATE, message)
        case Decided():
            return await _decided(services, opened, revision)


async def _decided(
    services: Services, opened: Opened, revision: RevisionRow
) -> DecideResult | RpcError:
    now = services.state.the(RevisionRow, revision.id)
    view = await proposal_view(services, opened, now)
    return view if isinstance(view, RpcError) else DecideResult(view)


def decisions_of(
    revision: RevisionRow, looked: Looked, choices: tuple[Choice, ...]
) -> dict[UnitId, Decision] | RpcError:
    """The decisions that choices mean.

    Accepting a unit accepts what it needs; taking one back takes back those that need it.
    """
    by_uri: dict[str, list[Unit]] = {}
    for unit in looked.units:
        by_uri.setdefault(file_uri(revision.repository.top + b"/" + unit.path), []).append(unit)
    known = {unit.id for unit in looked.units}
    problems: list[Problem] = []
    decisions: dict[UnitId, Decision] = {}
    for place, choice in enumerate(choices):
        wanted: set[str] = set(known) if choice.all else set(choice.units)
        problems.extend(_unknown(f"choices[{place}].units", wanted - known, tuple(sorted(known))))
        files = set(choice.files)
        problems.extend(_unknown(f"choices[{place}].files", files - by_uri.keys(), tuple(by_uri)))
        chosen = set(wanted) | {unit.id for uri in files for unit in by_uri.get(uri, ())}
        if choice.decision is Decision.ACCEPTED:
            chosen = set(with_needs(looked.units, chosen))
        else:
            chosen |= with_dependents(looked.units, chosen)
        decisions |= {UnitId(unit): choice.decision for unit in chosen}
    if problems:
        return problems_error(ErrorCode.INVALID_PARAMS, "Nothing was decided", tuple(problems))
    return decisions


MOST_NAMED = 20


def _unknown(path: str, names: set[str], valid: tuple[str, ...]) -> list[Problem]:
    return [
        Problem(path, f"{name!r} is not of this revision", valid[:MOST_NAMED])
        for name in sorted(names)
    ]
