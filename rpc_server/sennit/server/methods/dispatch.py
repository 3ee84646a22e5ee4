"""``sennit/dispatch``: validates and admits a call and starts its ticket."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any

import anyio.to_thread
from attrs import evolve, frozen

from sennit.adapters.agents.command import CommandRefused, agent_run
from sennit.core.agents import StopTimes, takes_prompt
from sennit.core.engine.admitting import Admitted, Refused, RefusedBecause
from sennit.core.engine.events import DispatchRequested, NewTask
from sennit.core.engine.rows import TaskSpec
from sennit.core.operation import request_hash
from sennit.core.stored import StoreProblem
from sennit.core.validation import Problems, Valid, ValidTask, validate
from sennit.server.errors import store_error, ticket_or_error
from sennit.server.jsonrpc import Context
from sennit.server.methods.waiting import waited, whole_view
from sennit.server.open_documents import Buffer, open_buffers
from sennit.server.probing import Probed, asking, probe, trust_error
from sennit.server.repositories import ref_of
from sennit.server.services import SeenAtDispatch, Services
from sennit.server.sessions import NoSuchSession, earlier_named
from sennit_protocol.errors import (
    ErrorCode,
    InTheWayData,
    Problem,
    ReasonData,
    RpcError,
    problems_error,
)
from sennit_protocol.ids import IdKind, TicketId
from sennit_protocol.requests import DispatchResult
from sennit_protocol.states import WaitUntil
from sennit_protocol.tasks import DispatchParams
from sennit_protocol.views import Notice


@frozen
class Ready:
    """A call that may be admitted, with the world that it was checked against."""

    valid: Valid
    probed: Probed


async def dispatch(
    services: Services, context: Context, params: DispatchParams
) -> DispatchResult | RpcError:
    """Check the call, make its ticket, and answer; with ``wait`` once it has settled."""
    # The buffers are taken before anything is awaited: the base is what the user saw by then.
    buffers = open_buffers(services.connection, services.told)
    ready = await checked(services, params)
    if isinstance(ready, RpcError):
        return ready
    made = tuple(new_task(ready.probed, task) for task in ready.valid.tasks)
    tasks = going_on(services, made, params)
    if isinstance(tasks, RpcError):
        return tasks
    call = Call(ready, tasks, request_hash(params), params.wait, params.work_done_token, buffers)
    return await started(services, context, call)


@frozen
class Call:
    """A call whose tasks are ready to be admitted; ``request`` is what its operation stands for."""

    ready: Ready
    tasks: tuple[NewTask, ...]
    request: str
    wait: bool
    work_done_token: str | int | None
    buffers: Mapping[bytes, Buffer]


async def started(services: Services, context: Context, call: Call) -> DispatchResult | RpcError:
    """Make the ticket of a call, and answer; where it waits, once the ticket has settled."""
    ticket = TicketId(services.new_id(IdKind.TICKET))
    probed = call.ready.probed
    services.seen[ticket] = SeenAtDispatch(
        documents={path: buffer.document for path, buffer in call.buffers.items()},
        environments={name: agent.env for name, agent in probed.agents.items()},
        settings=probed.settings,
    )
    try:
        outcome = await _admit(services, call, ticket)
    finally:
        if services.state.ticket(ticket) is None:
            # Refused, the ticket of an earlier call, or given up by the client before its turn.
            del services.seen[ticket]
    if services.state.ticket(ticket) is not None:
        services.progress.watch(ticket, call.work_done_token if call.wait else None)
    match outcome:
        case StoreProblem():
            return store_error(outcome)
        case Refused():
            return refused_error(outcome)
        case _:
            return await _answer(services, context, outcome, wait=call.wait)


def going_on(
    services: Services, tasks: tuple[NewTask, ...], params: DispatchParams
) -> tuple[NewTask, ...] | RpcError:
    """Let the tasks that name an earlier session go on with it, where it was."""
    problems: list[Problem] = []
    made: list[NewTask] = []
    taken: set[str] = set()
    for place, (task, asked) in enumerate(zip(tasks, params.tasks, strict=True)):
        if asked.resume is None:
            made.append(task)
            continue
        found = earlier_named(services, asked.resume, task.spec.agent, task.spec.repository)
        if isinstance(found, NoSuchSession):
            problems.append(Problem(f"tasks[{place}].resume", found.message))
        elif found.session in taken:
            message = "names the session of another task of this call; only one can go on with it"
            problems.append(Problem(f"tasks[{place}].resume", message))
        else:
            taken.add(found.session or "")
            spec = evolve(task.spec, session=found.session, place=found.place)
            made.append(evolve(task, spec=spec, notices=(*task.notices, *found.notices)))
    if problems:
        return problems_error(ErrorCode.INVALID_PARAMS, HEADLINE, tuple(problems))
    return tuple(made)


async def checked(services: Services, params: DispatchParams) -> Ready | RpcError:
    """All checks of a call; nothing is started."""
    probed = await probe(services, params)
    if isinstance(probed, RpcError):
        return probed
    if any(each.output_schema is not None for each in asking(params)):
        await anyio.to_thread.run_sync(import_module, "jsonschema")
    valid = validate(params, probed.facts)
    if isinstance(valid, Problems):
        return problems_error(ErrorCode.INVALID_PARAMS, HEADLINE, valid.problems)
    valid = _without_brief(valid, params, probed)
    refused = tuple(_command_problems(valid, probed))
    if refused:
        return problems_error(ErrorCode.INVALID_PARAMS, HEADLINE, refused)
    folders: dict[bytes, list[bytes]] = {}
    for task in valid.tasks:
        folders.setdefault(task.repository, []).append(task.folder)
    used = {top: probed.repositories[top] for top in folders}
    error = await trust_error(services, used, folders)
    return Ready(valid, probed) if error is None else error


HEADLINE = "Nothing was started; the call has problems"


def _without_brief(valid: Valid, params: DispatchParams, probed: Probed) -> Valid:
    """Leave the brief to those who read: before a command line it would be the command."""
    tasks = tuple(
        task if takes_prompt(probed.agents[task.agent]) else evolve(task, prompt=asked.prompt)
        for task, asked in zip(valid.tasks, params.tasks, strict=True)
    )
    return evolve(valid, tasks=tasks)


def _command_problems(valid: Valid, probed: Probed) -> Iterator[Problem]:
    """What is wrong with command lines, which are found out before anything is started."""
    for place, task in enumerate(valid.tasks):
        found = agent_run(probed.agents[task.agent], task.prompt, 0, StopTimes())
        if isinstance(found, CommandRefused):
            yield Problem(f"tasks[{place}].prompt", found.message)


async def _admit(
    services: Services, call: Call, ticket: TicketId
) -> Admitted | Refused | StoreProblem:
    asked = asking_for_admission(services, call.ready.valid, call.tasks, call.request, ticket)
    outcome: Any = await services.loop.submit(asked)
    answer: Admitted | Refused | StoreProblem = outcome
    return answer


def asking_for_admission(
    services: Services, valid: Valid, tasks: tuple[NewTask, ...], request: str, ticket: TicketId
) -> DispatchRequested:
    """The event of a call whose tasks are ready."""
    general = services.settings.of(b"")
    return services.event(
        DispatchRequested,
        ticket=ticket,
        owner=services.server,
        tasks=tasks,
        offer=valid.offer,
        limit_tickets=general.limits.tickets,
        ask_deadline_ms=general.ask_deadline_ms,
        label=valid.label,
        max_concurrent=valid.max_concurrent,
        operation_id=valid.operation_id,
        request=request,
        order=valid.merge_order,
        on_conflict=valid.on_conflict,
    )


def new_task(probed: Probed, task: ValidTask) -> NewTask:
    """A task that was found valid, as the engine knows it."""
    # Values of variables may be secret: they stay in memory, see ``SeenAtDispatch``.
    agent = evolve(probed.agents[task.agent], env={})
    spec = TaskSpec(
        prompt=task.prompt,
        agent=agent,
        repository=ref_of(probed.repositories[task.repository]),
        folder=task.folder,
        description=task.description,
        depends_on=task.depends_on,
        base=task.base,
        writes=task.writes or (),
        deadline_ms=task.deadline_ms,
        idle_ms=task.idle_ms,
        expect_changes=task.expect_changes,
        env=task.env,
        retries=task.retries,
        retry_safe=task.retry_safe,
        most_runs=task.most_runs,
        model=task.model,
        thinking=task.thinking,
        system_prompt=task.system_prompt,
        output_schema=task.output_schema,
        attach=task.attach,
        must_offer=task.must_offer,
        access=task.access,
        budget=task.budget,
        grace_turns=task.grace_turns,
    )
    return NewTask(task.id, spec, notices=task.notices)


def refused_error(refused: Refused) -> RpcError:
    """The error of a call that was not admitted."""
    codes: Mapping[RefusedBecause, ErrorCode] = {
        RefusedBecause.LIMIT: ErrorCode.LIMIT,
        RefusedBecause.OPERATION_CONFLICT: ErrorCode.IDENTITY_CONFLICT,
        RefusedBecause.STOPPING: ErrorCode.SERVER_CANCELLED,
        RefusedBecause.NOT_ENDED: ErrorCode.WRONG_STATE,
        RefusedBecause.FOLLOWED: ErrorCode.WRONG_STATE,
        RefusedBecause.IN_USE: ErrorCode.WRONG_STATE,
        RefusedBecause.GONE: ErrorCode.UNKNOWN_TASK,
    }
    code, reason = codes[refused.because], refused.because.value
    if refused.task is None or refused.ticket is None:
        return RpcError(code, refused.message, ReasonData(reason))
    return RpcError(code, refused.message, InTheWayData(reason, refused.ticket, refused.task))


async def _answer(
    services: Services, _context: Context, admitted: Admitted, *, wait: bool
) -> DispatchResult | RpcError:
    repeated = "This operation had been dispatched before; here is its ticket."
    notices = (Notice(repeated),) if admitted.repeated else ()
    view = None
    if wait:
        await waited(services, admitted.ticket, WaitUntil.SETTLED, None)
    row = ticket_or_error(services, admitted.ticket)
    if isinstance(row, RpcError):
        # It was dropped while this waited.
        return row
    if wait:
        view = await whole_view(services, admitted.ticket)
    return DispatchResult(admitted.ticket, row.state, notices, view)
