"""Parameters and results of the methods that act on tickets, runs and the server itself."""

from __future__ import annotations

from enum import StrEnum
from typing import ClassVar

from attrs import field, frozen

from sennit_protocol.describe import says
from sennit_protocol.ids import QuestionId, RunId, TicketId
from sennit_protocol.states import Stopped, TicketState, TrustState, WaitUntil
from sennit_protocol.views import (
    ManifestView,
    Notice,
    Question,
    RunView,
    TaskView,
    TicketSummary,
    TicketView,
)


@frozen
class Nothing:
    """An empty object."""


@frozen
class NotYet:
    """Stands for parameters that this version does not take yet."""


@frozen
class DispatchResult:
    """The ticket that was made; with `wait` as it settled."""

    ticket: TicketId
    state: TicketState
    notices: tuple[Notice, ...] = ()
    view: TicketView | None = field(default=None, metadata=says("The whole, with `wait`."))


@frozen
class PlannedTask:
    """What dispatching a task would do."""

    id: str
    agent: str
    repository: str = field(metadata=says("`file:` URI of the top level."))
    argv: tuple[str, ...] = field(
        default=(), metadata=says("The program and its arguments as they would be started.")
    )
    after: tuple[str, ...] = field(default=(), metadata=says("Tasks that it waits for."))


@frozen
class PreflightResult:
    """What a dispatch of the same call would do; nothing was started."""

    tasks: tuple[PlannedTask, ...]
    bases: tuple[ManifestView, ...]
    notices: tuple[Notice, ...] = ()


@frozen
class TicketsParams:
    """A page of tickets, newest first."""

    limit: int = field(default=100, metadata=says("How many at most, 1 to 1000."))
    before: TicketId | None = field(default=None, metadata=says("Those older than this one."))


@frozen
class TicketsResult:
    """A page of tickets, newest first."""

    tickets: tuple[TicketSummary, ...]
    more: bool = field(default=False, metadata=says("Whether there are older ones."))


@frozen
class TicketParams:
    """Names a ticket."""

    ticket: TicketId
    since: int | None = field(
        default=None, metadata=says("Leave out tasks that have not changed since that sequence.")
    )


@frozen
class WaitParams:
    """Waits for a ticket; a time-out detaches this waiter and nothing else."""

    ticket: TicketId
    until: WaitUntil = WaitUntil.SETTLED
    since: int | None = field(default=None, metadata=says("What counts as known already."))
    timeout_ms: int | None = field(default=None, metadata=says("Milliseconds to wait at most."))


@frozen
class WaitResult:
    """The ticket as it is when the wait ends."""

    view: TicketView
    timed_out: bool = False


@frozen
class CancelParams:
    """Cancels a ticket, or some of its tasks. Without `force` it tells what would be lost."""

    ticket: TicketId
    tasks: tuple[str, ...] | None = field(default=None, metadata=says("All unless said."))
    force: bool = field(default=False, metadata=says("Really cancel."))


@frozen
class CancelledTask:
    """What cancelling does, or would do, to one task."""

    id: str
    stopped: Stopped
    keeps: str = field(metadata=says("What is kept of its work."))


@frozen
class CancelResult:
    """What was cancelled, or what would be."""

    done: bool = field(metadata=says("False for the preview that comes without `force`."))
    tasks: tuple[CancelledTask, ...]
    state: TicketState


@frozen
class AnswerParams:
    """Answers a question; the same answer again is fine."""

    ticket: TicketId
    task: str
    question: QuestionId
    answer: str


@frozen
class AnswerResult:
    """The answer was given, now or before."""

    repeated: bool = field(metadata=says("True when the same answer had been given before."))


@frozen
class ContentParams:
    """Names a text by its `sennit:` URI."""

    uri: str


@frozen
class ContentResult:
    """The text behind a `sennit:` URI."""

    text: str
    binary: bool = field(default=False, metadata=says("Then `text` tells size and hash only."))


class Stream(StrEnum):
    """One of a program's two outputs."""

    STDOUT = "stdout"
    STDERR = "stderr"


@frozen
class OutputParams:
    """A page of an agent's output; without `offset` the end of it."""

    ticket: TicketId
    task: str
    run: RunId | None = field(default=None, metadata=says("The last run unless said."))
    stream: Stream = Stream.STDOUT
    offset: int | None = field(default=None, metadata=says("In bytes from the start."))
    limit: int = field(default=65536, metadata=says("Bytes at most, up to 1 MiB."))


@frozen
class OutputResult:
    """A page of output; what is not UTF-8 is replaced."""

    text: str
    offset: int
    next_offset: int
    total: int
    running: bool = False
    truncated: bool = field(default=False, metadata=says("The program wrote more than is kept."))


@frozen
class RunParams:
    """Names a run of a task; the last one unless said."""

    ticket: TicketId
    task: str
    run: RunId | None = None


