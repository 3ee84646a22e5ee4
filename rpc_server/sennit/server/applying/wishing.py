"""What the user wants applied: the accepted units of proposals, or an application taken back."""

from __future__ import annotations

from collections.abc import Sequence

import anyio.to_thread
from attrs import frozen

from sennit.adapters.git.changes import changes_between
from sennit.core.engine.following import is_newest
from sennit.core.engine.rows import ApplicationRow, ProposalRow, RepositoryRef, RevisionRow
from sennit.core.objects import Entry, FileChange, GitFailed
from sennit.core.units import units_of
from sennit.core.views import exact_timestamp
from sennit.server.applying.values import Part, Wish
from sennit.server.applying.written import images_after
from sennit.server.errors import git_error, newest_or_error, ticket_or_error
from sennit.server.services import Services
from sennit_protocol.errors import ErrorCode, Problem, RpcError, problems_error
from sennit_protocol.ids import TicketId
from sennit_protocol.review import Selected
from sennit_protocol.states import Decision, Integration, Target


@frozen
class Chosen:
    """Revisions of one repository, in the order of reconciliation."""

    ticket: TicketId
    repository: RepositoryRef
    revisions: tuple[RevisionRow, ...]


def chosen(
    services: Services, ticket: TicketId | None, selected: Sequence[Selected]
) -> tuple[Chosen, ...] | RpcError:
    """The revisions that are named, or all of a ticket's, by repository."""
    if (ticket is None) == (not selected):
        problem = Problem("ticket", "name either a ticket or proposals, not both and not none")
        return problems_error(ErrorCode.INVALID_PARAMS, "Nothing was done", (problem,))
    rows: list[RevisionRow] = []
    for one in selected:
        found = newest_or_error(services, one.proposal, one.revision)
        if isinstance(found, RpcError):
            return found
        rows.append(found)
    if ticket is not None:
        row = ticket_or_error(services, ticket)
        if isinstance(row, RpcError):
            return row
        # What was followed is reviewed, and applied, as its newest revision.
        revisions = services.state.revisions(row)
        rows = [one for one in revisions if is_newest(services.state, one)]
    return _by_repository(services, [row for row in rows if row.integration not in _NOTHING])


_NOTHING = frozenset({Integration.DISCARDED, Integration.NO_CHANGES, Integration.PENDING})


def _by_repository(services: Services, rows: Sequence[RevisionRow]) -> tuple[Chosen, ...]:
    groups: dict[tuple[TicketId, RepositoryRef], list[RevisionRow]] = {}
    for row in rows:
        groups.setdefault((row.ticket, row.repository), []).append(row)
    return tuple(
        Chosen(ticket, ref, tuple(sorted(group, key=lambda row: _order(services, row))))
        for (ticket, ref), group in groups.items()
    )


def _order(services: Services, row: RevisionRow) -> int:
    place = services.state.the(ProposalRow, row.proposal).order
    return place if row.place is None else row.place


def accepted_units(revision: RevisionRow) -> frozenset[str]:
    """The units that the user has accepted."""
    return frozenset(unit for unit, said in revision.decisions if said is Decision.ACCEPTED)


async def wish_for(services: Services, group: Chosen, target: Target) -> Wish | RpcError:
    """The accepted units of a group."""
    opened = await services.repositories.open(
        group.repository, exact_timestamp(services.clock.now_ms())
    )
    if isinstance(opened, GitFailed):
        return git_error(opened)
    parts: list[Part] = []
    for row in group.revisions:
        accepted = accepted_units(row)
        if not accepted:
            continue
        units = await services.revisions.units(services, opened, row.id, row.base_tree, row.tree)
        if isinstance(units, GitFailed):
            return git_error(units)
        applied = frozenset(map(str, row.applied_units))
        parts.append(Part(row.base_tree, units, accepted, row.id, row.resolutions, applied))
    revisions = tuple(part.revision for part in parts if part.revision is not None)
    return Wish(tuple(parts), target, revisions)


async def wish_to_undo(services: Services, row: ApplicationRow, target: Target) -> Wish | RpcError:
    """What takes an application back: its trees the other way round."""
    opened = await services.repositories.open(
        row.repository, exact_timestamp(services.clock.now_ms())
    )
    if isinstance(opened, GitFailed):
        return git_error(opened)
    changes = await changes_between(services.git, opened.store, row.after_tree, row.before_tree)
    if isinstance(changes, GitFailed):
        return git_error(changes)
    units = await anyio.to_thread.run_sync(units_of, row.id, changes)
    part = Part(row.after_tree, units, frozenset(unit.id for unit in units))
    changed = frozenset(path for change in changes for path in (change.path, change.old_path))
    return Wish(
        (part,),
        target,
        row.revisions,
        absent_before=_absent_before(row, changes),
        left_alone=changed.difference(image.path for image in row.images),
        written=images_after(row.images),
    )


def _absent_before(row: ApplicationRow, changes: Sequence[FileChange]) -> dict[bytes, Entry]:
    """Give what git held where the application found nothing on the disk."""
    nothing = {image.path for image in row.images if image.before_sha256 is None}
    return {
        change.path: change.after
        for change in changes
        if change.path in nothing and change.path == change.old_path and change.after is not None
    }
