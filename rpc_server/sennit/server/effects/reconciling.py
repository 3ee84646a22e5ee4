"""``Reconcile``: the revisions that have arrived, folded in order."""

from __future__ import annotations

from collections.abc import Mapping
from typing import assert_never

from sennit.adapters.git.merges import merge_trees
from sennit.core import reconciliation
from sennit.core.engine.commands import Arrived, Reconcile
from sennit.core.engine.events import Event, Reconciled, Verdict
from sennit.core.engine.step_values import Issued
from sennit.core.objects import Conflicted, GitFailed
from sennit.core.reconciliation import (
    AlreadyPresent,
    Blocked,
    Clean,
    Fold,
    InConflict,
    MergeFailed,
    NoChanges,
    Proposed,
)
from sennit.core.views import exact_timestamp
from sennit.runtime.ports import Report
from sennit.server.failures import git_failure
from sennit.server.repositories import Opened
from sennit.server.services import Services
from sennit_protocol.states import Integration


async def reconcile(services: Services, issued: Issued, _report: Report) -> Event:
    """Fold what has arrived and give the verdicts."""
    command: Reconcile = issued.command
    now = services.clock.now_ms()
    opened = await services.repositories.open(command.repository, exact_timestamp(now))
    if isinstance(opened, GitFailed):
        message = git_failure(opened).message
        verdicts = tuple(
            Verdict(one.revision, Integration.FAILED, message=message) for one in command.arrived
        )
    else:
        verdicts = await _fold(services, opened, command)
    return services.event(
        Reconciled,
        issued.id,
        ticket=command.ticket,
        repository=command.repository,
        verdicts=verdicts,
    )


async def _fold(services: Services, opened: Opened, command: Reconcile) -> tuple[Verdict, ...]:
    proposals = [_proposed(services, command, one) for one in command.arrived]
    fold = reconciliation.reconcile(command.base_tree, proposals)
    at = services.clock.now_ms() // 1000
    result = await _driven(services, opened, fold, at)
    return tuple(
        [
            _verdict(one, result.verdicts, await _colliding(services, opened, command, one, result))
            for one in command.arrived
        ]
    )


async def _colliding(
    services: Services,
    opened: Opened,
    command: Reconcile,
    one: Arrived,
    result: reconciliation.Reconciled,
) -> tuple[str, ...]:
    """The earlier tasks that a revision does not go together with, each asked on its own."""
    verdict = result.verdicts[one.revision]
    if not isinstance(verdict, InConflict):
        return ()
    paths = {path for conflict in verdict.conflicts for path in (conflict.path, *conflict.paths)}
    touched = await services.revisions.paths(services, opened, command.arrived)
    earlier = [
        other
        for other in command.arrived[: command.arrived.index(one)]
        if isinstance(result.verdicts[other.revision], Clean)
        and touched.get(other.revision, frozenset()) & paths
    ]
    at = services.clock.now_ms() // 1000
    found = [
        other.task
        for other in earlier
        if other.base_tree != one.base_tree
        or isinstance(
            await merge_trees(services.git, opened.store, one.base_tree, other.tree, one.tree, at),
            Conflicted,
        )
    ]
    # Only all of them together may be in the way.
    return tuple(found or [other.task for other in earlier])


async def _driven(
    services: Services, opened: Opened, fold: Fold, at: int
) -> reconciliation.Reconciled:
    try:
        wanted = next(fold)
        while True:
            merged = await merge_trees(
                services.git, opened.store, wanted.base, wanted.ours, wanted.theirs, at
            )
            wanted = fold.send(merged)
    except StopIteration as ended:
        result: reconciliation.Reconciled = ended.value
        return result


def _proposed(services: Services, command: Reconcile, one: Arrived) -> Proposed:
    spec = services.state.task(command.ticket, one.task).spec
    by_task = {other.task: other.revision for other in command.arrived}
    needs = tuple(by_task[name] for name in spec.depends_on if name in by_task)
    return Proposed(one.revision, one.base_tree, one.tree, needs)


def _verdict(
    one: Arrived,
    verdicts: Mapping[str, reconciliation.Verdict],
    others: tuple[str, ...],
) -> Verdict:
    found = verdicts[one.revision]
    match found:
        case Clean(uncertain=uncertain, normalised=normalised):
            message = "line endings changed as a whole were set aside first" if normalised else ""
            return Verdict(one.revision, Integration.CLEAN, uncertain=uncertain, message=message)
        case InConflict(conflicts=conflicts):
            return Verdict(
                one.revision,
                Integration.CONFLICT,
                conflicts=conflicts,
                conflicts_with=others,
            )
        case AlreadyPresent():
            return Verdict(one.revision, Integration.ALREADY_PRESENT)
        case NoChanges():
            return Verdict(one.revision, Integration.NO_CHANGES)
        case MergeFailed(failure=failure):
            message = git_failure(failure).message
            return Verdict(one.revision, Integration.FAILED, message=message)
        case Blocked(by=by):
            message = f"builds on {', '.join(by)}, which could not be merged"
            return Verdict(one.revision, Integration.FAILED, message=message)
        case _:
            assert_never(found)
