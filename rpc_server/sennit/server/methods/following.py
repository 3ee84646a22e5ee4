"""``sennit/follow``: follows up on ended work with a new ticket."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TypeVar

from attrs import evolve

from sennit.core.engine.again import gone_on_with, standing_for
from sennit.core.engine.events import NewTask
from sennit.core.engine.following import lineage
from sennit.core.engine.rows import Followed, ProposalRow, RevisionRow, TaskRow
from sennit.core.operation import request_hash
from sennit.core.uris import file_uri
from sennit.server.errors import task_or_error
from sennit.server.jsonrpc import Context
from sennit.server.methods.dispatch import Call, checked, new_task, started
from sennit.server.open_documents import open_buffers
from sennit.server.services import Services
from sennit.server.sessions import Earlier, earlier_of
from sennit_protocol.errors import (
    ErrorCode,
    InTheWayData,
    Problem,
    ProblemsData,
    RpcError,
)
from sennit_protocol.following import Begin, FollowParams, SessionWish
from sennit_protocol.requests import DispatchResult
from sennit_protocol.states import (
    FINAL_TASK_STATES,
    ApplicationState,
    Integration,
    TaskState,
)
from sennit_protocol.tasks import DispatchParams, Task

T = TypeVar("T")


async def follow(
    services: Services, context: Context, params: FollowParams
) -> DispatchResult | RpcError:
    """Make a ticket with one task that goes on with the work of another one."""
    buffers = open_buffers(services.connection, services.told)
    earlier = task_or_error(services, params.ticket, params.task)
    if isinstance(earlier, RpcError):
        return earlier
    if earlier.state not in FINAL_TASK_STATES:
        return _not_ended(earlier)
    if params.begin is not Begin.LIVE and (lacking := tuple(_not_applied(services, earlier))):
        return _lacks(earlier, lacking)
    ready = await checked(services, _asked(params, earlier))
    if isinstance(ready, RpcError):
        return _told_in_its_words(ready)
    [valid] = ready.valid.tasks
    task = _following(services, params, earlier, new_task(ready.probed, valid))
    call = Call(ready, (task,), request_hash(params), params.wait, params.work_done_token, buffers)
    return await started(services, context, call)


def _not_ended(task: TaskRow) -> RpcError:
    message = (
        f"{task.ticket}/{task.id} has not ended: it is {task.state.value}. Speak with its agent"
        " (`sennit/steer`), wait for it, or cancel it."
    )
    data = InTheWayData("notEnded", task.ticket, task.id)
    return RpcError(ErrorCode.WRONG_STATE, message, data)


def _asked(params: FollowParams, earlier: TaskRow) -> DispatchParams:
    """The call that asks for the task again, with what is said of it now."""
    spec = earlier.spec
    same_agent = params.agent in {None, spec.agent.name}
    task = Task(
        id=earlier.id,
        prompt=_said_or(params.prompt, spec.prompt),
        description=_said_or(params.description, spec.description),
        agent=_said_or(params.agent, spec.agent.name),
        cwd=file_uri(spec.folder),
        base=spec.base,
        writes=spec.writes,
        deadline_ms=_said_or(params.deadline_ms, spec.deadline_ms),
        idle_ms=spec.idle_ms,
        expect_changes=spec.expect_changes,
        env=spec.env,
        # Words of one agent for its models mean nothing to another one.
        model=spec.model if same_agent else None,
        thinking=spec.thinking if same_agent else None,
        system_prompt=spec.system_prompt,
        budget=_said_or(params.budget, spec.budget),
        grace_turns=spec.grace_turns,
        access=spec.access,
        retries=spec.retries,
        retry_safe=spec.retry_safe,
        output_schema=None if spec.output_schema is None else json.loads(spec.output_schema),
        attach=params.attach,
    )
    return DispatchParams(
        (task,),
        operation_id=params.operation_id,
        label=params.label,
        offer=params.offer,
        wait=params.wait,
        work_done_token=params.work_done_token,
        partial_result_token=params.partial_result_token,
    )


def _said_or(said: T | None, before: T) -> T:
    """What is said now, also where it is 0 or empty and thus wrong; else what was said before."""
    return before if said is None else said


def _told_in_its_words(error: RpcError) -> RpcError:
    """Name the keys of the follow-up, which has no list of tasks."""
    if not isinstance(error.data, ProblemsData):
        return error
    problems = tuple(
        Problem(problem.path.removeprefix("tasks[0]."), problem.message, problem.valid)
        for problem in error.data.problems
    )
    return evolve(
        error,
        message=error.message.replace("tasks[0].", ""),
        data=evolve(error.data, problems=problems),
    )


def _following(
    services: Services, params: FollowParams, earlier: TaskRow, task: NewTask
) -> NewTask:
    revision = gone_on_with(services.state, earlier)
    kept = None if revision is None or _is_dropped(revision) else revision
    found = earlier_of(services, earlier, task.spec.agent)
    wished = found if params.session is SessionWish.RESUME else _without_session(found)
    same_agent = task.spec.agent.name == earlier.spec.agent.name
    spec = evolve(
        task.spec,
        must_offer=earlier.spec.must_offer if same_agent else (),
        session=wished.session,
        place=wished.place,
        following=Followed(
            ticket=earlier.ticket,
            task=earlier.id,
            proposal=None if kept is None else kept.proposal,
            revision=None if kept is None else kept.id,
            begin=params.begin,
        ),
    )
    return evolve(task, spec=spec, notices=(*task.notices, *wished.notices))


def _not_applied(services: Services, earlier: TaskRow) -> Iterator[RevisionRow]:
    """Give what a task that was blocked depends on and does not find in the user's text."""
    if earlier.state is not TaskState.BLOCKED:
        return
    for name in earlier.spec.depends_on:
        before = standing_for(services.state, earlier.ticket, name)
        made = services.state.revision_of(before)
        proposal = None if made is None else services.state.get(ProposalRow, made.proposal)
        newest = None if proposal is None else services.state.get(RevisionRow, proposal.revision)
        if newest is None:
            continue
        # A newer revision holds its own change alone, so the text may hold an earlier one.
        if all(one.application not in _IN_THE_TEXT for one in lineage(services.state, newest)):
            yield newest


def _lacks(earlier: TaskRow, lacking: tuple[RevisionRow, ...]) -> RpcError:
    names = ", ".join(f"{one.task} ({one.proposal})" for one in lacking)
    message = (
        f"{earlier.ticket}/{earlier.id} depends on what is not in your files: {names} is not"
        f" applied. Review and apply that (`sennit review {lacking[0].proposal}`), and follow"
        " again; or begin on your text without it (`--live`, `begin: live`)."
    )
    return RpcError(ErrorCode.WRONG_STATE, message)


_IN_THE_TEXT = frozenset({ApplicationState.APPLIED, ApplicationState.PARTLY_APPLIED})


def _is_dropped(revision: RevisionRow) -> bool:
    return revision.integration is Integration.DISCARDED


def _without_session(found: Earlier) -> Earlier:
    return Earlier(place=found.place, notices=() if found.session is None else found.notices)
