"""``Reconcile``: the revisions that have arrived, folded in order."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from typing import TypeVar, assert_never

from attrs import define, evolve, field, frozen

from sennit.adapters.git.durable import on_disk
from sennit.adapters.git.full_disk import is_of_the_disk
from sennit.adapters.git.merges import merge_trees
from sennit.adapters.git.resolving import Three, merge_resolved
from sennit.core import reconciliation
from sennit.core.engine.again import names_of
from sennit.core.engine.commands import Arrived, Reconcile
from sennit.core.engine.events import Event, Reconciled, Verdict
from sennit.core.engine.step_values import Issued
from sennit.core.fewest_conflicts import Searched, fewest_conflicts
from sennit.core.objects import Conflict, Conflicted, GitFailed, MergeResult
from sennit.core.reconciliation import (
    AlreadyPresent,
    Blocked,
    Clean,
    InConflict,
    MergeFailed,
    MergeWanted,
    NoChanges,
    Proposed,
)
from sennit.core.uris import listed_paths
from sennit.core.views import exact_timestamp
from sennit.runtime.ports import Report
from sennit.server.failures import git_failed, git_failure
from sennit.server.repositories import Opened
from sennit.server.services import Services
from sennit_protocol.ids import RevisionId
from sennit_protocol.states import Integration, TicketState
from sennit_protocol.tasks import MergeOrder

Answer = TypeVar("Answer")


async def reconcile(services: Services, issued: Issued, _report: Report) -> Event:
    """Fold what has arrived and give the verdicts."""
    command: Reconcile = issued.command
    folded = await services.room_waits.until_done(
        services,
        lambda: _opened_and_folded(services, command),
        _without_room,
        lambda: _is_cancelled(services, command),
    )
    if isinstance(folded, GitFailed):
        folded = _all_failed(command, folded)
    return services.event(
        Reconciled,
        issued.id,
        ticket=command.ticket,
        repository=command.repository,
        verdicts=folded.verdicts,
        order=folded.why,
    )


async def _opened_and_folded(services: Services, command: Reconcile) -> _Folded | GitFailed:
    now = services.clock.now_ms()
    opened = await services.repositories.open_or_last(command.repository, exact_timestamp(now))
    return opened if isinstance(opened, GitFailed) else await _fold(services, opened, command)


def _without_room(folded: _Folded | GitFailed) -> str | None:
    if isinstance(folded, GitFailed):
        return git_failed(folded) if is_of_the_disk(folded.stderr) else None
    failed = (one for one in folded.verdicts if one.integration is Integration.FAILED)
    return next((one.message for one in failed if is_of_the_disk(one.message)), None)


def _is_cancelled(services: Services, command: Reconcile) -> bool:
    ticket = services.state.ticket(command.ticket)
    return ticket is None or ticket.state is TicketState.CANCELLING


@frozen
class _Done:
    """The fold, the order in which it came about, and what to say of that order."""

    reconciled: reconciliation.Reconciled
    order: tuple[Arrived, ...]
    why: str = ""


def _all_failed(command: Reconcile, failed: GitFailed) -> _Folded:
    message = git_failure(failed).message
    return _Folded(
        tuple(Verdict(one.revision, Integration.FAILED, message=message) for one in command.arrived)
    )


async def _fold(services: Services, opened: Opened, command: Reconcile) -> _Folded | GitFailed:
    done = await _in_its_order(services, opened, command)
    # The verdicts name trees that were merged.
    failed = await on_disk(opened.store)
    if failed is not None:
        return failed
    verdicts = [
        _verdict(one, done, await _colliding(services, opened, done, one))
        for one in command.arrived
    ]
    if command.order is MergeOrder.TASK:
        return _Folded(tuple(verdicts))
    places = {one.revision: place for place, one in enumerate(done.order)}
    return _Folded(tuple(evolve(one, place=places[one.revision]) for one in verdicts), done.why)


@frozen
class _Folded:
    verdicts: tuple[Verdict, ...]
    why: str = ""


async def _in_its_order(services: Services, opened: Opened, command: Reconcile) -> _Done:
    proposals = [_proposed(services, command, one) for one in command.arrived]
    driver = _Driver(services, opened, services.clock.now_ms() // 1000)
    match command.order:
        case MergeOrder.TASK:
            fold = reconciliation.reconcile(command.base_tree, proposals)
            return _Done(await driver.drive(fold), command.arrived)
        case MergeOrder.FEWEST_CONFLICTS:
            touched = await services.revisions.paths(services, opened, command.arrived)
            search = fewest_conflicts(command.base_tree, proposals, touched)
            found = await driver.drive(search)
            return _told_order(found, command)
        case _:
            assert_never(command.order)


def _told_order(found: Searched, command: Reconcile) -> _Done:
    by_name = {one.revision: one for one in command.arrived}
    order = tuple(by_name[RevisionId(name)] for name in found.order)
    if not found.is_another_order:
        return _Done(found.reconciled, order)
    names = ", ".join(one.task for one in order)
    why = (
        f"merges in the order {names}, in which {found.goes_in} of {len(order)} go in;"
        f" in the order of the tasks it would be {found.in_task_order}"
    )
    return _Done(found.reconciled, order, why)


async def _colliding(
    services: Services, opened: Opened, done: _Done, one: Arrived
) -> tuple[Conflict, ...]:
    """The conflicts of a revision, each with the earlier tasks that are in the way there."""
    result = done.reconciled
    verdict = result.verdicts[one.revision]
    if not isinstance(verdict, InConflict):
        return ()
    wanted = frozenset().union(*map(_paths, verdict.conflicts))
    touched = await services.revisions.paths(services, opened, done.order)
    earlier = {
        other.task: await _alone(services, opened, other, one, there)
        for other in done.order[: done.order.index(one)]
        if isinstance(result.verdicts[other.revision], Clean)
        and (there := touched.get(other.revision, frozenset()) & wanted)
    }
    return tuple(
        evolve(conflict, with_tasks=_those_at(_paths(conflict), earlier))
        for conflict in verdict.conflicts
    )


def _paths(conflict: Conflict) -> frozenset[bytes]:
    return frozenset({conflict.path, *conflict.paths})


@frozen
class _Met:
    """Where an earlier revision touches what is in conflict, and where it clashes on its own."""

    touches: frozenset[bytes]
    clashes: frozenset[bytes]


async def _alone(
    services: Services, opened: Opened, other: Arrived, one: Arrived, touches: frozenset[bytes]
) -> _Met:
    """Merge a revision with one earlier one alone, where both began with the same."""
    if other.base_tree != one.base_tree:
        return _Met(touches, touches)
    at = services.clock.now_ms() // 1000
    trees = (one.base_tree, other.tree, one.tree)
    merged = await merge_trees(services.git, opened.store, *trees, at)
    conflicts = merged.conflicts if isinstance(merged, Conflicted) else ()
    return _Met(touches, frozenset().union(*map(_paths, conflicts)))


def _those_at(paths: frozenset[bytes], earlier: Mapping[str, _Met]) -> tuple[str, ...]:
    found = tuple(task for task, met in earlier.items() if met.clashes & paths)
    # Only all of them together may be in the way.
    return found or tuple(task for task, met in earlier.items() if met.touches & paths)


@define
class _Driver:
    """Does the merges that a fold or a search asks for; the same one is done once."""

    services: Services
    opened: Opened
    at: int
    _known: dict[MergeWanted, MergeResult] = field(factory=dict)

    async def drive(self, asking: Generator[MergeWanted, MergeResult, Answer]) -> Answer:
        """Run a generator of merges to its end."""
        try:
            wanted = next(asking)
            while True:
                wanted = asking.send(await self._merge(wanted))
        except StopIteration as ended:
            answer: Answer = ended.value
            return answer

    async def _merge(self, wanted: MergeWanted) -> MergeResult:
        if wanted not in self._known:
            trees = Three(wanted.base, wanted.ours, wanted.theirs)
            self._known[wanted] = await merge_resolved(
                self.services.git, self.opened.store, trees, self.at, wanted.resolutions
            )
        return self._known[wanted]


def _proposed(services: Services, command: Reconcile, one: Arrived) -> Proposed:
    spec = services.state.task(command.ticket, one.task).spec
    by_task = {
        name: other.revision
        for other in command.arrived
        for name in names_of(services.state.task(command.ticket, other.task))
    }
    needs = tuple(by_task[name] for name in spec.depends_on if name in by_task)
    return Proposed(one.revision, one.base_tree, one.tree, needs, one.resolutions)


def _verdict(one: Arrived, done: _Done, conflicts: tuple[Conflict, ...]) -> Verdict:
    found = done.reconciled.verdicts[one.revision]
    match found:
        case Clean():
            return Verdict(
                one.revision,
                Integration.CLEAN,
                uncertain=found.uncertain,
                normalised=found.normalised,
                colliding=found.colliding,
                merged_onto=found.before,
                message=_said_of(found),
            )
        case InConflict(onto=onto):
            others = dict.fromkeys(task for each in conflicts for task in each.with_tasks)
            return Verdict(
                one.revision,
                Integration.CONFLICT,
                conflicts=conflicts,
                conflicts_with=tuple(others),
                merged_onto=onto,
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
            return Verdict(one.revision, Integration.FAILED, blocked=True, message=message)
        case _:
            assert_never(found)


def _said_of(clean: Clean) -> str:
    said = []
    if clean.resolved:
        said.append(f"as was resolved: {listed_paths(clean.resolved)}")
    if clean.normalised:
        names = listed_paths(clean.normalised)
        said.append(f"line endings that were changed as a whole were set aside first: {names}")
    if clean.colliding:
        names = listed_paths(clean.colliding)
        said.append(f"some systems cannot keep these names apart from others: {names}")
    return "; ".join(said)
