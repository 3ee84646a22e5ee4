"""Steps of review: verdicts of merges, decisions, drift, drop."""

from __future__ import annotations

from collections.abc import Mapping

from attrs import evolve, frozen

from sennit.core.engine.applying import Intended, NotIntended, Overtaken
from sennit.core.engine.commands import RemoveWorkspaces
from sennit.core.engine.decisions import review_of
from sennit.core.engine.draft import Draft
from sennit.core.engine.events import (
    DecisionsMade,
    DriftSeen,
    Dropped,
    Reconciled,
    Verdict,
)
from sennit.core.engine.following import hand_back, lineage
from sennit.core.engine.indexes import OF_TICKET, RUNS_IN, RUNS_OF
from sennit.core.engine.moves import flag
from sennit.core.engine.releasing import release_decided
from sennit.core.engine.rows import ProposalRow, RevisionRow, RunRow, TicketRow
from sennit.core.engine.settling import TAKES_PART, go_on, offer
from sennit.core.engine.state import Tables
from sennit_protocol.ids import ProposalId, RevisionId, RunId, TicketId, UnitId
from sennit_protocol.states import (
    FINAL_TICKET_STATES,
    ApplicationState,
    Decision,
    FailureKind,
    Flag,
    Integration,
    Offer,
)
from sennit_protocol.views import Failure

__all__ = [
    "Decided",
    "DropDone",
    "Intended",
    "NotDecided",
    "NotIntended",
    "Overtaken",
    "decide",
    "drift_seen",
    "drop",
    "reconciled",
    "review_of",
    "why_proposal_stays",
    "why_ticket_stays",
]


def reconciled(draft: Draft, event: Reconciled) -> None:
    """Take the verdicts, unless a newer merge is under way; then offer and go on."""
    ticket = draft.ticket(event.ticket)
    bases = [row for row in draft.bases(event.ticket) if row.repository == event.repository]
    late = event.cause is not None and all(row.reconcile != event.cause for row in bases)
    if ticket is None or late:
        return
    for row in bases:
        if row.reconcile == event.cause:
            draft.put(evolve(row, reconcile=None))
    for verdict in event.verdicts:
        _take_verdict(draft, verdict)
    if event.order:
        draft.note(event.ticket, None, event.order)
    if ticket.offer is Offer.AUTO:
        offer(draft, draft.revisions(ticket))
    go_on(draft, event.ticket)


def _take_verdict(draft: Draft, verdict: Verdict) -> None:
    revision = draft.get(RevisionRow, verdict.revision)
    if revision is None or revision.integration not in TAKES_PART or _says_so(revision, verdict):
        return
    failed = verdict.integration is Integration.FAILED
    if failed and _stands(revision, verdict):
        return
    failure = Failure(FailureKind.INTERNAL, verdict.message) if failed else None
    if revision.integration is not verdict.integration:
        said = f": {verdict.message}" if verdict.message else ""
        draft.note(revision.ticket, revision.task, f"merged: {verdict.integration.value}{said}")
    draft.put(
        evolve(
            revision,
            integration=verdict.integration,
            conflicts=verdict.conflicts,
            conflicts_with=verdict.conflicts_with,
            uncertain=verdict.uncertain,
            normalised=verdict.normalised,
            colliding=verdict.colliding,
            merged_onto=verdict.merged_onto,
            place=verdict.place,
            failure=failure,
        )
    )


def _stands(revision: RevisionRow, failed: Verdict) -> bool:
    """Whether the verdict that was given before stands when a later merge breaks.

    Not where what a revision builds on is no longer in, for it would go in without that; unless it
    is applied already.
    """
    if failed.blocked:
        return revision.application is ApplicationState.APPLIED
    return revision.integration is not Integration.PENDING


def _says_so(revision: RevisionRow, verdict: Verdict) -> bool:
    """Whether the verdict is the one that was given before, as it mostly is."""
    return (
        revision.integration is verdict.integration
        and revision.conflicts == verdict.conflicts
        and revision.conflicts_with == verdict.conflicts_with
        and revision.uncertain == verdict.uncertain
        and revision.normalised == verdict.normalised
        and revision.colliding == verdict.colliding
        and revision.merged_onto == verdict.merged_onto
        and revision.place == verdict.place
    )


@frozen
class Decided:
    """The decisions are kept."""

    revision: RevisionId


@frozen
class NotDecided:
    """The decisions do not count, and why."""

    message: str


def decide(draft: Draft, event: DecisionsMade) -> None:
    """Keep decisions about units; later words win over earlier ones."""
    revision = draft.get(RevisionRow, event.revision)
    problem = undecidable(draft, event.revision, revision)
    if revision is None or problem is not None:
        draft.outcome = NotDecided(problem or "")
        return
    kept = {**dict(revision.decisions), **dict(event.decisions)}
    decisions = tuple((unit, said) for unit, said in kept.items() if said is not Decision.UNDECIDED)
    review = review_of([said for _, said in decisions], event.total)
    draft.put(evolve(revision, decisions=decisions, review=review))
    draft.note(revision.ticket, revision.task, _decided(dict(decisions), event.total))
    # Of an edit that the user has confirmed in the editor this is told after it was applied.
    release_decided(draft, (revision.id,))
    draft.outcome = Decided(revision.id)


