"""What a client asks for: tasks, and the call that dispatches them."""

from __future__ import annotations

from enum import StrEnum
from typing import ClassVar

from attrs import field, frozen

from sennit_protocol.describe import says
from sennit_protocol.states import Offer


class WorkspaceKind(StrEnum):
    """Where a task works: in a workspace of its own, a disposable one, or the user's tree."""

    ISOLATED = "isolated"
    SCRATCH = "scratch"
    SHARED = "shared"


class BaseKind(StrEnum):
    """What a workspace is made from: all that the user sees, or the last commit."""

    LIVE = "live"
    HEAD = "head"


class MergeOrder(StrEnum):
    """In which order proposals are merged: as given, or so that most of them go in."""

    TASK = "task"
    FEWEST_CONFLICTS = "fewestConflicts"


class OnConflict(StrEnum):
    """What follows when a proposal conflicts with those before it.

    ``SET_ASIDE``: a person settles it. ``FOLLOW``: its agent has one more turn, on what was merged
    before it, in a task of the same ticket.
    """

    SET_ASIDE = "setAside"
    FOLLOW = "follow"


class Access(StrEnum):
    """What a task may do in its workspace."""

    WRITE = "write"
    READ = "read"


class ExpectChanges(StrEnum):
    """What follows when a task changed nothing."""

    OFF = "off"
    FLAG = "flag"
    FAIL = "fail"


@frozen
class Attachment:
    """Something that an agent is given beside its prompt: exactly one of its sources is set."""

    label: str | None = field(default=None, metadata=says("What it is, for the agent."))
    uri: str | None = field(
        default=None, metadata=says("A file below the task's repository, as a `file:` URI.")
    )
    start_line: int | None = field(
        default=None, metadata=says("The first line of the file to show, from 1.")
    )
    end_line: int | None = field(default=None, metadata=says("The last line of it."))
    text: str | None = field(
        default=None, metadata=says("Any text: a selection, diagnostics, a log.")
    )
    image: str | None = field(default=None, metadata=says("A picture as base64."))
    mime_type: str | None = field(default=None, metadata=says("Of the picture: `image/png`."))
    proposal: str | None = field(
        default=None, metadata=says("An earlier proposal: its task, its files, its result text.")
    )


@frozen
class Budget:
    """What a run may use up; only what the agent can tell can be limited."""

    turns: int | None = field(
        default=None, metadata=says("Calls of the model, or of tools where only those are told.")
    )
    tokens: int | None = field(default=None, metadata=says("Tokens read and written."))
    cost: float | None = field(default=None, metadata=says("Money, in the agent's currency."))
    time_ms: int | None = field(default=None, metadata=says("Milliseconds since its start."))


