"""What a client asks for: tasks, and the call that dispatches them."""

from __future__ import annotations

from enum import StrEnum
from typing import ClassVar

from attrs import field, frozen

from sennit_protocol.describe import says
from sennit_protocol.states import Offer


class WorkspaceKind(StrEnum):
    """Where a task works."""

    ISOLATED = "isolated"
    """A workspace of its own."""
    SCRATCH = "scratch"
    """As `isolated`, and all of it is discarded in the end. Not available in this version."""
    SHARED = "shared"
    """The user's own folder. Not available in this version."""


class BaseKind(StrEnum):
    """What a workspace is made from."""

    LIVE = "live"
    """All that the user sees: the last commit, what was changed since, unsaved documents."""
    HEAD = "head"
    """The last commit."""


class MergeOrder(StrEnum):
    """In which order proposals are merged."""

    TASK = "task"
    """As the tasks stand in the call, dependencies first."""
    FEWEST_CONFLICTS = "fewestConflicts"
    """So that most of them go in."""


class OnConflict(StrEnum):
    """What follows when a proposal conflicts with those before it."""

    SET_ASIDE = "setAside"
    """It is set aside for a person to settle."""
    FOLLOW = "follow"
    """Its agent has one more turn, on what was merged before it, in a task of the same ticket."""


class Access(StrEnum):
    """What a task may do in its workspace."""

    WRITE = "write"
    """It may change files."""
    READ = "read"
    """Its sandbox keeps it from changing files."""


class ExpectChanges(StrEnum):
    """What follows when a task changed nothing."""

    OFF = "off"
    """Nothing."""
    FLAG = "flag"
    """The task is flagged as `unchanged`."""
    FAIL = "fail"
    """The task fails as `noChanges`."""


@frozen
class Attachment:
    """Something that an agent is given beside its prompt: exactly one of its sources is set."""

    label: str | None = field(default=None, metadata=says("What it is, for the agent."))
    uri: str | None = field(
        default=None, metadata=says("A file below the task's repository, as a `file:` URI.")
    )
    start_line: int | None = field(
        default=None,
        metadata=says("The first line of the file to show, from 1; its beginning unless said."),
    )
    end_line: int | None = field(
        default=None, metadata=says("The last line of it to show; its end unless said.")
    )
    text: str | None = field(
        default=None, metadata=says("Any text: a selection, diagnostics, a log.")
    )
    image: str | None = field(
        default=None, metadata=says("A picture as base64, 16777216 characters at most.")
    )
    mime_type: str | None = field(
        default=None, metadata=says("Of the picture, and needed for it: `image/png`.")
    )
    proposal: str | None = field(
        default=None,
        metadata=says("Id of an earlier proposal: its task, its files, its result text."),
    )


@frozen
class Budget:
    """What a run may use up; only what the agent can tell can be limited."""

    turns: int | None = field(
        default=None,
        metadata=says("Calls of the model, or of tools where only those are told; more than 0."),
    )
    tokens: int | None = field(
        default=None, metadata=says("Tokens read and written, cached ones too; more than 0.")
    )
    cost: float | None = field(
        default=None, metadata=says("Money, in the agent's currency; more than 0.")
    )
    time_ms: int | None = field(
        default=None, metadata=says("Milliseconds since its start; more than 0.")
    )


