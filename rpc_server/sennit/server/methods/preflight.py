"""``sennit/preflight``: the checks of a dispatch and its base; nothing is started."""

from __future__ import annotations

from sennit.adapters.agents.command import CommandRefused, agent_run
from sennit.adapters.git.head import head_snapshot
from sennit.adapters.git.promised import need_promised
from sennit.core.engine.admission import Refused
from sennit.core.engine.admitting import answer_without_ticket
from sennit.core.engine.events import NewTask
from sennit.core.objects import GitFailed, Manifest, OpenDocument
from sennit.core.operation import request_hash
from sennit.core.uris import file_uri
from sennit.core.validation import ValidTask
from sennit.core.views import manifest_view
from sennit.server.effects.basing import live_base
from sennit.server.errors import git_error
from sennit.server.jsonrpc import Context
from sennit.server.methods.dispatch import (
    Ready,
    asking_for_admission,
    checked,
    going_on,
    new_task,
    refused_error,
)
from sennit.server.open_documents import below, open_buffers
from sennit.server.services import Services
from sennit_protocol.errors import RpcError
from sennit_protocol.ids import TicketId
from sennit_protocol.requests import PlannedTask, PreflightResult
from sennit_protocol.tasks import BaseKind, DispatchParams
from sennit_protocol.views import Notice


async def preflight(
    services: Services, _context: Context, params: DispatchParams
) -> PreflightResult | RpcError:
    """Say what a dispatch would do."""
    buffers = open_buffers(services.connection, services.told)
    ready = await checked(services, params)
    if isinstance(ready, RpcError):
        return ready
    made = tuple(new_task(ready.probed, task) for task in ready.valid.tasks)
    going = going_on(services, made, params)
    if isinstance(going, RpcError):
        return going
    notices = _notices(services, ready, going, params)
    if isinstance(notices, RpcError):
        return notices
    planned = tuple(_planned(services, ready, task) for task in ready.valid.tasks)
    views = []
    for top, kind in dict.fromkeys((task.repository, task.base) for task in ready.valid.tasks):
        documents = below(top, (buffer.document for buffer in buffers.values()))
        manifest = await _manifest(services, ready, top, kind, documents)
        if isinstance(manifest, GitFailed):
            return git_error(manifest)
        views.append(manifest_view(top, manifest))
    return PreflightResult(tasks=planned, bases=tuple(views), notices=notices)


def _notices(
    services: Services, ready: Ready, tasks: tuple[NewTask, ...], params: DispatchParams
) -> tuple[Notice, ...] | RpcError:
    """What a dispatch would say of the call as a whole and of its tasks, or why it is refused."""
    request, nobody = request_hash(params), TicketId("")
    asked = asking_for_admission(services, ready.valid, tasks, request, nobody)
    answer = answer_without_ticket(services.state, asked)
    if isinstance(answer, Refused):
        return refused_error(answer)
    repeated = () if answer is None else (_dispatched_before(answer.ticket),)
    return (*repeated, *(notice for task in tasks for notice in task.notices))


def _dispatched_before(ticket: TicketId) -> Notice:
    return Notice(f"This operation was dispatched before, as {ticket}: it would not be again.")


async def _manifest(
    services: Services,
    ready: Ready,
    top: bytes,
    kind: BaseKind,
    documents: tuple[OpenDocument, ...],
) -> Manifest | GitFailed:
    opened = await services.repositories.open_found(ready.probed.repositories[top])
    if isinstance(opened, GitFailed):
        return opened
    if kind is BaseKind.HEAD:
        snapshot = await head_snapshot(services.git, opened.store, opened.repository)
    else:
        snapshot = await live_base(services, opened, documents)
    if isinstance(snapshot, GitFailed):
        return snapshot
    failed = await need_promised(services.git, opened.store, opened.repository, snapshot)
    return snapshot.manifest if failed is None else failed


def _planned(services: Services, ready: Ready, task: ValidTask) -> PlannedTask:
    settings = services.settings.of(task.repository)
    agent = ready.probed.agents[task.agent]
    spec = agent_run(agent, task.prompt, settings.limits.output_file_bytes, settings.stop)
    if isinstance(spec, CommandRefused):
        raise TypeError(f"a command line was found right that is not: {spec.message}")
    return PlannedTask(
        id=task.id,
        agent=task.agent,
        repository=file_uri(task.repository),
        argv=spec.argv,
        after=task.depends_on,
    )
