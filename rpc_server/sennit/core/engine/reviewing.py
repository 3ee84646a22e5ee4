"""Steps of review: verdicts of merges, decisions, applications, undo, drop."""

from __future__ import annotations

from collections.abc import Iterable

from attrs import evolve, frozen
from sennit_protocol.ids import ApplicationId, ProposalId, RevisionId, RunId, TicketId
from sennit_protocol.states import (
    FINAL_TICKET_STATES,
    ApplicationState,
    Decision,
    FailureKind,
    Flag,
    Integration,
    Offer,
    Review,
    Target,
)
from sennit_protocol.views import Failure

from sennit.core.engine.commands import RemoveWorkspaces, RunApplication
from sennit.core.engine.draft import Draft
from sennit.core.engine.events import (
    ApplicationIntended,
    ApplicationSettled,
    DecisionsMade,
    DriftSeen,
    Dropped,
    Reconciled,
    Verdict,
)
from sennit.core.engine.rows import (
    ApplicationRow,
    BaseRow,
    ProposalRow,
    QuestionRow,
    RevisionRow,
    RunRow,
    TaskRow,
    TicketRow,
    TimerRow,
)
from sennit.core.engine.settling import TAKES_PART, go_on, offer


def reconciled(draft: Draft, event: Reconciled) -> None:
    """Take the verdicts, unless a newer merge is under way; then offer and go on."""
    bases = [row for row in draft.bases(event.ticket) if row.repository == event.repository]
    if event.cause is not None and all(row.reconcile != event.cause for row in bases):
        return
    for verdict in event.verdicts:
        _take_verdict(draft, verdict)
    ticket = draft.the(TicketRow, event.ticket)
    if ticket.offer is Offer.AUTO:
        offer(draft, draft.revisions(ticket))
    go_on(draft, event.ticket)


