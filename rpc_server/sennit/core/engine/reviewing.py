"""Steps of review: verdicts of merges, decisions, applications, undo, drop."""

from __future__ import annotations

from collections.abc import Iterable

from attrs import evolve, frozen

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
from sennit.core.engine.indexes import OF_TICKET, RUNS_OF, UNSETTLED, UNSETTLED_APPLICATIONS
from sennit.core.engine.moves import flag
from sennit.core.engine.rows import ApplicationRow, ProposalRow, RevisionRow, TicketRow
from sennit.core.engine.settling import TAKES_PART, go_on, offer
from sennit_protocol.ids import ApplicationId, ProposalId, RevisionId, TicketId
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


def reconciled(draft: Draft, event: Reconciled) -> None:
    """Take the verdicts, unless a newer merge is under way; then offer and go on."""
    ticket = draft.ticket(event.ticket)
    bases = [row for row in draft.bases(event.ticket) if row.repository == event.repository]
    late = event.cause is not None and all(row.reconcile != event.cause for row in bases)
    if ticket is None or late:
        return
    for verdict in event.verdicts:
        _take_verdict(draft, verdict)
    if ticket.offer is Offer.AUTO:
        offer(draft, draft.revisions(ticket))
    go_on(draft, event.ticket)


def _take_verdict(draft: Draft, verdict: Verdict) -> None:
    revision = draft.get(RevisionRow, verdict.revision)
    if revision is None or revision.integration not in TAKES_PART or _says_so(revision, verdict):
        return
    failed = verdict.integration is Integration.FAILED
    if failed and revision.integration is not Integration.PENDING:
        # A verdict that was given stands when a later merge breaks.
        return
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