_AGENT_OF_TASK = says(
    "Name of the agent that does the work, as `sennit/agents` lists it; left out, `role` or "
    "`modelClass` chooses one."
)
_WORKSPACE = says("Where the task works; `isolated` unless said.")
_CWD = says(
    "Folder of the task as a `file:` URI or an absolute path; decides the repository. The client's "
    "first folder unless said."
)
_BASE = says("What the workspace is made from; `live` unless said.")
_WRITES = says(
    "Globs of the paths that the task means to change, 256 at most; changes of others are flagged."
)
_DEADLINE_MS = says(
    "Milliseconds that a run may take, 1 to 86400000; the setting `task.deadlineMs` unless said."
)
_IDLE_MS = says(
    "Milliseconds without a sign of life before a run is ended, 1 to 86400000; the setting "
    "`task.idleMs` unless said."
)
_EXPECT_CHANGES = says(
    "What follows when nothing was changed; the setting `task.expectChanges` unless said, and "
    "`off` with `access: read`."
)
_ENV = says("Names of environment variables that the agent gets beside the usual.")
_MODEL = says("The model, by the agent's own name; for agents of kind `acp`, refused for others.")
_THINKING = says(
    "How much the model thinks, by the agent's own name; for agents of kind `acp`, refused for "
    "others."
)
_SYSTEM_PROMPT = says(
    "Instructions that stand before the prompt; refused where the agent reads none."
)
_ROLE = says(
    "A way to work, by the name of a definition that `sennit/agents` lists; it also chooses the "
    "agent where none is named. An agent that reads no prompt takes only its own `roles`."
)
_MODEL_CLASS = says("Chooses an agent that has this class of model, where none is named.")
_TOOLS = says("Tools that the agent is told to keep to; refused where it reads no prompt.")
_BUDGET = says("What a run may use up; then it ends as `partial`.")
_GRACE_TURNS = says(
    "Turns to wrap up in once the budget is spent, 0 to 20; the setting `task.graceTurns` unless "
    "said."
)
_ACCESS = says(
    "`write` unless said or the definition of its `role` only reads; `read` needs a sandbox."
)
_RETRIES = says(
    "How often a run that failed without a trace is done again, 0 to 5; the setting `task.retries` "
    "unless said."
)
_RETRY_SAFE = says("Whether a run that may have run programs can be done again; false unless said.")
_OUTPUT_SCHEMA = says(
    "JSON Schema that the agent's last message has to fit; refused where it reads no prompt."
)


@frozen
class TaskDefaults:
    """Keys of a task that count for every task of the call which does not set them itself."""

    LATER_KEYS: ClassVar[frozenset[str]] = frozenset({
        "candidates", "fallbackModels",
    })  # fmt: skip

    agent: str | None = field(default=None, metadata=_AGENT_OF_TASK)
    workspace: WorkspaceKind | None = field(default=None, metadata=_WORKSPACE)
    cwd: str | None = field(default=None, metadata=_CWD)
    base: BaseKind | None = field(default=None, metadata=_BASE)
    writes: tuple[str, ...] | None = field(default=None, metadata=_WRITES)
    deadline_ms: int | None = field(default=None, metadata=_DEADLINE_MS)
    idle_ms: int | None = field(default=None, metadata=_IDLE_MS)
    expect_changes: ExpectChanges | None = field(default=None, metadata=_EXPECT_CHANGES)
    env: tuple[str, ...] | None = field(default=None, metadata=_ENV)
    model: str | None = field(default=None, metadata=_MODEL)
    thinking: str | None = field(default=None, metadata=_THINKING)
    system_prompt: str | None = field(default=None, metadata=_SYSTEM_PROMPT)
    role: str | None = field(default=None, metadata=_ROLE)
    model_class: str | None = field(default=None, metadata=_MODEL_CLASS)
    tools: tuple[str, ...] | None = field(default=None, metadata=_TOOLS)
    budget: Budget | None = field(default=None, metadata=_BUDGET)
    grace_turns: int | None = field(default=None, metadata=_GRACE_TURNS)
    access: Access | None = field(default=None, metadata=_ACCESS)
    retries: int | None = field(default=None, metadata=_RETRIES)
    retry_safe: bool | None = field(default=None, metadata=_RETRY_SAFE)
    output_schema: dict[str, object] | None = field(default=None, metadata=_OUTPUT_SCHEMA)