def _take_verdict(draft: Draft, verdict: Verdict) -> None:
    revision = draft.get(RevisionRow, verdict.revision)
    if revision is None or revision.integration not in TAKES_PART:
        return
    failed = verdict.integration is Integration.FAILED
    failure = Failure(FailureKind.INTERNAL, verdict.message) if failed else None
    if revision.integration is not verdict.integration:
        said = f": {verdict.message}" if verdict.message else ""
        draft.note(revision.ticket, revision.task, f"merges {verdict.integration.value}{said}")
    draft.put(
        evolve(
            revision,
            integration=verdict.integration,
            conflicts=verdict.conflicts,
            conflicts_with=verdict.conflicts_with,
            uncertain=verdict.uncertain,
            failure=failure,
        )
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
    revision = draft.the(RevisionRow, event.revision)
    newest = draft.the(ProposalRow, revision.proposal).revision
    if newest != revision.id:
        draft.outcome = NotDecided(
            f"{revision.id} is not the newest revision of {revision.proposal}; that is {newest}."
            " Look at it and decide again."
        )
        return
    if revision.integration is Integration.DISCARDED:
        draft.outcome = NotDecided(f"the proposal {revision.proposal} was dropped")
        return
    kept = {**dict(revision.decisions), **dict(event.decisions)}
    decisions = tuple((unit, said) for unit, said in kept.items() if said is not Decision.UNDECIDED)
    review = review_of([said for _, said in decisions], event.total)
    draft.put(evolve(revision, decisions=decisions, review=review))
    draft.outcome = Decided(revision.id)


def review_of(decisions: list[Decision], total: int) -> Review:
    """What the decisions about units say of the revision as a whole."""
    accepted = sum(said is Decision.ACCEPTED for said in decisions)
    if total and accepted == total:
        return Review.ACCEPTED
    if accepted:
        return Review.PARTLY_ACCEPTED
    if total and len(decisions) == total:
        return Review.REJECTED
    return Review.OFFERED


@frozen
class Intended:
    """The application is kept as intended and begins."""

    application: ApplicationId


@frozen
class NotIntended:
    """The application does not begin, and why."""

    message: str


def intend(draft: Draft, event: ApplicationIntended) -> None:
    """Keep the intention before any effect; one application at a time in a repository."""
    row = event.application
    problem = _in_the_way(draft, row)
    if problem is not None:
        draft.outcome = NotIntended(problem)
        return
    draft.put(row)
    draft.outcome = Intended(row.id)
    draft.note(row.ticket, None, f"applies {len(row.images)} files as {row.id}")
    if row.target is not Target.PATCH:
        _mark(draft, row.revisions, ApplicationState.APPLYING)
        draft.issue(RunApplication(row.id))


def _in_the_way(draft: Draft, row: ApplicationRow) -> str | None:
    if row.target is Target.PATCH:
        return None
    for other in draft.rows(ApplicationRow):
        if other.repository == row.repository and other.state is ApplicationState.APPLYING:
            return f"the application {other.id} is under way in the same repository; wait for it"
    if row.undoes is None:
        return None
    undone = draft.the(ApplicationRow, row.undoes)
    if undone.state not in {ApplicationState.APPLIED, ApplicationState.PARTLY_APPLIED}:
        return f"the application {undone.id} is {undone.state.value}; there is nothing to undo"
    return None


def settled(draft: Draft, event: ApplicationSettled) -> None:
    """Keep what was observed, and what that means for revisions and for what was undone."""
    row = draft.the(ApplicationRow, event.application)
    done = evolve(
        row,
        state=event.state,
        observed=event.observed,
        notices=(*row.notices, *event.notices),
        staging=None,
    )
    draft.put(done)
    draft.note(row.ticket, None, f"{row.id}: {event.state.value}")
    if row.undoes is None:
        _mark(draft, row.revisions, event.state)
        if event.state in {ApplicationState.APPLIED, ApplicationState.PARTLY_APPLIED}:
            _count_units(draft, done)
    else:
        _undone(draft, done, row.undoes)


def _undone(draft: Draft, row: ApplicationRow, undoes: ApplicationId) -> None:
    before = draft.the(ApplicationRow, undoes)
    if row.state is not ApplicationState.APPLIED:
        _mark(draft, before.revisions, before.state)
        return
    draft.put(evolve(before, state=ApplicationState.UNDONE, undone_by=row.id))
    _mark(draft, before.revisions, ApplicationState.UNDONE)
    for name in before.revisions:
        revision = draft.the(RevisionRow, name)
        left = tuple(unit for unit in revision.applied_units if unit not in before.units)
        draft.put(evolve(revision, applied_units=left))


def _mark(draft: Draft, revisions: Iterable[RevisionId], state: ApplicationState) -> None:
    for name in revisions:
        revision = draft.get(RevisionRow, name)
        if revision is not None:
            draft.put(evolve(revision, application=state))


def _count_units(draft: Draft, row: ApplicationRow) -> None:
    for name in row.revisions:
        revision = draft.the(RevisionRow, name)
        accepted = {unit for unit, said in revision.decisions if said is Decision.ACCEPTED}
        mine = [unit for unit in row.units if unit in accepted]
        units = tuple(dict.fromkeys((*revision.applied_units, *mine)))
        draft.put(evolve(revision, applied_units=units))


def drift_seen(draft: Draft, event: DriftSeen) -> None:
    """Show that the user's repository has changed under running tasks; nothing fails for it."""
    flag = Flag.HEAD_MOVED if event.head_moved else Flag.SOURCE_DRIFT
    for task in draft.tasks(draft.the(TicketRow, event.ticket)):
        if task.spec.repository == event.repository and flag not in task.flags:
            draft.put(evolve(task, flags=(*task.flags, flag)))
    draft.note(event.ticket, None, event.message)


OfTicket = (
    TaskRow | BaseRow | RunRow | ProposalRow | RevisionRow | ApplicationRow | QuestionRow | TimerRow
)
TABLES_OF_A_TICKET: tuple[type[OfTicket], ...] = (
    TaskRow,
    BaseRow,
    RunRow,
    ProposalRow,
    RevisionRow,
    ApplicationRow,
    QuestionRow,
    TimerRow,
)


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
    revision = draft.the(RevisionRow, row.revision)
    if revision.application is ApplicationState.APPLYING:
        kept.append(f"the proposal {name} is being applied")
        return False
    draft.put(evolve(revision, integration=Integration.DISCARDED))
    task = draft.task(row.ticket, row.task)
    draft.issue(RemoveWorkspaces(row.ticket, task.runs))
    draft.note(row.ticket, row.task, f"the proposal {name} is dropped")
    return True


def _drop_ticket(draft: Draft, name: TicketId, kept: list[str]) -> bool:
    ticket = draft.ticket(name)
    if ticket is None:
        kept.append(f"there is no ticket {name}")
        return False
    if ticket.state not in FINAL_TICKET_STATES:
        kept.append(f"the ticket {name} is {ticket.state.value}; cancel it first")
        return False
    runs: list[RunId] = [run.id for run in draft.rows(RunRow) if run.ticket == name]
    for table in TABLES_OF_A_TICKET:
        _delete_all(draft, table, name)
    draft.delete(TicketRow, name)
    draft.issue(RemoveWorkspaces(name, tuple(runs)))
    return True


def _delete_all(draft: Draft, table: type[OfTicket], ticket: TicketId) -> None:
    for row in tuple(draft.rows(table)):
        if row.ticket == ticket:
            draft.delete(table, row.key)
