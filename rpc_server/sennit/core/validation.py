"""Validation of a call: every problem at once, with its JSON path and what is valid.

Nothing has been started when this runs, and nothing is started when it finds a problem. A wrong
value among the defaults is told once, there, and not again for every task.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import TypeVar

from attrs import evolve, frozen

from sennit.core.agent_definitions import Briefing, NoSuchRole, Wish, briefing, instructions
from sennit.core.agent_keys import agent_key_problems, unheard_of_a_role
from sennit.core.facts import BadFolder, CallFacts, FolderReady, folder_path
from sennit.core.graph import Cyclic, topological_order
from sennit.core.task_keys import (
    ID_FORM,
    LONGEST_LABEL,
    agent_problems,
    folder_problems,
    shared_problems,
    text_problems,
)
from sennit_protocol.errors import Problem
from sennit_protocol.states import Offer
from sennit_protocol.tasks import (
    Access,
    Attachment,
    BaseKind,
    Budget,
    DispatchParams,
    ExpectChanges,
    MergeOrder,
    OnConflict,
    Task,
)
from sennit_protocol.views import Notice

ValueT = TypeVar("ValueT")


@frozen
class ValidTask:
    """A task in which everything is decided: its own keys, the call's defaults, the settings.

    ``prompt`` has the call's brief before it. ``folder`` is where the agent starts, ``repository``
    its top level, both real paths. Durations are milliseconds, None for no limit.
    ``output_schema`` is JSON text. ``must_offer``: what the agent has to offer.
    """

    id: str
    prompt: str
    agent: str
    folder: bytes
    repository: bytes
    base: BaseKind
    expect_changes: ExpectChanges
    deadline_ms: int | None
    idle_ms: int | None
    description: str | None = None
    depends_on: tuple[str, ...] = ()
    writes: tuple[str, ...] | None = None
    env: tuple[str, ...] = ()
    retries: int = 1
    retry_safe: bool = False
    most_runs: int = 4
    model: str | None = None
    thinking: str | None = None
    system_prompt: str | None = None
    output_schema: str | None = None
    attach: tuple[Attachment, ...] = ()
    must_offer: tuple[str, ...] = ()
    access: Access = Access.WRITE
    budget: Budget | None = None
    grace_turns: int = 2
    notices: tuple[Notice, ...] = ()


@frozen
class Valid:
    """A call that can be admitted: its tasks in the order of the call, at least one.

    ``order`` names them dependencies first.
    """

    tasks: tuple[ValidTask, ...]
    order: tuple[str, ...]
    offer: Offer
    max_concurrent: int | None = None
    label: str | None = None
    operation_id: str | None = None
    merge_order: MergeOrder = MergeOrder.TASK
    on_conflict: OnConflict = OnConflict.SET_ASIDE


@frozen
class Problems:
    """Everything that is wrong with a call, at least one thing."""

    problems: tuple[Problem, ...]


def validate(params: DispatchParams, facts: CallFacts) -> Valid | Problems:
    """Decide every task of the call, or tell everything that is wrong with it."""
    needs = {task.id: task.depends_on for task in params.tasks}
    order = topological_order(needs)
    problems = (*_call_problems(params, facts), *_tasks_problems(params, facts, order))
    if problems or isinstance(order, Cyclic):
        return Problems(problems)
    return Valid(
        tasks=tuple(_decided(task, params, facts) for task in params.tasks),
        order=order,
        offer=params.offer or facts.offer,
        max_concurrent=params.max_concurrent,
        label=params.label,
        operation_id=params.operation_id,
        merge_order=params.order or MergeOrder.TASK,
        on_conflict=params.on_conflict or facts.on_conflict,
    )


def _call_problems(params: DispatchParams, facts: CallFacts) -> Iterator[Problem]:
    if not params.tasks:
        yield Problem("tasks", "is empty; name at least one task")
    if len(params.tasks) > facts.tasks_per_call:
        yield Problem(
            "tasks",
            f"has {len(params.tasks)} tasks, more than `limits.tasksPerCall` allows; split the "
            "call or raise that setting",
            (f"1 to {facts.tasks_per_call} tasks",),
        )
    yield from shared_problems("defaults", params.defaults, facts)
    yield from text_problems("brief", params.brief)
    yield from text_problems("label", params.label, longest=LONGEST_LABEL)
    if params.operation_id is not None and not _is_operation_id(params.operation_id):
        yield Problem(
            "operationId", "is not 1 to 64 visible ASCII characters", ("1 to 64 of `!` to `~`",)
        )
    if params.max_concurrent is not None and params.max_concurrent < 1:
        yield Problem("maxConcurrent", "is less than 1", ("a whole number from 1",))
    yield from _token_problems(params)


def _is_operation_id(text: str) -> bool:
    return 1 <= len(text) <= _LONGEST_ID and all("!" <= character <= "~" for character in text)


_LONGEST_ID = 64


def _token_problems(params: DispatchParams) -> Iterator[Problem]:
    if params.wait:
        return
    tokens = {
        "workDoneToken": params.work_done_token,
        "partialResultToken": params.partial_result_token,
    }
    for key, token in tokens.items():
        if token is not None:
            yield Problem(
                key,
                "counts only with `wait: true`, since the answer comes at once without it; "
                "leave it out: the server creates its own progress",
            )


def _tasks_problems(
    params: DispatchParams, facts: CallFacts, order: tuple[str, ...] | Cyclic
) -> Iterator[Problem]:
    first_place: dict[str, int] = {}
    known = tuple(dict.fromkeys(task.id for task in params.tasks))
    for index, task in enumerate(params.tasks):
        path = f"tasks[{index}]"
        yield from _id_problems(path, task, first_place.get(task.id))
        first_place.setdefault(task.id, index)
        yield from _task_problems(path, task, params, facts)
        yield from _need_problems(path, task, known)
    if isinstance(order, Cyclic):
        yield from _cycle_problems(order, first_place)
    for name in dict.fromkeys(_agent(task, params, facts) for task in params.tasks):
        if name is not None and name in facts.agents:
            yield from agent_key_problems("defaults", params.defaults, name, facts.agents[name])


def _id_problems(path: str, task: Task, first: int | None) -> Iterator[Problem]:
    if not ID_FORM.fullmatch(task.id):
        yield Problem(f"{path}.id", "is no task id", ("1 to 64 of A-Za-z0-9._-",))
    if first is not None:
        yield Problem(f"{path}.id", f"is taken by tasks[{first}]: {task.id!r}; ids are unique")


def _task_problems(
    path: str, task: Task, params: DispatchParams, facts: CallFacts
) -> Iterator[Problem]:
    if not task.prompt.strip():
        yield Problem(f"{path}.prompt", "is empty; say what the agent is to do")
    yield from text_problems(f"{path}.prompt", task.prompt)
    yield from text_problems(f"{path}.description", task.description, longest=LONGEST_LABEL)
    yield from shared_problems(path, task, facts)
    agent = _agent(task, params, facts)
    yield from _role_problems(path, task, params, facts)
    if agent is not None:
        if task.agent is None and params.defaults.agent is None:
            yield from agent_problems(f"{path}.agent", agent, facts)
        if agent in facts.agents:
            yield from agent_key_problems(path, task, agent, facts.agents[agent])
        yield from _length_problems(path, _prompt(task, params), agent, facts)
    yield from _folder_and_base_problems(path, task, params, facts)


def _length_problems(path: str, prompt: str, agent: str, facts: CallFacts) -> Iterator[Problem]:
    limit = facts.agents[agent].prompt_bytes if agent in facts.agents else None
    length = len(prompt.encode("utf-8", "surrogatepass"))
    if limit is not None and length > limit:
        yield Problem(
            f"{path}.prompt",
            f"is {length} bytes long with the brief, more than the agent {agent!r} takes; shorten "
            "it, or let the agent read its prompt from a file or from standard input",
            (f"up to {limit} bytes",),
        )


def _folder_and_base_problems(
    path: str, task: Task, params: DispatchParams, facts: CallFacts
) -> Iterator[Problem]:
    inherited = task.cwd is None and params.defaults.cwd is None
    if inherited and facts.folder is None:
        yield Problem(f"{path}.cwd", "is missing, and no folder is open that could stand for it")
    elif inherited and facts.folder is not None:
        # Told at the task: the default folder is the editor's and has no place in the call.
        yield from folder_problems(f"{path}.cwd", facts.folder, facts)
    ready = _ready_folder(task, params, facts)
    if ready and not ready.has_commits and _base(task, params) is BaseKind.HEAD:
        yield Problem(
            f"{path}.base", "is `head`, but the repository has no commit yet", (BaseKind.LIVE,)
        )


def _need_problems(path: str, task: Task, known: tuple[str, ...]) -> Iterator[Problem]:
    others = tuple(each for each in known if each != task.id)
    seen: set[str] = set()
    for index, need in enumerate(task.depends_on):
        where = f"{path}.dependsOn[{index}]"
        if need in seen:
            yield Problem(where, f"names {need!r} a second time")
        elif need == task.id:
            yield Problem(where, "names the task itself", others)
        elif need not in known:
            yield Problem(where, f"names no task of this call: {need!r}", others)
        seen.add(need)


def _cycle_problems(order: Cyclic, places: Mapping[str, int]) -> Iterator[Problem]:
    for cycle in order.cycles:
        if len(cycle) > 1:
            told = " needs ".join((*cycle, cycle[0]))
            yield Problem(
                f"tasks[{places[cycle[0]]}].dependsOn",
                f"is part of a circle, so that none of its tasks could start: {told}",
            )


def _usable(facts: CallFacts) -> tuple[str, ...]:
    return tuple(name for name, fact in facts.agents.items() if fact.why_not is None)


def _agent(task: Task, params: DispatchParams, facts: CallFacts) -> str | None:
    """Tell who would work on a task, as far as that is known, so that all problems are."""
    briefed = _briefed(task, params, facts)
    if isinstance(briefed, NoSuchRole):
        return task.agent or params.defaults.agent
    return briefed.agent


def _briefed(task: Task, params: DispatchParams, facts: CallFacts) -> Briefing | NoSuchRole:
    """Who works on a task and how: its own word, then its role's, then the defaults'."""
    defaults, place = params.defaults, _ready_folder(task, params, facts)
    wish = Wish(
        role=task.role or defaults.role,
        agent=task.agent or defaults.agent,
        model=task.model or defaults.model,
        model_class=task.model_class or defaults.model_class,
        system_prompt=task.system_prompt or defaults.system_prompt,
        tools=task.tools or defaults.tools or (),
        thinking=task.thinking or defaults.thinking,
    )
    definitions = facts.definitions.get(place.repository, ()) if place else ()
    briefed = briefing(wish, definitions, facts.usable)
    if isinstance(briefed, NoSuchRole) or briefed.agent is not None or wish.model_class:
        return briefed
    return evolve(briefed, agent=facts.agent)


def _role_problems(
    path: str, task: Task, params: DispatchParams, facts: CallFacts
) -> Iterator[Problem]:
    briefed = _briefed(task, params, facts)
    if isinstance(briefed, NoSuchRole):
        if _ready_folder(task, params, facts) is not None:
            yield Problem(f"{path}.role", f"names no role: {briefed.role!r}", briefed.valid)
        return
    if briefed.agent is not None:
        return
    model_class = task.model_class or params.defaults.model_class
    role = task.role or params.defaults.role
    if model_class is not None:
        what = f"the class {model_class!r}" + (f" for the role {role!r}" if role else "")
        yield Problem(
            f"{path}.modelClass",
            f"fits no usable agent: none has {what}; name an `agent`, or set "
            "`agents.NAME.modelClass` and `agents.NAME.roles`",
            _usable(facts),
        )
    else:
        yield Problem(f"{path}.agent", "is missing, and there is no default", _usable(facts))


def _base(task: Task, params: DispatchParams) -> BaseKind:
    return task.base or params.defaults.base or BaseKind.LIVE


def _prompt(task: Task, params: DispatchParams) -> str:
    return f"{params.brief}\n\n{task.prompt}" if params.brief else task.prompt


def _ready_folder(task: Task, params: DispatchParams, facts: CallFacts) -> FolderReady | None:
    written = task.cwd if task.cwd is not None else params.defaults.cwd
    path = facts.folder if written is None else folder_path(written)
    if path is None or isinstance(path, BadFolder):
        return None
    fact = facts.folders.get(path)
    return fact if isinstance(fact, FolderReady) else None


def _decided(task: Task, params: DispatchParams, facts: CallFacts) -> ValidTask:
    """Decide a task in which no problem was found."""
    defaults = params.defaults
    schema = defaults.output_schema if task.output_schema is None else task.output_schema
    briefed, place = _briefed(task, params, facts), _ready_folder(task, params, facts)
    if isinstance(briefed, NoSuchRole) or briefed.agent is None or place is None:
        raise ValueError(f"the task {task.id!r} has problems that were not found")
    agent = briefed.agent
    named = task.access or defaults.access
    access = named or (Access.READ if briefed.read_only else Access.WRITE)
    expects = task.expect_changes or defaults.expect_changes
    return ValidTask(
        id=task.id,
        prompt=_prompt(task, params),
        agent=agent,
        folder=place.folder,
        repository=place.repository,
        base=_base(task, params),
        expect_changes=expects
        or (ExpectChanges.OFF if access is Access.READ else facts.expect_changes),
        deadline_ms=task.deadline_ms or defaults.deadline_ms or facts.deadline_ms,
        idle_ms=task.idle_ms or defaults.idle_ms or facts.idle_ms,
        description=task.description,
        depends_on=task.depends_on,
        writes=task.writes if task.writes is not None else defaults.writes,
        env=task.env if task.env is not None else defaults.env or (),
        retries=_first(task.retries, defaults.retries, otherwise=facts.retries),
        retry_safe=_first(task.retry_safe, defaults.retry_safe, otherwise=False),
        most_runs=facts.most_runs,
        model=briefed.model if facts.agents[agent].speaks else None,
        thinking=briefed.thinking if facts.agents[agent].speaks else None,
        must_offer=tuple(
            name
            for name, word in (
                ("model", task.model or defaults.model),
                ("thinking", task.thinking or defaults.thinking),
            )
            if word is not None
        ),
        system_prompt=instructions(briefed) if facts.agents[agent].reads else None,
        access=access,
        budget=task.budget or defaults.budget,
        grace_turns=_first(task.grace_turns, defaults.grace_turns, otherwise=facts.grace_turns),
        output_schema=None if schema is None else json.dumps(schema),
        attach=task.attach,
        notices=unheard_of_a_role(agent, briefed, facts.agents[agent]),
    )


def _first(mine: ValueT | None, default: ValueT | None, *, otherwise: ValueT) -> ValueT:
    if mine is not None:
        return mine
    return otherwise if default is None else default