@frozen
class Task:
    """One piece of work for one agent."""

    LATER_KEYS: ClassVar[frozenset[str]] = TaskDefaults.LATER_KEYS | {
        "agents", "outputFile",
    }  # fmt: skip

    id: str = field(metadata=says("1 to 64 of `A-Za-z0-9._-`, unique in the call."))
    prompt: str = field(metadata=says("What the agent is asked to do."))
    description: str | None = field(
        default=None, metadata=says("A label for people, 200 characters at most.")
    )
    agent: str | None = field(default=None, metadata=_AGENT_OF_TASK)
    workspace: WorkspaceKind | None = field(default=None, metadata=_WORKSPACE)
    cwd: str | None = field(default=None, metadata=_CWD)
    depends_on: tuple[str, ...] = field(
        default=(), metadata=says("Ids of tasks of this call whose results this one builds on.")
    )
    base: BaseKind | None = field(default=None, metadata=_BASE)
    writes: tuple[str, ...] | None = field(default=None, metadata=_WRITES)
    deadline_ms: int | None = field(default=None, metadata=_DEADLINE_MS)
    idle_ms: int | None = field(default=None, metadata=_IDLE_MS)
    expect_changes: ExpectChanges | None = field(default=None, metadata=_EXPECT_CHANGES)
    env: tuple[str, ...] | None = field(default=None, metadata=_ENV)
    model: str | None = field(default=None, metadata=_MODEL)
    thinking: str | None = field(default=None, metadata=_THINKING)
    system_prompt: str | None = field(default=None, metadata=_SYSTEM_PROMPT)
    role: str | None = field(default=None, metadata=_ROLE)
    model_class: str | None = field(default=None, metadata=_MODEL_CLASS)
    tools: tuple[str, ...] | None = field(default=None, metadata=_TOOLS)
    budget: Budget | None = field(default=None, metadata=_BUDGET)
    grace_turns: int | None = field(default=None, metadata=_GRACE_TURNS)
    access: Access | None = field(default=None, metadata=_ACCESS)
    retries: int | None = field(default=None, metadata=_RETRIES)
    retry_safe: bool | None = field(default=None, metadata=_RETRY_SAFE)
    output_schema: dict[str, object] | None = field(default=None, metadata=_OUTPUT_SCHEMA)
    attach: tuple[Attachment, ...] = field(
        default=(), metadata=says("What the agent is given beside its prompt, as data; at most 64.")
    )
    resume: str | None = field(
        default=None,
        metadata=says(
            "An earlier session to go on with: `TICKET/TASK` of an ended task, or the "
            "agent's own name of it; a new one unless said."
        ),
    )


@frozen(kw_only=True)
class CallKeys:
    """What is said of a call whatever it asks for."""

    operation_id: str | None = field(
        default=None,
        metadata=says(
            "1 to 64 visible ASCII characters: the same request under it gives the same "
            "ticket, another one is refused."
        ),
    )
    label: str | None = field(
        default=None, metadata=says("A name for people, 200 characters at most.")
    )
    offer: Offer | None = field(
        default=None,
        metadata=says("When proposals are offered; the setting `review.offer` unless said."),
    )
    wait: bool = field(
        default=False,
        metadata=says(
            "Whether the answer comes only when the ticket has settled; false unless said."
        ),
    )
    work_done_token: str | int | None = field(
        default=None,
        metadata=says(
            "LSP's token for progress. Refused without `wait`: the server makes its own."
        ),
    )
    partial_result_token: str | int | None = field(
        default=None,
        metadata=says(
            "LSP's token for partial results; refused without `wait`. Nothing is sent under it, so "
            "that the answer is whole; `sennit/taskChanged` tells each task as it ends."
        ),
    )


@frozen
class DispatchParams(CallKeys):
    """A call: tasks that belong together, and how their results are offered."""

    LATER_KEYS: ClassVar[frozenset[str]] = frozenset({
        "approval", "checks", "coalesce", "onFailure", "serialise",
    })  # fmt: skip

    tasks: tuple[Task, ...] = field(
        metadata=says("In the order of reconciliation; 1 to `limits.tasksPerCall`.")
    )
    defaults: TaskDefaults = field(
        factory=TaskDefaults, metadata=says("Keys for every task that does not set them itself.")
    )
    brief: str | None = field(
        default=None,
        metadata=says("A preamble put before the prompt of every task that is read as words."),
    )
    max_concurrent: int | None = field(
        default=None,
        metadata=says(
            "How many tasks of this call run at once, from 1; only the limits unless said."
        ),
    )
    order: MergeOrder | None = field(
        default=None, metadata=says("In which order proposals are merged; `task` unless said.")
    )
    on_conflict: OnConflict | None = field(
        default=None,
        metadata=says(
            "What follows when a proposal conflicts; the setting `review.onConflict` unless said."
        ),
    )
