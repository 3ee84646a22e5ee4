"""Parameters and results of the methods that give texts and records behind tickets."""

from __future__ import annotations

from enum import StrEnum

from attrs import field, frozen

from sennit_protocol.describe import says
from sennit_protocol.ids import RunId, TicketId
from sennit_protocol.views import (
    RunView,
)


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

    ticket: TicketId
    task: str
    run: RunId | None = field(default=None, metadata=says("The last run unless said."))
    stream: Stream = Stream.STDOUT
    offset: int | None = field(default=None, metadata=says("In bytes from the start."))
    limit: int = field(default=65536, metadata=says("Bytes at most, up to 1 MiB."))


@frozen
class OutputResult:
    """A page of output; what is not UTF-8 is replaced.

    Paths in the workspace are spelled as those of the user's repository, but not in `raw`. Offsets
    are of what the agent wrote: the length of a text says nothing of them.
    """

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
class RunSandbox:
    """What confined a run, as it really was."""

    wanted: str = field(metadata=says("The setting: `required`, `preferred` or `off`."))
    confined: bool
    why_not: str | None = field(default=None, metadata=says("Why it was not confined."))
    workspace_writable: bool = True
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
    sandbox: RunSandbox | None = field(
        default=None, metadata=says("Absent when nothing is recorded of the run.")
    )
    workspace: RunWorkspace | None = field(default=None, metadata=says("Absent when not known."))


@frozen
class MaterialiseParams:
    """Names what to check out: a task's newest revision, or while it works what is there so far."""

    ticket: TicketId
    task: str


@frozen
class MaterialiseResult:
    """A plain folder to look around in; `sennit gc` removes it once its server has ended."""

    folder: str


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