def _decided(decisions: Mapping[UnitId, Decision], total: int) -> str:
    said = list(decisions.values())
    accepted, rejected = said.count(Decision.ACCEPTED), said.count(Decision.REJECTED)
    return f"decided: {accepted} accepted, {rejected} rejected, of changes in all: {total}"


def undecidable(draft: Draft, name: RevisionId, revision: RevisionRow | None) -> str | None:
    """Say why nothing can be decided about a revision; None where it can."""
    if revision is None:
        return f"there is no revision {name}; its ticket was dropped"
    newest = draft.the(ProposalRow, revision.proposal).revision
    if newest != revision.id:
        return (
            f"{revision.id} is not the newest revision of {revision.proposal}; that is {newest}."
            " Look at it and decide again."
        )
    if revision.integration is Integration.DISCARDED:
        return f"the proposal {revision.proposal} was dropped"
    if revision.application is ApplicationState.APPLYING:
        return f"the proposal {revision.proposal} is being applied; decide again after that"
    return None


def drift_seen(draft: Draft, event: DriftSeen) -> None:
    """Show that the user's repository has changed under running tasks; nothing fails for it."""
    ticket = draft.ticket(event.ticket)
    if ticket is None:
        return
    what = Flag.HEAD_MOVED if event.head_moved else Flag.SOURCE_DRIFT
    for task in draft.tasks(ticket):
        if task.spec.repository == event.repository:
            flag(draft, task, what)
    draft.note(event.ticket, None, event.message)


@frozen
class DropDone:
    """What was dropped, and why the rest was not."""

    proposals: tuple[ProposalId, ...]
    tickets: tuple[TicketId, ...]
    kept: tuple[str, ...]


def drop(draft: Draft, event: Dropped) -> None:
    """Drop proposals and settled tickets for good; what runs is kept and named."""
    kept: list[str] = []
    proposals = tuple(name for name in event.proposals if _drop_proposal(draft, name, kept))
    tickets = tuple(name for name in event.tickets if _drop_ticket(draft, name, kept))
    draft.outcome = DropDone(proposals, tickets, tuple(kept))


def _drop_proposal(draft: Draft, name: ProposalId, kept: list[str]) -> bool:
    row = draft.get(ProposalRow, name)
    if row is None:
        kept.append(f"there is no proposal {name}")
        return False
    problem = why_proposal_stays(draft, row)
    if problem is not None:
        kept.append(problem)
        return False
    revision = draft.the(RevisionRow, row.revision)
    if revision.integration is not Integration.DISCARDED:
        for one in lineage(draft, revision):
            draft.put(evolve(one, integration=Integration.DISCARDED))
        task = draft.task(row.ticket, row.task)
        places = _free_places(draft, row.ticket, task.runs)
        draft.issue(RemoveWorkspaces(row.ticket, task.runs, (task.spec.repository,), places))
        draft.note(row.ticket, row.task, f"the proposal {name} is dropped")
    return True


def _drop_ticket(draft: Draft, name: TicketId, kept: list[str]) -> bool:
    problem = why_ticket_stays(draft, name)
    if problem is not None:
        kept.append(problem)
        return False
    runs = tuple(sorted(run.id for run in draft.find(RUNS_OF, name)))
    places = _free_places(draft, name, runs)
    hand_back(draft, name)
    tasks = draft.tasks(draft.the(TicketRow, name))
    repositories = tuple(dict.fromkeys(task.spec.repository for task in tasks))
    for index in OF_TICKET:
        for row in draft.find(index, name):
            draft.delete(index.table, row.key)
    draft.delete(TicketRow, name)
    draft.issue(RemoveWorkspaces(name, runs, repositories, places))
    return True


def _free_places(draft: Draft, ticket: TicketId, runs: tuple[RunId, ...]) -> tuple[str, ...]:
    """The workspaces of runs in which no run of another ticket has worked."""
    named = dict.fromkeys(draft.the(RunRow, run).workspace for run in runs)
    return tuple(
        name for name in named if all(other.ticket == ticket for other in draft.find(RUNS_IN, name))
    )


def why_proposal_stays(tables: Tables, row: ProposalRow) -> str | None:
    """Why a proposal cannot be dropped now; ``None`` where it can."""
    revision = tables.the(RevisionRow, row.revision)
    for one in lineage(tables, revision):
        ticket = tables.the(TicketRow, one.ticket)
        if ticket.state not in FINAL_TICKET_STATES:
            # Other tasks are merged with it or build on it.
            return (
                f"the proposal {row.id} belongs to the ticket {ticket.id}, which is"
                f" {ticket.state.value}; reject it, or drop it when the ticket has settled"
            )
    if revision.application is ApplicationState.APPLYING:
        return f"the proposal {row.id} is being applied"
    return None


def why_ticket_stays(tables: Tables, name: TicketId) -> str | None:
    """Why a ticket cannot be dropped now; ``None`` where it can."""
    ticket = tables.ticket(name)
    if ticket is None:
        return f"there is no ticket {name}"
    if ticket.state not in FINAL_TICKET_STATES:
        return f"the ticket {name} is {ticket.state.value}; cancel it first"
    if any(row.state is ApplicationState.APPLYING for row in tables.applications(name)):
        return f"something of the ticket {name} is being applied; wait for that"
    return None
