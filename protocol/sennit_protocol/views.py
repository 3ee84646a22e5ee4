"""What clients are shown of tickets, tasks and runs: snapshots with a sequence number."""

from __future__ import annotations

from attrs import field, frozen

from sennit_protocol.agents import ToDoEntry, Usage
from sennit_protocol.describe import (
    AGENT,
    APPLICATION,
    LABEL_OF_CALL,
    LABEL_OF_TASK,
    QUESTION,
    RUN,
    SEQUENCE,
    TASK,
    TICKET,
    says,
)
from sennit_protocol.ids import ApplicationId, ProposalId, QuestionId, RevisionId, RunId, TicketId
from sennit_protocol.manifests import ManifestView
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
    at: str | None = field(
        default=None,
        metadata=says("When. Reserved: `sennit/story` tells when something happened."),
    )
    path: str | None = field(
        default=None,
        metadata=says("The file that it is about, for people; absent where it is about none."),
    )


@frozen
class Failure:
    """Why a run or task did not do its work."""

    kind: FailureKind = field(metadata=says("What kind of reason."))
    message: str = field(metadata=says("What happened, where, and what to do."))
    phase: Phase | None = field(
        default=None, metadata=says("With `timeout`: what the time limit ended.")
    )
    exit_code: int | None = field(
        default=None, metadata=says("Exit code of the program, where it ended with one.")
    )
    signal: int | None = field(
        default=None, metadata=says("Number of the signal that ended the program, where one did.")
    )


@frozen
class Following:
    """The ended work that something follows; of a task that proposed nothing only its name."""

    ticket: TicketId = field(metadata=says("Id of the ticket of the work that is followed."))
    task: str = field(metadata=says("Id of its task."))
    proposal: ProposalId | None = field(
        default=None,
        metadata=says("Id of what it proposed; absent where that was nothing, or dropped."),
    )
    revision: RevisionId | None = field(
        default=None, metadata=says("Id of the newest revision by then.")
    )


@frozen
class Progress:
    """What a running task is doing, as far as its output tells."""

    phase: str = field(
        metadata=says(
            "`starting`, `running`, `thinking`, or `silent`: nothing for a third of `idleMs`."
        )
    )
    last_line: str | None = field(
        default=None,
        metadata=says("The last line of its output or words, or its last tool; absent before."),
    )
    last_tool: str | None = field(
        default=None,
        metadata=says("The tool that it used last, in its own words; absent before the first."),
    )
    tools: int = field(default=0, metadata=says("Calls of tools so far, as far as it tells."))
    to_do: tuple[ToDoEntry, ...] = field(default=(), metadata=says("The agent's own plan."))
    usage: Usage | None = field(
        default=None, metadata=says("What it used so far; absent where it does not tell.")
    )
    kept_bytes: int = field(
        default=0, metadata=says("Bytes of both of its outputs that are kept so far.")
    )
    idle_ms: int = field(default=0, metadata=says("Milliseconds since its last sign of life."))
    elapsed_ms: int = field(default=0, metadata=says("Milliseconds since the run started."))


@frozen
class Question:
    """A question of an agent; it waits for the user until it is `closed`."""

    id: QuestionId = field(metadata=QUESTION)
    text: str = field(metadata=says("What is asked, for a person."))
    options: tuple[str, ...] = field(
        default=(), metadata=says("Answers to choose from; empty where any text is one.")
    )
    deadline: str | None = field(
        default=None,
        metadata=says("When the safe answer is given: not allowed, or none at all."),
    )
    answer: str | None = field(
        default=None,
        metadata=says(
            "The answer that a person gave; absent while it waits for one, and where nobody gave "
            "one."
        ),
    )
    permission: bool = field(
        default=False,
        metadata=says(
            "Whether the agent asks if it may do something; `Allow once` alone allows it."
        ),
    )
    closed: str | None = field(
        default=None,
        metadata=says("Why it waits no more, for a person; absent while it waits."),
    )