@frozen
class RunResult:
    """One run's record."""

    run: RunView
    agent: str
    prompt: str
    argv: tuple[str, ...]
    folder: str
    variables: tuple[str, ...] = field(metadata=says("Names only; values are never kept."))
    output_bytes: int = 0
    error_bytes: int = 0
    exit_code: int | None = None
    signal: int | None = None
    survivors: tuple[int, ...] = field(
        default=(), metadata=says("Ids of processes that could not be ended.")
    )


@frozen
class MaterialiseParams:
    """Names what to check out: a revision or the workspace of a task's last run."""

    ticket: TicketId
    task: str


@frozen
class MaterialiseResult:
    """A plain folder to look around in; it is yours to delete."""

    folder: str


@frozen
class AgentView:
    """One agent of the catalogue."""

    name: str
    kind: str
    usable: bool
    program: str | None = field(default=None, metadata=says("Where the program was found."))
    description: str = ""
    problem: str | None = field(default=None, metadata=says("Why not usable, and what to do."))
    source: str = field(default="", metadata=says("Which settings file names it."))


@frozen
class AgentsResult:
    """The catalogue."""

    agents: tuple[AgentView, ...]


@frozen
class StoryParams:
    """Names a ticket, or one task of it."""

    ticket: TicketId
    task: str | None = None
    limit: int = 1000


@frozen
class StoryEvent:
    """One thing that happened."""

    sequence: int
    at: str
    type: str
    message: str
    task: str | None = None
    cause: str | None = field(default=None, metadata=says("Id of the command behind it."))


@frozen
class StoryResult:
    """What happened, oldest first."""

    events: tuple[StoryEvent, ...]
    more: bool = False


@frozen
class RetainedItem:
    """One thing that is kept."""

    id: str
    kind: str
    ticket: TicketId
    task: str | None = None
    bytes: int = 0
    at: str = ""
    reason: str = field(default="", metadata=says("Why it is kept."))


@frozen
class RetainedResult:
    """What is kept, how large and how old."""

    items: tuple[RetainedItem, ...]
    total_bytes: int = 0


@frozen
class DropParams:
    """Drops kept work for good. A dry run wins over `confirm`."""

    ids: tuple[str, ...] = field(metadata=says("Ids of proposals or tickets."))
    confirm: bool = False
    dry_run: bool = False


@frozen
class DropResult:
    """What was dropped, or would be."""

    done: bool
    items: tuple[RetainedItem, ...]
    kept: tuple[Notice, ...] = field(default=(), metadata=says("What was not, and why."))


@frozen
class GcParams:
    """Collects what nothing needs any more. A dry run wins over `confirm`."""

    confirm: bool = False
    dry_run: bool = False


@frozen
class GcResult:
    """What was collected, or would be."""

    done: bool
    items: tuple[RetainedItem, ...]
    freed_bytes: int = 0
    kept: tuple[Notice, ...] = ()


class TrustAction(StrEnum):
    """What to do about trust."""

    LIST = "list"
    GRANT = "grant"
    REVOKE = "revoke"


@frozen
class TrustParams:
    """Lists, grants or revokes trust in a folder."""

    action: TrustAction = TrustAction.LIST
    folder: str | None = field(
        default=None, metadata=says("`file:` URI or absolute path; needed to grant and revoke.")
    )


@frozen
class TrustedFolder:
    """A folder and what is known of it."""

    folder: str
    state: TrustState
    granted_at: str | None = None
    changed: tuple[str, ...] = field(
        default=(), metadata=says("Files that can start programs and changed since.")
    )


@frozen
class TrustResult:
    """The folders that are trusted, after the action."""

    folders: tuple[TrustedFolder, ...]


class Health(StrEnum):
    """How a part of the machine is."""

    GOOD = "good"
    WARNING = "warning"
    BAD = "bad"


@frozen
class DoctorLine:
    """One thing that was looked at."""

    area: str
    health: Health
    message: str
    advice: str | None = None


@frozen
class DoctorParams:
    """Names the folder to look at, beside the machine."""

    cwd: str | None = None


@frozen
class DoctorResult:
    """What was looked at."""

    lines: tuple[DoctorLine, ...]


@frozen
class AskParams:
    """A question for the user, sent to clients that can ask."""

    ticket: TicketId
    task: str
    question: Question


@frozen
class AskResult:
    """The user's answer; absent when the user turned the question away."""

    answer: str | None = None


@frozen
class TicketChanged:
    """A ticket changed. Some states in between may be left out, the last one never."""

    ticket: TicketSummary


@frozen
class TaskChanged:
    """A task changed. Some states in between may be left out, the last one never."""

    ticket: TicketId
    sequence: int
    task: TaskView


@frozen
class TaskOutput:
    """What an agent wrote, for clients that asked for it."""

    ticket: TicketId
    task: str
    run: RunId
    stream: Stream
    offset: int
    text: str


@frozen
class DidChangeTrustParams:
    """The user's word about the folders of this editor window."""

    LATER_KEYS: ClassVar[frozenset[str]] = frozenset()

    trusted: bool
