"""Steps of applications: intended, carried out, settled by comparing; and their undo."""

from __future__ import annotations

from collections.abc import Iterable

from attrs import evolve, frozen

from sennit.core.counted import counted
from sennit.core.engine.commands import RunApplication
from sennit.core.engine.draft import Draft
from sennit.core.engine.events import ApplicationIntended, ApplicationSettled
from sennit.core.engine.indexes import APPLICATIONS_IN, UNSETTLED, UNSETTLED_APPLICATIONS
from sennit.core.engine.releasing import release_decided
from sennit.core.engine.rows import ApplicationRow, RevisionRow
from sennit_protocol.ids import ApplicationId, RevisionId
from sennit_protocol.states import (
    UNDOABLE_STATES,
    ApplicationState,
    Decision,
    Integration,
    Target,
)


@frozen
class Intended:
    """The application is kept as intended and begins."""

    application: ApplicationId


@frozen
class NotIntended:
    """The application does not begin, and why."""

    message: str


@frozen
class Overtaken:
    """The application does not begin: another one has changed what it was worked out on."""


def intend(draft: Draft, event: ApplicationIntended) -> None:
    """Keep the intention before any effect; one application at a time in a repository."""
    row = event.application
    if _is_overtaken(draft, event):
        draft.outcome = Overtaken()
        return
    problem = _in_the_way(draft, row)
    if problem is not None:
        draft.outcome = NotIntended(problem)
        return
    draft.put(row)
    draft.outcome = Intended(row.id)
    draft.note(row.ticket, None, _told(row))
    if row.target is not Target.PATCH:
        _mark(draft, row.revisions, ApplicationState.APPLYING)
        draft.issue(RunApplication(row.id))


def _told(row: ApplicationRow) -> str:
    if row.target is Target.PATCH:
        return f"makes a patch of what is accepted as {row.id}; no file is changed"
    files = f"{counted(len(row.images), 'file')} as {row.id}"
    return f"applies {files}" if row.undoes is None else f"takes {row.undoes} back: {files}"


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


def _is_overtaken(draft: Draft, event: ApplicationIntended) -> bool:
    row, seen = event.application, event.seen
    if seen is None or row.target is Target.PATCH:
        return False
    others = draft.find(APPLICATIONS_IN, row.repository)
    return any(one.sequence > seen for one in others if one.target is not Target.PATCH)


def _not_undoable(draft: Draft, row: ApplicationRow) -> str | None:
    if row.undoes is None:
        return None
    undone = draft.get(ApplicationRow, row.undoes)
    if undone is None:
        return f"there is no application {row.undoes}; its ticket was dropped"
    if undone.target is Target.PATCH:
        return f"the application {undone.id} wrote a patch and no file; there is nothing to undo"
    if undone.state not in UNDOABLE_STATES:
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
    _keep_standing(draft, done.revisions)
    release_decided(draft, done.revisions)


def _newest_of(draft: Draft, row: ApplicationRow) -> tuple[RevisionId, ...]:
    """The revisions of an application that no later one was about."""
    others = (one for one in draft.applications(row.ticket) if one.target is not Target.PATCH)
    later = {name for one in others if one.turn > row.turn for name in one.revisions}
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
        _keep_standing(draft, first.revisions)


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
    # One that found all there has put nothing in, whoever takes its undo back.
    puts_in = counts and first.units
    _mark(draft, first.revisions, first.state if puts_in else ApplicationState.UNDONE)
    if counts:
        _count_units(draft, evolve(first, already_there=()))
    else:
        _discount_units(draft, first)
    _keep_standing(draft, first.revisions)


def _as_observed(row: ApplicationRow) -> ApplicationState:
    whole = all(file.state is ApplicationState.APPLIED for file in row.observed)
    return ApplicationState.APPLIED if whole else ApplicationState.PARTLY_APPLIED


def _mark(draft: Draft, revisions: Iterable[RevisionId], state: ApplicationState) -> None:
    for name in revisions:
        revision = draft.get(RevisionRow, name)
        if revision is not None:
            draft.put(evolve(revision, application=state))


def _keep_standing(draft: Draft, revisions: Iterable[RevisionId]) -> None:
    """Let what was applied before count on where a later application failed or was undone."""
    for name in revisions:
        revision = draft.get(RevisionRow, name)
        gone = {ApplicationState.FAILED, ApplicationState.UNDONE}
        if revision is None or revision.application not in gone or not revision.applied_units:
            continue
        accepted = {unit for unit, said in revision.decisions if said is Decision.ACCEPTED}
        whole = accepted <= set(revision.applied_units)
        state = ApplicationState.APPLIED if whole else ApplicationState.PARTLY_APPLIED
        draft.put(evolve(revision, application=state))


def _count_units(draft: Draft, row: ApplicationRow) -> None:
    for name in row.revisions:
        revision = draft.get(RevisionRow, name)
        if revision is not None:
            accepted = {unit for unit, said in revision.decisions if said is Decision.ACCEPTED}
            # What the text held before is in there too, and stays when the application is undone.
            # An offer is accepted by being confirmed; its decisions are told right after it.
            there = (*row.units, *row.already_there)
            mine = [unit for unit in there if row.offered or unit in accepted]
            units = tuple(dict.fromkeys((*revision.applied_units, *mine)))
            draft.put(evolve(revision, applied_units=units))


def _discount_units(draft: Draft, row: ApplicationRow) -> None:
    gone = set(row.units)
    for name in row.revisions:
        revision = draft.get(RevisionRow, name)
        if revision is not None:
            left = tuple(unit for unit in revision.applied_units if unit not in gone)
            draft.put(evolve(revision, applied_units=left))
