"""Collects what a dependent task is told of the tasks that it builds on."""

from __future__ import annotations

from sennit.core.engine.rows import RevisionRow, TaskRow
from sennit.core.handoff import MOST_OUTPUT, HandedOff
from sennit.core.objects import GitFailed
from sennit.core.uris import display
from sennit.core.views import exact_timestamp
from sennit.server.services import Services
from sennit_protocol.states import Integration

_BYTES = MOST_OUTPUT * 4
"""Bytes that surely hold as many characters as are told."""


async def handed_off(services: Services, task: TaskRow) -> tuple[HandedOff, ...]:
    """The work of each prerequisite, in the order in which the task names them."""
    found = [services.state.task(task.ticket, name) for name in task.spec.depends_on]
    return tuple([await _of(services, one) for one in found])


async def _of(services: Services, task: TaskRow) -> HandedOff:
    output = await services.output_tail(task.runs[-1], _BYTES) if task.runs else b""
    return HandedOff(
        task=task.id,
        state=task.state.value,
        files=await _files(services, services.state.revision_of(task)),
        output=output.decode("utf-8", "replace"),
        output_is_cut=len(output) == _BYTES,
    )


async def _files(services: Services, revision: RevisionRow | None) -> tuple[str, ...]:
    if revision is None or revision.integration is Integration.NO_CHANGES:
        return ()
    at = exact_timestamp(services.clock.now_ms())
    opened = await services.repositories.open(revision.repository, at)
    if isinstance(opened, GitFailed):
        return ()
    units = await services.revisions.units(
        services, opened, revision.id, revision.base_tree, revision.tree
    )
    if isinstance(units, GitFailed):
        # A hint for the agent, not what it works on: that is in its workspace.
        return ()
    return tuple(display(path) for path in dict.fromkeys(unit.path for unit in units))