@frozen
class RunView:
    """One run of an agent for a task."""

    id: RunId = field(metadata=RUN)
    state: RunState = field(metadata=says("Where it is."))
    started_at: str | None = field(
        default=None, metadata=says("When its program began; absent before that.")
    )
    ended_at: str | None = field(default=None, metadata=says("When it ended; absent before that."))
    failure: Failure | None = field(
        default=None,
        metadata=says("Why it did not do its work; absent where it did, and before it has ended."),
    )
    written_bytes: int = field(
        default=0,
        metadata=says("Bytes that it wrote to both outputs, kept or not; 0 before it has ended."),
    )
    usage: Usage | None = field(
        default=None, metadata=says("What it used, as far as it tells; known once it has ended.")
    )
    tools: int = field(
        default=0, metadata=says("Calls of tools, as far as it tells; known once it has ended.")
    )
    session: str | None = field(
        default=None,
        metadata=says(
            "The agent's own name of its session; absent before it is known, and where it has none."
        ),
    )
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

    id: str = field(metadata=TASK)
    state: TaskState = field(metadata=says("Where it is."))
    agent: str = field(metadata=AGENT)
    description: str | None = field(default=None, metadata=LABEL_OF_TASK)
    queued_for: QueuedFor | None = field(
        default=None, metadata=says("With `queued`: what it waits for.")
    )
    waiting_for: WaitingFor | None = field(
        default=None, metadata=says("With `waiting`: what it waits for.")
    )
    depends_on: tuple[str, ...] = field(
        default=(), metadata=says("Ids of the tasks of its ticket that it builds on.")
    )
    cwd: str | None = field(
        default=None, metadata=says("`file:` URI of the user's folder that it is about.")
    )
    runs: tuple[RunView, ...] = field(default=(), metadata=says("All of them, oldest first."))
    progress: Progress | None = field(
        default=None,
        metadata=says(
            "What its last run does; absent unless that is at work for the answering server."
        ),
    )
    question: Question | None = field(
        default=None,
        metadata=says("The oldest of `questions`, if any, for those who show one."),
    )
    questions: tuple[Question, ...] = field(
        default=(), metadata=says("All that wait for an answer, oldest first.")
    )
    closed_questions: tuple[Question, ...] = field(
        default=(), metadata=says("Those that wait no more, oldest first; the last 20 of them.")
    )
    proposal: ProposalId | None = field(
        default=None,
        metadata=says("Id of the proposal that it made or gave a revision; absent before that."),
    )
    revision: RevisionId | None = field(
        default=None,
        metadata=says("Id of the revision that it made; follow-ups may have made newer ones."),
    )
    failure: Failure | None = field(
        default=None,
        metadata=says("Why it did not do its work; absent where it did, and before it has ended."),
    )
    flags: tuple[Flag, ...] = field(
        default=(), metadata=says("What else a person should know of it.")
    )
    notices: tuple[Notice, ...] = field(
        default=(), metadata=says("What a person should read about it.")
    )
    result_text: str | None = field(
        default=None,
        metadata=says(
            "The agent's last message, or the end of its output; not in `sennit/taskChanged`."
        ),
    )
    structured: object | None = field(
        default=None,
        metadata=says("The result that an `outputSchema` was given for, if there is one."),
    )
    stopped: Stopped | None = field(
        default=None,
        metadata=says("How far the task had come when it was cancelled; absent where it was not."),
    )
    following: Following | None = field(
        default=None, metadata=says("The work that it follows; absent where it follows none.")
    )
    followed_by: TicketId | None = field(
        default=None,
        metadata=says("Id of the ticket of its newest follow-up; absent where there is none."),
    )


@frozen
class ApplicationSummary:
    """One application of a ticket, to be undone or looked at; `sennit/retained` lists all."""

    id: ApplicationId = field(metadata=APPLICATION)
    state: ApplicationState = field(metadata=says("What became of it."))
    target: Target = field(metadata=says("Where it went."))
    at: str = field(metadata=says("When it began."))
    files: int = field(default=0, metadata=says("How many files it was about."))
    paths: tuple[str, ...] = field(
        default=(), metadata=says("The first 20 of these files, for people.")
    )
    undoes: ApplicationId | None = field(
        default=None,
        metadata=says("Id of the application that it takes back; absent where it is no undo."),
    )
    undone_by: ApplicationId | None = field(
        default=None,
        metadata=says("Id of the application that took it back; absent where none did."),
    )


@frozen
class TicketSummary:
    """One ticket in a list."""

    id: TicketId = field(metadata=TICKET)
    state: TicketState = field(metadata=says("Where it is."))
    sequence: int = field(metadata=SEQUENCE)
    created_at: str = field(metadata=says("When it was dispatched."))
    ended_at: str | None = field(
        default=None, metadata=says("When it settled; absent before that.")
    )
    label: str | None = field(default=None, metadata=LABEL_OF_CALL)
    tasks: int = field(default=0, metadata=says("How many tasks it has."))
    tasks_final: int = field(default=0, metadata=says("How many of them are final."))
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
    made: int = field(
        default=0,
        metadata=says("Higher than that of every ticket before it, whatever the clock said."),
    )


@frozen
class TicketView:
    """One ticket in full."""

    id: TicketId = field(metadata=TICKET)
    state: TicketState = field(metadata=says("Where it is."))
    sequence: int = field(metadata=SEQUENCE)
    created_at: str = field(metadata=says("When it was dispatched."))
    ended_at: str | None = field(
        default=None, metadata=says("When it settled; absent before that.")
    )
    label: str | None = field(default=None, metadata=LABEL_OF_CALL)
    tasks: tuple[TaskView, ...] = field(
        default=(), metadata=says("In the order of the call; with `since` those that have changed.")
    )
    bases: tuple[ManifestView, ...] = field(
        default=(),
        metadata=says(
            "What its workspaces begin with, one for each repository and `base`, once taken."
        ),
    )
    notices: tuple[Notice, ...] = field(
        default=(), metadata=says("What a person should read about the whole ticket.")
    )
    applications: tuple[ApplicationSummary, ...] = field(
        default=(), metadata=says("What was applied of it and taken back, oldest first.")
    )
    owned: bool = field(
        default=True,
        metadata=says(
            "Whether the answering server carries the ticket: it alone can speak with its agents."
        ),
    )
    following: Following | None = field(default=None, metadata=says("The work that it follows."))
    made: int = field(
        default=0,
        metadata=says("Higher than that of every ticket before it, whatever the clock said."),
    )
