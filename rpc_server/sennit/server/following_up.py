"""Collects what the agent of a follow-up is told of the work that it follows."""

from __future__ import annotations

from collections.abc import Iterator

from sennit.adapters.git.changes import patch
from sennit.adapters.git.trees import entries_at, write_tree
from sennit.core.conflict_views import conflict_message
from sennit.core.engine.again import is_again, merged_before
from sennit.core.engine.rows import RevisionRow, RunRow, TaskRow, TicketRow, task_key
from sennit.core.follow_prompt import MOST_TASKS, Before, Standing
from sennit.core.objects import GitFailed
from sennit.core.units import path_of
from sennit.core.uris import display
from sennit.core.views import exact_timestamp
from sennit.server.handing_off import told_of
from sennit.server.repositories import Opened
from sennit.server.services import Services
from sennit_protocol.following import Begin
from sennit_protocol.states import Decision


async def standing_of(services: Services, task: TaskRow, run: RunRow) -> Standing:
    """What the agent of a run is to know of what was before."""
    following = task.spec.following
    if following is None:
        return Standing()
    earlier = services.state.get(TaskRow, task_key(following.ticket, following.task))
    revision = (
        None if following.revision is None else services.state.get(RevisionRow, following.revision)
    )
    failure = None if earlier is None or earlier.failure is None else earlier.failure.message
    ticket = services.state.the(TicketRow, task.ticket)
    met = merged_before(services.state, ticket, task) if is_again(task) else ()
    before = tuple([await _before(services, one) for one in reversed(_chain(services, task))])
    if revision is None:
        return Standing(following.begin, failure=failure, before=before)
    return Standing(
        begin=following.begin,
        has_work=True,
        unmerged=tuple(map(display, run.unmerged)),
        patch=await _missing(services, revision, following.begin, run.unmerged),
        conflicts=tuple(conflict_message(revision, one) for one in revision.conflicts),
        rejected=_rejected(revision),
        failure=failure,
        before=before,
        merged=tuple(row.task for row in met),
    )


def _chain(services: Services, task: TaskRow) -> tuple[TaskRow, ...]:
    """The tasks before, newest first."""

    def back() -> Iterator[TaskRow]:
        following = task.spec.following
        while following is not None:
            found = services.state.get(TaskRow, task_key(following.ticket, following.task))
            if found is None:
                return
            yield found
            following = found.spec.following

    return tuple(one for one, _ in zip(back(), range(MOST_TASKS), strict=False))


async def _before(services: Services, task: TaskRow) -> Before:
    name = f"{task.ticket}/{task.id}"
    return Before(name, task.spec.prompt, await told_of(services, task))


def _rejected(revision: RevisionRow) -> tuple[str, ...]:
    paths = (path_of(unit) for unit, said in revision.decisions if said is Decision.REJECTED)
    return tuple(dict.fromkeys(map(display, paths)))


async def _missing(
    services: Services, revision: RevisionRow, begin: Begin, unmerged: tuple[bytes, ...]
) -> str:
    """The earlier change as far as the workspace does not hold it, as a patch for a reader."""
    if begin is Begin.WORK and not unmerged:
        return ""
    at = exact_timestamp(services.clock.now_ms())
    opened = await services.repositories.open(revision.repository, at)
    if isinstance(opened, GitFailed):
        return ""
    tree = revision.tree
    if begin is Begin.WORK:
        found = await _only(services, opened, revision, unmerged)
        if isinstance(found, GitFailed):
            return ""
        tree = found
    made = await patch(services.git, opened.store, revision.base_tree, tree)
    # A hint for the agent, not what it works on.
    return "" if isinstance(made, GitFailed) else made.decode("utf-8", "replace")


async def _only(
    services: Services, opened: Opened, revision: RevisionRow, paths: tuple[bytes, ...]
) -> str | GitFailed:
    """The base of a revision with what it changed in some paths."""
    after = await entries_at(services.git, opened.store, revision.tree, paths)
    if isinstance(after, GitFailed):
        return after
    changes = {path: after.get(path) for path in paths}
    return await write_tree(services.git, opened.store, revision.base_tree, changes)