def _says_so(revision: RevisionRow, verdict: Verdict) -> bool:
    """Whether the verdict is the one that was given before, as it mostly is."""
    return (
        revision.integration is verdict.integration
        and revision.conflicts == verdict.conflicts
        and revision.conflicts_with == verdict.conflicts_with
        and revision.uncertain == verdict.uncertain
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
    problem = _undecidable(draft, event.revision, revision)
    if revision is None or problem is not None:
        draft.outcome = NotDecided(problem or "")
        return
    kept = {**dict(revision.decisions), **dict(event.decisions)}
    decisions = tuple((unit, said) for unit, said in kept.items() if said is not Decision.UNDECIDED)
    review = review_of([said for _, said in decisions], event.total)
    draft.put(evolve(revision, decisions=decisions, review=review))
    draft.outcome = Decided(revision.id)


def _undecidable(draft: Draft, name: RevisionId, revision: RevisionRow | None) -> str | None:
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
    return _dropped(draft, row) or _under_way(draft, row) or _not_undoable(draft, row)


def _dropped(draft: Draft, row: ApplicationRow) -> str | None:
    for name in row.revisions:
        revision = draft.get(RevisionRow, name)
        if revision is None or revision.integration is Integration.DISCARDED:
            return f"the revision {name} was dropped"
    return None


def _under_way(draft: Draft, row: ApplicationRow) -> str | None:
    if row.target is Target.PATCH:
        return None
    for other in draft.find(UNSETTLED_APPLICATIONS, value=True):
        if other.repository == row.repository and other.state is ApplicationState.APPLYING:
            return f"the application {other.id} is under way in the same repository; wait for it"
    return None


def _not_undoable(draft: Draft, row: ApplicationRow) -> str | None:
    if row.undoes is None:
        return None
    undone = draft.get(ApplicationRow, row.undoes)
    if undone is None:
        return f"there is no application {row.undoes}; its ticket was dropped"
    if undone.target is Target.PATCH:
        return f"the application {undone.id} wrote a patch and no file; there is nothing to undo"
    if undone.state not in {ApplicationState.APPLIED, ApplicationState.PARTLY_APPLIED}:
        return f"the application {undone.id} is {undone.state.value}; there is nothing to undo"
    return None


def settled(draft: Draft, event: ApplicationSettled) -> None:
    """Keep what was observed, and what that means for revisions and for what was undone.

    What was settled for good stays so. ``unknown`` may be settled once more, and what that needs
    is kept.
    """
    row = draft.get(ApplicationRow, event.application)
    if row is None or row.state not in UNSETTLED:
        return
    unknown = event.state is ApplicationState.UNKNOWN
    done = evolve(
        row,
        state=event.state,
        observed=event.observed,
        notices=(*row.notices, *event.notices),
        intention=row.intention if unknown else None,
    )
    draft.put(done)
    draft.note(row.ticket, None, f"{row.id}: {event.state.value}")
    if row.undoes is not None:
        _undo_settled(draft, done, row.undoes)
        return
    _mark(draft, _newest_of(draft, done), event.state)
    if event.state in {ApplicationState.APPLIED, ApplicationState.PARTLY_APPLIED}:
        _count_units(draft, done)


def _newest_of(draft: Draft, row: ApplicationRow) -> tuple[RevisionId, ...]:
    """The revisions of an application that no later one was about."""
    others = (one for one in draft.applications(row.ticket) if one.target is not Target.PATCH)
    later = {
        name for one in others if (one.at, one.id) > (row.at, row.id) for name in one.revisions
    }
    return tuple(name for name in row.revisions if name not in later)


def _undo_settled(draft: Draft, row: ApplicationRow, undoes: ApplicationId) -> None:
    chain = _undone_by(draft, undoes)
    if not chain:
        return
    first = chain[-1]
    if row.state is ApplicationState.APPLIED:
        _turn_over(draft, row, chain)
    elif row.state in {ApplicationState.PARTLY_APPLIED, ApplicationState.UNKNOWN}:
        _mark(draft, first.revisions, row.state)
    else:
        _mark(draft, first.revisions, first.state)


def _undone_by(draft: Draft, undoes: ApplicationId | None) -> list[ApplicationRow]:
    """What an undo turns over: an application, or an undo, what that has undone, and so on."""
    chain: list[ApplicationRow] = []
    while undoes is not None:
        row = draft.get(ApplicationRow, undoes)
        if row is None:
            break
        chain.append(row)
        undoes = row.undoes
    return chain


def _turn_over(draft: Draft, by: ApplicationRow, chain: list[ApplicationRow]) -> None:
    """Each of the chain is undone if the one after it counts now, else it counts again."""
    counts = True
    for row in chain:
        counts = not counts
        if counts:
            draft.put(evolve(row, state=_as_observed(row), undone_by=None))
        else:
            draft.put(evolve(row, state=ApplicationState.UNDONE, undone_by=by.id))
        by = row
    first = draft.the(ApplicationRow, chain[-1].id)
    _mark(draft, first.revisions, first.state)
    if counts:
        _count_units(draft, first)
    else:
        _discount_units(draft, first)


def _as_observed(row: ApplicationRow) -> ApplicationState:
    whole = all(file.state is ApplicationState.APPLIED for file in row.observed)
    return ApplicationState.APPLIED if whole else ApplicationState.PARTLY_APPLIED


def _mark(draft: Draft, revisions: Iterable[RevisionId], state: ApplicationState) -> None:
    for name in revisions:
        revision = draft.get(RevisionRow, name)
        if revision is not None:
            draft.put(evolve(revision, application=state))


def _count_units(draft: Draft, row: ApplicationRow) -> None:
    for name in row.revisions:
        revision = draft.get(RevisionRow, name)
        if revision is not None:
            accepted = {unit for unit, said in revision.decisions if said is Decision.ACCEPTED}
            mine = [unit for unit in row.units if unit in accepted]
            units = tuple(dict.fromkeys((*revision.applied_units, *mine)))
            draft.put(evolve(revision, applied_units=units))


def _discount_units(draft: Draft, row: ApplicationRow) -> None:
    for name in row.revisions:
        revision = draft.get(RevisionRow, name)
        if revision is not None:
            left = tuple(unit for unit in revision.applied_units if unit not in row.units)
            draft.put(evolve(revision, applied_units=left))


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
    ticket = draft.the(TicketRow, row.ticket)
    if ticket.state not in FINAL_TICKET_STATES:
        # Other tasks are merged with it or build on it.
        kept.append(
            f"the proposal {name} belongs to the ticket {ticket.id}, which is {ticket.state.value};"
            " reject it, or drop it when the ticket has settled"
        )
        return False
    revision = draft.the(RevisionRow, row.revision)
    if revision.application is ApplicationState.APPLYING:
        kept.append(f"the proposal {name} is being applied")
        return False
    if revision.integration is not Integration.DISCARDED:
        draft.put(evolve(revision, integration=Integration.DISCARDED))
        task = draft.task(row.ticket, row.task)
        draft.issue(RemoveWorkspaces(row.ticket, task.runs, (task.spec.repository,)))
        draft.note(row.ticket, row.task, f"the proposal {name} is dropped")
    return True


def _drop_ticket(draft: Draft, name: TicketId, kept: list[str]) -> bool:
    problem = _not_droppable(draft, name)
    if problem is not None:
        kept.append(problem)
        return False
    runs = tuple(sorted(run.id for run in draft.find(RUNS_OF, name)))
    tasks = draft.tasks(draft.the(TicketRow, name))
    repositories = tuple(dict.fromkeys(task.spec.repository for task in tasks))
    for index in OF_TICKET:
        for row in draft.find(index, name):
            draft.delete(index.table, row.key)
    draft.delete(TicketRow, name)
    draft.issue(RemoveWorkspaces(name, runs, repositories))
    return True


def _not_droppable(draft: Draft, name: TicketId) -> str | None:
    ticket = draft.ticket(name)
    if ticket is None:
        return f"there is no ticket {name}"
    if ticket.state not in FINAL_TICKET_STATES:
        return f"the ticket {name} is {ticket.state.value}; cancel it first"
    if any(row.state is ApplicationState.APPLYING for row in draft.applications(name)):
        return f"something of the ticket {name} is being applied; wait for that"
    return None
