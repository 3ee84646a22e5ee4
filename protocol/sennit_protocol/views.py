"""What clients are shown of tickets, tasks and runs: snapshots with a sequence number."""

from __future__ import annotations

from attrs import field, frozen

from sennit_protocol.agents import ToDoEntry, Usage
from sennit_protocol.describe import says
from sennit_protocol.ids import ApplicationId, ProposalId, QuestionId, RevisionId, RunId, TicketId
from sennit_protocol.states import (
    ApplicationState,
    FailureKind,
    Flag,
    Phase,
    QueuedFor,
    RunState,
    Stopped,
    Target,
    TaskState,
    TicketState,
    WaitingFor,
)


@frozen
class Notice:
    """Something that a person should read: why a thing was refused, skipped or decided."""

    message: str = field(metadata=says("What happened, where, and what to do."))
    at: str | None = field(default=None, metadata=says("When, RFC 3339 in UTC."))
    path: str | None = field(default=None, metadata=says("The file that it is about."))


@frozen
class Failure:
    """Why a run or task did not do its work."""

    kind: FailureKind
    message: str = field(metadata=says("What happened, where, and what to do."))
    phase: Phase | None = field(default=None, metadata=says("What a time limit ended."))
    exit_code: int | None = field(default=None, metadata=says("The program's exit code."))
    signal: int | None = field(default=None, metadata=says("Number of the signal that ended it."))


@frozen
class Following:
    """The ended work that something follows; of a task that proposed nothing only its name."""

    ticket: TicketId
    task: str
    proposal: ProposalId | None = None
    revision: RevisionId | None = None


@frozen
class Progress:
    """What a running task is doing, as far as its output tells."""

    phase: str = field(
        metadata=says(
            "`starting`, `running`, `thinking`, or `silent`: nothing for a third of `idleMs`."
        )
    )
    last_line: str | None = field(default=None, metadata=says("The last line of its output."))
    last_tool: str | None = field(default=None, metadata=says("The tool that it used last."))
    tools: int = field(default=0, metadata=says("Calls of tools so far, as far as it tells."))
    to_do: tuple[ToDoEntry, ...] = field(default=(), metadata=says("The agent's own plan."))
    usage: Usage | None = field(default=None, metadata=says("What it used so far."))
    output_bytes: int = field(default=0, metadata=says("Bytes written to its output so far."))
    idle_ms: int = field(default=0, metadata=says("Milliseconds since its last sign of life."))
    elapsed_ms: int = field(default=0, metadata=says("Milliseconds since the run started."))


@frozen
class Question:
    """A question of an agent that waits for the user."""

    id: QuestionId
    text: str
    options: tuple[str, ...] = field(default=(), metadata=says("Answers to choose from."))
    deadline: str | None = field(
        default=None, metadata=says("When the safe answer is given, RFC 3339 in UTC.")
    )
    answer: str | None = field(default=None, metadata=says("The answer that was given."))
    permission: bool = field(
        default=False, metadata=says("Whether the agent asks if it may do something.")
    )


@frozen
class RunView:
    """One run of an agent for a task."""

    id: RunId
    state: RunState
    started_at: str | None = None
    ended_at: str | None = None
    failure: Failure | None = None
    output_bytes: int = 0
    usage: Usage | None = field(default=None, metadata=says("What it used, as far as it tells."))
    tools: int = field(default=0, metadata=says("Calls of tools, as far as it tells."))
    session: str | None = field(default=None, metadata=says("The agent's own name of its session."))
    resumed: bool | None = field(
        default=None,
        metadata=says(
            "Whether it went on with an earlier session, or had to begin anew; absent where "
            "there was none to go on with."
        ),
    )