@frozen
class TaskDefaults:
    """Keys of a task that count for every task of the call which does not set them itself."""

    LATER_KEYS: ClassVar[frozenset[str]] = frozenset({
        "candidates", "fallbackModels",
    })  # fmt: skip

    agent: str | None = field(default=None, metadata=says("Name of the agent that does the work."))
    workspace: WorkspaceKind | None = field(
        default=None, metadata=says("Where the task works; `isolated` unless said otherwise.")
    )
    cwd: str | None = field(
        default=None,
        metadata=says("Folder of the task as a `file:` URI or an absolute path; decides the repo."),
    )
    base: BaseKind | None = field(
        default=None, metadata=says("What the workspace is made from; `live` unless said.")
    )
    writes: tuple[str, ...] | None = field(
        default=None,
        metadata=says("Globs of the paths that the task means to change; others are flagged."),
    )
    deadline_ms: int | None = field(
        default=None, metadata=says("Milliseconds that a run may take; no limit unless said.")
    )
    idle_ms: int | None = field(
        default=None, metadata=says("Milliseconds without a sign of life before a run is ended.")
    )
    expect_changes: ExpectChanges | None = field(
        default=None, metadata=says("What follows when nothing was changed; `flag` unless said.")
    )
    env: tuple[str, ...] | None = field(
        default=None,
        metadata=says("Names of environment variables that the agent gets beside the usual."),
    )
    model: str | None = field(
        default=None, metadata=says("The model, by the agent's own name; of agents that offer it.")
    )
    thinking: str | None = field(
        default=None, metadata=says("How much the model thinks, by the agent's own name.")
    )
    system_prompt: str | None = field(
        default=None, metadata=says("Instructions that stand before the prompt.")
    )
    role: str | None = field(
        default=None, metadata=says("A way to work, by the name of its definition; see the guide.")
    )
    model_class: str | None = field(
        default=None, metadata=says("Chooses an agent that has this class of model.")
    )
    tools: tuple[str, ...] | None = field(
        default=None, metadata=says("Tools that the agent is told to keep to.")
    )
    budget: Budget | None = field(
        default=None, metadata=says("What a run may use up; then it ends as `partial`.")
    )
    grace_turns: int | None = field(
        default=None, metadata=says("Turns to wrap up in once the budget is spent.")
    )
    access: Access | None = field(
        default=None, metadata=says("`write` unless said; `read` needs a sandbox to hold it.")
    )
    retries: int | None = field(
        default=None, metadata=says("How often a run that failed without a trace is done again.")
    )
    retry_safe: bool | None = field(
        default=None, metadata=says("Whether a run that may have run programs can be done again.")
    )
    output_schema: dict[str, object] | None = field(
        default=None, metadata=says("JSON Schema that the agent's last message has to fit.")
    )


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
    agent: str | None = field(default=None, metadata=says("Name of the agent that does the work."))
    workspace: WorkspaceKind | None = field(
        default=None, metadata=says("Where the task works; `isolated` unless said otherwise.")
    )
    cwd: str | None = field(
        default=None,
        metadata=says("Folder of the task as a `file:` URI or an absolute path; decides the repo."),
    )
    depends_on: tuple[str, ...] = field(
        default=(), metadata=says("Ids of tasks of this call whose results this one builds on.")
    )
    base: BaseKind | None = field(
        default=None, metadata=says("What the workspace is made from; `live` unless said.")
    )
    writes: tuple[str, ...] | None = field(
        default=None,
        metadata=says("Globs of the paths that the task means to change; others are flagged."),
    )
    deadline_ms: int | None = field(
        default=None, metadata=says("Milliseconds that a run may take; no limit unless said.")
    )
    idle_ms: int | None = field(
        default=None, metadata=says("Milliseconds without a sign of life before a run is ended.")
    )
    expect_changes: ExpectChanges | None = field(
        default=None, metadata=says("What follows when nothing was changed; `flag` unless said.")
    )
    env: tuple[str, ...] | None = field(
        default=None,
        metadata=says("Names of environment variables that the agent gets beside the usual."),
    )
    model: str | None = field(
        default=None, metadata=says("The model, by the agent's own name; of agents that offer it.")
    )
    thinking: str | None = field(
        default=None, metadata=says("How much the model thinks, by the agent's own name.")
    )
    system_prompt: str | None = field(
        default=None, metadata=says("Instructions that stand before the prompt.")
    )
    role: str | None = field(
        default=None, metadata=says("A way to work, by the name of its definition; see the guide.")
    )
    model_class: str | None = field(
        default=None, metadata=says("Chooses an agent that has this class of model.")
    )
    tools: tuple[str, ...] | None = field(
        default=None, metadata=says("Tools that the agent is told to keep to.")
    )
    budget: Budget | None = field(
        default=None, metadata=says("What a run may use up; then it ends as `partial`.")
    )
    grace_turns: int | None = field(
        default=None, metadata=says("Turns to wrap up in once the budget is spent.")
    )
    access: Access | None = field(
        default=None, metadata=says("`write` unless said; `read` needs a sandbox to hold it.")
    )
    retries: int | None = field(
        default=None, metadata=says("How often a run that failed without a trace is done again.")
    )
    retry_safe: bool | None = field(
        default=None, metadata=says("Whether a run that may have run programs can be done again.")
    )
    output_schema: dict[str, object] | None = field(
        default=None, metadata=says("JSON Schema that the agent's last message has to fit.")
    )
    attach: tuple[Attachment, ...] = field(
        default=(), metadata=says("What the agent is given beside its prompt, as data.")
    )
    resume: str | None = field(
        default=None,
        metadata=says(
            "An earlier session to go on with: `TICKET/TASK` of an ended task, or the agent's own "
            "name of it."
        ),
    )


@frozen(kw_only=True)
class CallKeys:
    """What is said of a call whatever it asks for."""

    operation_id: str | None = field(
        default=None,
        metadata=says("1 to 64 characters: the same request again gives the same ticket."),
    )
    label: str | None = field(default=None, metadata=says("A name for people."))
    offer: Offer | None = field(
        default=None, metadata=says("When proposals are offered; the setting `review.offer`.")
    )
    wait: bool = field(
        default=False, metadata=says("Whether the answer comes only when the ticket has settled.")
    )
    work_done_token: str | int | None = field(
        default=None, metadata=says("LSP's token for progress; counts only with `wait`.")
    )
    partial_result_token: str | int | None = field(
        default=None, metadata=says("LSP's token for partial results; counts only with `wait`.")
    )


@frozen
class DispatchParams(CallKeys):
    """A call: tasks that belong together, and how their results are offered."""

    LATER_KEYS: ClassVar[frozenset[str]] = frozenset({
        "approval", "checks", "coalesce", "onFailure", "serialise",
    })  # fmt: skip

    tasks: tuple[Task, ...] = field(metadata=says("The tasks, in the order of reconciliation."))
    defaults: TaskDefaults = field(
        factory=TaskDefaults, metadata=says("Keys for every task that does not set them itself.")
    )
    brief: str | None = field(
        default=None, metadata=says("A preamble put before the prompt of every task.")
    )
    max_concurrent: int | None = field(
        default=None, metadata=says("How many tasks of this call run at once, beside the limits.")
    )
    order: MergeOrder | None = field(
        default=None,
        metadata=says("In which order proposals are merged; as the tasks stand unless said."),
    )
    on_conflict: OnConflict | None = field(
        default=None,
        metadata=says("What follows when a proposal conflicts; the setting `review.onConflict`."),
    )
