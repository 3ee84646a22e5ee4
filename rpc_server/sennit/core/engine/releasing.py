"""Lets go of the workspaces of work that is in the user's text, as a whole."""

from __future__ import annotations

from collections.abc import Iterable

from sennit.core.engine.commands import RemoveWorkspaces
from sennit.core.engine.draft import Draft
from sennit.core.engine.following import is_worked_in
from sennit.core.engine.indexes import RUNS_IN
from sennit.core.engine.rows import RevisionRow, RunRow
from sennit.core.engine.state import Tables
from sennit_protocol.ids import RevisionId
from sennit_protocol.states import ApplicationState, Decision, Review, RunState


def release_decided(draft: Draft, revisions: Iterable[RevisionId]) -> None:
    """Ask for the workspaces of those revisions that are accepted and applied as a whole to go.

    A follow-up has its workspace made anew where this one was.
    """
    for name in revisions:
        revision = draft.get(RevisionRow, name)
        if revision is None or not _is_decided(revision):
            continue
        runs = draft.task(revision.ticket, revision.task).runs
        named = dict.fromkeys(draft.the(RunRow, run).workspace for run in runs)
        places = tuple(place for place in named if is_free(draft, place))
        if places:
            where = (revision.repository,)
            draft.issue(RemoveWorkspaces(revision.ticket, (), where, places, only_free=True))


def _is_decided(revision: RevisionRow) -> bool:
    if revision.application is not ApplicationState.APPLIED:
        return False
    accepted = {unit for unit, said in revision.decisions if said is Decision.ACCEPTED}
    return revision.review is Review.ACCEPTED and accepted <= set(revision.applied_units)


def is_free(tables: Tables, workspace: str) -> bool:
    """Whether nobody works in a workspace, or is to, and it holds nothing that is nowhere else.

    What an earlier run has left in it was gone before the last one began.
    """
    runs = sorted(tables.find(RUNS_IN, workspace), key=lambda run: (run.requested_at, run.id))
    if not runs or any(run.state is not RunState.CAPTURED for run in runs):
        return False
    return runs[-1].whole and not is_worked_in(tables, workspace)