@frozen
class TaskView:
    """One task as it is now."""

    id: str
    state: TaskState
    agent: str
    description: str | None = None
    queued_for: QueuedFor | None = None
    waiting_for: WaitingFor | None = None
    depends_on: tuple[str, ...] = ()
    cwd: str | None = field(default=None, metadata=says("The user's folder that it is about."))
    runs: tuple[RunView, ...] = ()
    progress: Progress | None = None
    question: Question | None = field(
        default=None, metadata=says("The oldest of `questions`, for those who show one.")
    )
    questions: tuple[Question, ...] = field(
        default=(), metadata=says("All that wait for an answer, oldest first.")
    )
    proposal: ProposalId | None = None
    revision: RevisionId | None = None
    failure: Failure | None = None
    flags: tuple[Flag, ...] = ()
    notices: tuple[Notice, ...] = ()
    result_text: str | None = field(
        default=None,
        metadata=says("The agent's last message, or the end of its output; not in lists."),
    )
    structured: object | None = field(
        default=None, metadata=says("The result that an `outputSchema` was given for.")
    )
    stopped: Stopped | None = field(
        default=None, metadata=says("How far the task had come when it was cancelled.")
    )
    following: Following | None = field(default=None, metadata=says("The work that it follows."))
    followed_by: TicketId | None = field(
        default=None, metadata=says("The ticket of its newest follow-up.")
    )


@frozen
class LeftOutView:
    """A path that the base does not hold."""

    path: str
    reason: str
    detail: str = ""


@frozen
class ManifestView:
    """What a base holds beside the last commit, and what it does not."""

    repository: str = field(metadata=says("The repository's top level as a `file:` URI."))
    head: str | None = field(default=None, metadata=says("The last commit; absent before it."))
    branch: str | None = field(default=None, metadata=says("Absent when HEAD is detached."))
    staged: tuple[str, ...] = ()
    modified: tuple[str, ...] = ()
    deleted: tuple[str, ...] = ()
    untracked: tuple[str, ...] = ()
    unsaved: tuple[str, ...] = ()
    left_out: tuple[LeftOutView, ...] = ()
    left_out_ignored: int = field(default=0, metadata=says("How many ignored paths it lacks."))
    in_progress: str | None = field(
        default=None, metadata=says("An operation of git that waits for the user.")
    )


@frozen
class ApplicationSummary:
    """One application of a ticket, to be undone or looked at; `sennit/retained` lists all."""

    id: ApplicationId
    state: ApplicationState
    target: Target
    at: str
    files: int = field(default=0, metadata=says("How many files it was about."))
    paths: tuple[str, ...] = field(default=(), metadata=says("The first of them."))
    undoes: ApplicationId | None = None
    undone_by: ApplicationId | None = None


@frozen
class TicketSummary:
    """One ticket in a list."""

    id: TicketId
    state: TicketState
    sequence: int = field(metadata=says("Grows with every change; `since` compares with it."))
    created_at: str
    ended_at: str | None = None
    label: str | None = None
    tasks: int = 0
    tasks_final: int = 0
    proposals_pending: int = field(
        default=0, metadata=says("Proposals that wait for a decision or an application.")
    )
    repositories: tuple[str, ...] = field(
        default=(), metadata=says("Top levels of its repositories as `file:` URIs.")
    )
    last_application: ApplicationSummary | None = field(
        default=None, metadata=says("The newest that can be undone; an undo is one too.")
    )
    following: Following | None = field(default=None, metadata=says("The work that it follows."))


@frozen
class TicketView:
    """One ticket in full."""

    id: TicketId
    state: TicketState
    sequence: int
    created_at: str
    ended_at: str | None = None
    label: str | None = None
    tasks: tuple[TaskView, ...] = ()
    bases: tuple[ManifestView, ...] = ()
    notices: tuple[Notice, ...] = ()
    applications: tuple[ApplicationSummary, ...] = field(
        default=(), metadata=says("What was applied of it, oldest first.")
    )
    owned: bool = field(
        default=True, metadata=says("Whether the answering server carries the ticket.")
    )
    following: Following | None = field(default=None, metadata=says("The work that it follows."))
