"""The step in which a person settles conflicts; all is merged again with that."""

from __future__ import annotations

from attrs import evolve

from sennit.core.engine.draft import Draft
from sennit.core.engine.events import ConflictsResolved
from sennit.core.engine.reviewing import Decided, NotDecided, undecidable
from sennit.core.engine.rows import RevisionRow, TicketRow
from sennit.core.engine.settling import reconcile
from sennit.core.resolutions import Resolution, with_resolutions
from sennit.core.uris import display
from sennit_protocol.conflicts import Take
from sennit_protocol.states import UNDOABLE_STATES, Integration


def resolve(draft: Draft, event: ConflictsResolved) -> None:
    """Keep what settles conflicts; later words win over earlier ones."""
    revision = draft.get(RevisionRow, event.revision)
    problem = undecidable(draft, event.revision, revision)
    if revision is None or problem is not None:
        draft.outcome = NotDecided(problem or "")
        return
    if revision.integration not in {Integration.CONFLICT, Integration.CLEAN}:
        draft.outcome = NotDecided(
            f"the proposal {revision.proposal} is {revision.integration.value}; only a conflict"
            " can be resolved"
        )
        return
    if revision.application in UNDOABLE_STATES:
        draft.outcome = NotDecided(
            f"the proposal {revision.proposal} is {revision.application.value}; undo that, then"
            " resolve and apply again"
        )
        return
    for one in event.resolutions:
        draft.note(revision.ticket, revision.task, _said(one))
    kept = with_resolutions(revision.resolutions, event.resolutions)
    draft.put(evolve(revision, resolutions=kept))
    reconcile(draft, draft.the(TicketRow, revision.ticket), revision.repository)
    draft.outcome = Decided(revision.id)


def _said(resolution: Resolution) -> str:
    path = display(resolution.path)
    match resolution.take:
        case Take.NOTHING:
            return f"what settled the conflict in {path} is taken back"
        case Take.SUGGESTION:
            kind = "" if resolution.suggestion is None else f" {resolution.suggestion.value}"
            return f"the conflict in {path} is resolved: suggestion{kind}"
        case _:
            return f"the conflict in {path} is resolved: {resolution.take.value}"
