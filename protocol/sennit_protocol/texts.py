"""Parameters and results of the methods that give texts and records behind tickets."""

from __future__ import annotations

from enum import StrEnum

from attrs import field, frozen

from sennit_protocol.describe import AGENT, RUN_OR_LAST, TASK, TICKET, says
from sennit_protocol.ids import RunId, TicketId
from sennit_protocol.views import (
    RunView,
)


@frozen
class ContentParams:
    """Names a text by its `sennit:` URI."""

    uri: str = field(
        metadata=says(
            "From an answer, or `sennit://ticket/TICKET/task/TASK/TEXT` with the last word "
            "`output`, `errors`, `transcript`, `prompt` or `story`."
        )
    )


@frozen
class ContentResult:
    """The text behind a `sennit:` URI."""

    text: str = field(
        metadata=says(
            "The text, what is not UTF-8 replaced; of output the last 1 MiB, of a story 1000 lines."
        )
    )
    binary: bool = field(
        default=False, metadata=says("Whether it is no text: then `text` tells its size and hash.")
    )


class Stream(StrEnum):
    """What a program has written."""

    STDOUT = "stdout"
    """For people: its standard output, or what it told there in a format for programs, in words."""
    STDERR = "stderr"
    """Its error output."""
    RAW = "raw"
    """The exact bytes of its standard output."""


@frozen
class OutputParams:
    """A page of an agent's output; without `offset` the end of it."""

    ticket: TicketId = field(metadata=TICKET)
    task: str = field(metadata=TASK)
    run: RunId | None = field(default=None, metadata=RUN_OR_LAST)
    stream: Stream = field(
        default=Stream.STDOUT, metadata=says("Which output; `stdout` unless said.")
    )
    offset: int | None = field(
        default=None,
        metadata=says("Where to begin, in bytes from the start; without it the end is given."),
    )
    limit: int = field(
        default=65536, metadata=says("Bytes at most, 1 to 1048576; 65536 unless said.")
    )


@frozen
class OutputResult:
    """A page of output; what is not UTF-8 is replaced.

    Paths in the workspace are spelled as those of the user's repository, but not in `raw`. Offsets
    are of what the agent wrote: the length of a text says nothing of them.
    """

    text: str = field(metadata=says("What was written there; what is not UTF-8 is replaced."))
    offset: int = field(metadata=says("Where the page begins, in bytes from the start."))
    next_offset: int = field(metadata=says("The `offset` of the page after it."))
    total: int = field(metadata=says("How many bytes there are by now."))
    running: bool = field(
        default=False, metadata=says("Whether the run goes on, so that there may be more.")
    )
    truncated: bool = field(
        default=False,
        metadata=says(
            "Whether more was written than `limits.output.fileBytes`; known once it has ended."
        ),
    )


@frozen
class RunParams:
    """Names a run of a task; the last one unless said."""

    ticket: TicketId = field(metadata=TICKET)
    task: str = field(metadata=TASK)
    run: RunId | None = field(default=None, metadata=RUN_OR_LAST)


@frozen
class RunSandbox:
    """What confined a run, as it really was."""

    wanted: str = field(
        metadata=says(
            "What its agent or the setting `sandbox` asks for: `required`, `preferred` or `off`."
        )
    )
    confined: bool = field(metadata=says("Whether it was in a sandbox."))
    why_not: str | None = field(
        default=None, metadata=says("Why it was not confined; absent where it was.")
    )
    workspace_writable: bool = field(
        default=True,
        metadata=says("Whether it could write to its workspace; with `access: read` it could not."),
    )
    writable: tuple[str, ...] = field(
        default=(), metadata=says("Folders that it could write to beside its workspace.")
    )
    left_out: tuple[str, ...] = field(
        default=(), metadata=says("Folders that it was to write to and could not, and why.")
    )


@frozen
class RunWorkspace:
    """How the workspace of a run was made."""

    kind: str = field(metadata=says("As the setting `workspace.kind` names it."))
    refused: tuple[str, ...] = field(
        default=(), metadata=says("Kinds that come before it, each with why it was not taken.")
    )


@frozen
class RunResult:
    """One run's record."""

    run: RunView = field(metadata=says("How it is now."))
    agent: str = field(metadata=AGENT)
    prompt: str = field(
        metadata=says("All that the agent was told; the task's own prompt before that was made.")
    )
    argv: tuple[str, ...] = field(
        metadata=says(
            "Its program and arguments as they were started; as they are configured before that."
        )
    )
    folder: str = field(
        metadata=says("Absolute path of the folder in which it works; empty before there is one.")
    )
    variables: tuple[str, ...] = field(
        metadata=says(
            "Names of the environment variables that it was given; values are never kept."
        )
    )
    output_bytes: int = field(
        default=0, metadata=says("Bytes of its standard output that are kept.")
    )
    error_bytes: int = field(default=0, metadata=says("Bytes of its error output that are kept."))
    exit_code: int | None = field(
        default=None,
        metadata=says("Exit code of its program; absent while it runs and where none is known."),
    )
    signal: int | None = field(
        default=None,
        metadata=says("Number of the signal that ended its program; absent where none did."),
    )
    survivors: tuple[int, ...] = field(
        default=(), metadata=says("Ids of processes that could not be ended.")
    )
    sandbox: RunSandbox | None = field(
        default=None, metadata=says("Absent when nothing is recorded of the run.")
    )
    workspace: RunWorkspace | None = field(default=None, metadata=says("Absent when not known."))


@frozen
class MaterialiseParams:
    """Names what to check out: a task's newest revision, or while it works what is there so far."""

    ticket: TicketId = field(metadata=TICKET)
    task: str = field(metadata=TASK)


@frozen
class MaterialiseResult:
    """A plain folder to look around in; `sennit gc` removes it once its server has ended."""

    folder: str = field(metadata=says("Its absolute path."))


@frozen
class StoryParams:
    """Names a ticket, or one task of it."""

    ticket: TicketId = field(metadata=TICKET)
    task: str | None = field(
        default=None,
        metadata=says("Id of a task of the ticket: only what happened to it; all unless said."),
    )
    limit: int = field(
        default=1000,
        metadata=says("The newest lines, so many at most, 1 to 10000; 1000 unless said."),
    )


@frozen
class StoryEvent:
    """One thing that happened."""

    sequence: int = field(
        metadata=says("The step of the database in which it happened; lines may share one.")
    )
    at: str = field(metadata=says("When it happened."))
    type: str = field(
        metadata=says("The event behind it, by its name in the list of docs/states.md.")
    )
    message: str = field(metadata=says("What happened, for a person."))
    task: str | None = field(
        default=None,
        metadata=says(
            "Id of the task that it is about; absent where it is about the whole ticket."
        ),
    )
    cause: str | None = field(
        default=None, metadata=says("Id of the command behind it; absent where none is.")
    )


@frozen
class StoryResult:
    """What happened, oldest first."""

    events: tuple[StoryEvent, ...] = field(metadata=says("Oldest first."))
    more: bool = field(default=False, metadata=says("Whether there are older ones."))
