"""``sennit/retained``, ``sennit/drop``, ``sennit/gc``: what is kept, and letting go of it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import anyio.to_thread
from attrs import evolve

from sennit.adapters.git.collectable import size_of
from sennit.adapters.git.files import in_thread
from sennit.core.counted import counted
from sennit.core.engine.events import Dropped
from sennit.core.engine.following import is_newest
from sennit.core.engine.indexes import RUNS_OF
from sennit.core.engine.reviewing import DropDone, why_proposal_stays, why_ticket_stays
from sennit.core.engine.rows import ApplicationRow, ProposalRow, RevisionRow, TicketRow
from sennit.core.stored import StoreProblem
from sennit.core.views import exact_timestamp
from sennit.server.checkouts import checkouts
from sennit.server.collecting_stores import collect_stores, look_through_stores, store_items
from sennit.server.errors import store_error
from sennit.server.jsonrpc import Context
from sennit.server.services import Services
from sennit_protocol.errors import ErrorCode, Problem, RpcError, problems_error
from sennit_protocol.ids import IdKind, ProposalId, TicketId
from sennit_protocol.requests import Nothing
from sennit_protocol.states import FINAL_TICKET_STATES, ApplicationState, Integration, Target
from sennit_protocol.upkeep import (
    DropParams,
    DropResult,
    GcParams,
    GcResult,
    RetainedItem,
    RetainedResult,
)
from sennit_protocol.views import Notice

DAY_MS = 24 * 3600 * 1000
YOUNGEST_MS = 3600 * 1000
"""Nothing younger than this is collected."""

_UNDECIDED = frozenset({ApplicationState.NONE, ApplicationState.FAILED, ApplicationState.UNKNOWN})


async def retained(
    services: Services, _context: Context, _params: Nothing
) -> RetainedResult | RpcError:
    """Everything that is kept, with what it takes on the disk."""
    tickets = [await _item(services, row) for row in services.state.rows(TicketRow)]
    applications = [
        _application(row)
        for row in services.state.rows(ApplicationRow)
        if row.undoes is None and row.state is not ApplicationState.UNDONE
    ]
    items = (*tickets, *applications, *await checkouts(services))
    return RetainedResult(items, sum(item.bytes for item in items))


async def _item(services: Services, ticket: TicketRow) -> RetainedItem:
    runs = services.state.find(RUNS_OF, ticket.id)
    folders = [services.folders.workspaces / name for name in {run.workspace for run in runs}]
    folders += [services.folders.runs / run.id for run in runs]
    return RetainedItem(
        id=ticket.id,
        kind="ticket",
        ticket=ticket.id,
        bytes=await anyio.to_thread.run_sync(_size, folders),
        at=exact_timestamp(ticket.created_at),
        reason=_why_kept(services, ticket),
    )


def _application(row: ApplicationRow) -> RetainedItem:
    return RetainedItem(
        id=row.id,
        kind="application",
        ticket=row.ticket,
        at=exact_timestamp(row.at),
        reason="a patch" if row.target is Target.PATCH else row.state.value,
    )


def _size(folders: list[Path]) -> int:
    return sum(map(size_of, folders))


def _why_kept(services: Services, ticket: TicketRow) -> str:
    if ticket.state not in FINAL_TICKET_STATES:
        return f"it is {ticket.state.value}"
    return _unapplied(services, ticket) or "it is younger than the retention"


def _what_goes(services: Services, ticket: TicketRow) -> str:
    return _unapplied(services, ticket) or ticket.state.value


def _unapplied(services: Services, ticket: TicketRow) -> str | None:
    open_ones = [
        revision.proposal
        for revision in services.state.revisions(ticket)
        if is_undecided(revision) and is_newest(services.state, revision)
    ]
    if not open_ones:
        return None
    return f"neither applied nor dropped: {counted(len(open_ones), 'proposal')}"


def is_undecided(revision: RevisionRow) -> bool:
    """Whether a revision holds work that was neither applied nor dropped."""
    holds_work = revision.integration not in {Integration.DISCARDED, Integration.NO_CHANGES}
    return holds_work and revision.application in _UNDECIDED


async def drop(services: Services, _context: Context, params: DropParams) -> DropResult | RpcError:
    """Drop proposals or tickets; only say what would go unless ``confirm`` alone is set."""
    problems = tuple(
        Problem(f"ids[{place}]", f"{name!r} is no id of a ticket or a proposal")
        for place, name in enumerate(params.ids)
        if not _is_droppable(services, name)
    )
    if not params.ids:
        problems = (Problem("ids", "is empty; name at least one ticket or proposal"),)
    if problems:
        return problems_error(ErrorCode.INVALID_PARAMS, "Nothing was dropped", problems)
    ids = tuple(dict.fromkeys(params.ids))
    items = tuple([await _droppable(services, name) for name in ids])
    if params.dry_run or not params.confirm:
        stay = {name: why for name in ids if (why := _why_it_stays(services, name)) is not None}
        would = tuple(item for item in items if item.id not in stay)
        return DropResult(done=False, items=would, kept=tuple(map(Notice, stay.values())))
    done = await drop_ids(services, ids)
    if isinstance(done, StoreProblem):
        return store_error(done)
    gone = {*done.proposals, *done.tickets}
    return DropResult(
        done=True,
        items=tuple(item for item in items if item.id in gone),
        kept=tuple(map(Notice, done.kept)),
    )


async def drop_ids(services: Services, ids: tuple[str, ...]) -> DropDone | StoreProblem:
    """Let the engine drop them; where the disk is full, with the room that is held for that."""
    # If that fails too, the engine says what is wrong with the disk.
    await in_thread("make room", services.reserve.let_go_if_full)
    done: DropDone | StoreProblem = await services.tell(
        Dropped,
        proposals=tuple(ProposalId(name) for name in ids if _is(IdKind.PROPOSAL, name)),
        tickets=tuple(TicketId(name) for name in ids if _is(IdKind.TICKET, name)),
    )
    return done


def _is(kind: IdKind, name: str) -> bool:
    return name.startswith(f"{kind.value}_")


def _is_droppable(services: Services, name: str) -> bool:
    if _is(IdKind.PROPOSAL, name):
        return services.state.get(ProposalRow, name) is not None
    return services.state.ticket(name) is not None


def _why_it_stays(services: Services, name: str) -> str | None:
    proposal = services.state.get(ProposalRow, name)
    if proposal is None:
        return why_ticket_stays(services.state, TicketId(name))
    return why_proposal_stays(services.state, proposal)


async def _droppable(services: Services, name: str) -> RetainedItem:
    proposal = services.state.get(ProposalRow, name)
    if proposal is None:
        ticket = services.state.the(TicketRow, name)
        return evolve(await _item(services, ticket), reason=_what_goes(services, ticket))
    revision = services.state.the(RevisionRow, proposal.revision)
    return RetainedItem(
        id=proposal.id,
        kind="proposal",
        ticket=proposal.ticket,
        task=proposal.task,
        at=exact_timestamp(revision.created_at),
        reason=revision.integration.value,
    )


async def gc(services: Services, _context: Context, params: GcParams) -> GcResult | RpcError:
    """Collect settled tickets whose work was applied or dropped long enough ago, and stores.

    Of a store goes what no row needs any more, and with tickets that are gone what the database
    still tells of them. Only told unless ``confirm`` alone is set.
    """
    before = (services.clock.now_ms() - YOUNGEST_MS) / 1000
    due = [row for row in services.state.rows(TicketRow) if _is_due(services, row)]
    items = tuple([await _item(services, row) for row in due])
    if params.dry_run or not params.confirm:
        in_stores = await look_through_stores(services, before)
        told = (*items, *store_items(in_stores))
        size = sum(item.bytes for item in told)
        kept = tuple(map(Notice, in_stores.problems))
        return GcResult(done=False, items=told, freed_bytes=size, kept=kept)
    runs = {run for row in due for run in services.state.find(RUNS_OF, row.id)}
    done = await drop_ids(services, tuple(item.id for item in items))
    if isinstance(done, StoreProblem):
        return store_error(done)
    gone = tuple(item for item in items if item.id in done.tickets)
    going = frozenset(run.workspace for run in runs if run.ticket in done.tickets)
    forgotten = await services.database.prune(int(before * 1000), TicketRow)
    in_stores = await look_through_stores(services, before, going)
    collected = await collect_stores(services, in_stores, before)
    stays = (forgotten.message,) if isinstance(forgotten, StoreProblem) else ()
    return GcResult(
        done=True,
        items=(*gone, *store_items(in_stores)),
        freed_bytes=sum(item.bytes for item in gone) + collected.freed,
        kept=tuple(map(Notice, (*done.kept, *stays, *collected.kept))),
    )


def _is_due(services: Services, ticket: TicketRow) -> bool:
    if ticket.state not in FINAL_TICKET_STATES or ticket.ended_at is None:
        return False
    revisions = services.state.revisions(ticket)
    if any(is_undecided(one) and is_newest(services.state, one) for one in revisions):
        return False
    age = services.clock.now_ms() - ticket.ended_at
    return age > max(_days_kept(services, revisions) * DAY_MS, YOUNGEST_MS)


def _days_kept(services: Services, revisions: Iterable[RevisionRow]) -> int:
    """How long a ticket is kept that holds nothing undecided: as long as any work of it is."""
    retention = services.settings.of(b"").retention
    dropped, applied = retention.dropped_days, retention.applied_days
    kept = (dropped if one.integration is Integration.DISCARDED else applied for one in revisions)
    return max(kept, default=applied)
