"""Collects what a dependent task is told of the tasks that it builds on."""

from __future__ import annotations

from sennit.core.agents import is_plain
from sennit.core.engine.rows import RevisionRow, RunRow, TaskRow
from sennit.core.handoff import MOST_OUTPUT, HandedOff, account
from sennit.core.objects import GitFailed
from sennit.core.uris import display
from sennit.core.views import exact_timestamp
from sennit.server.services import Services
from sennit.server.shown_paths import shown_paths
from sennit_protocol.states import Integration

_CHARACTERS = MOST_OUTPUT + 1
_BYTES = 4
"""Bytes of one character at most."""


async def handed_off(services: Services, task: TaskRow) -> tuple[HandedOff, ...]:
    """The work of each prerequisite, in the order in which the task names them."""
    found = [services.state.task(task.ticket, name) for name in task.spec.depends_on]
    return tuple([await _of(services, one) for one in found])


async def told_of(services: Services, task: TaskRow) -> str:
    """The work of one task in lines."""
    return account(await _of(services, task))


async def _of(services: Services, task: TaskRow) -> HandedOff:
    output = await last_words(services, task, _CHARACTERS)
    return HandedOff(
        task=task.id,
        state=task.state.value,
        files=await _files(services, services.state.revision_of(task)),
        output=output,
        output_is_cut=len(output) == _CHARACTERS,
    )


async def last_words(services: Services, task: TaskRow, most: int) -> str:
    """The last message of a task's agent, else the end of its output; at most so many characters.

    What agents of other formats write is for programs, and only their last message for people.
    """
    if not task.runs:
        return ""
    run = services.state.the(RunRow, task.runs[-1])
    paths = shown_paths(services, run.id)
    if run.report is not None and run.report.text is not None:
        # The agent's folder is gone soon, and means nothing to people and to other agents.
        return paths.shown(run.report.text)[-most:]
    if not is_plain(task.spec.agent):
        return ""
    output = await services.output_tail(task.runs[-1], most * _BYTES)
    return paths.read(output)[-most:]


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
