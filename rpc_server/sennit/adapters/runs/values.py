"""What goes into a run and what comes out of it."""

from collections.abc import Mapping
from enum import StrEnum, unique
from pathlib import Path

from attrs import field, frozen

from sennit.adapters.overlay.layers import Layers
from sennit.core.agents import Polite, PromptAs
from sennit.core.sandbox import NOT_ASKED, NOT_RECORDED, Sandbox, SandboxRecord
from sennit.core.workspace_kinds import How


@frozen
class RunSpec:
    """What is to be run.

    `argv`: program and arguments, no shell. `env_allow`: names of the server's variables that
    are handed on besides the usual ones. `env_set`: variables set for it. `output_limit`: bytes
    kept of each of the two output streams. `talks`: whether standard input is a pipe that `say`
    writes to, in place of the prompt. `close_ms`, `term_ms`, `cancel_ms`: the stop ladder.
    `sweep_folder`: whether whoever works inside the workspace belongs to the run; no where
    people work too. `sandbox`: how it is confined, or why it is not. `layers`: what has to be
    mounted for it, None where the workspace holds everything itself. `workspace`: how that was
    made, for the record.
    """

    argv: tuple[str, ...]
    prompt: str = ""
    prompt_as: PromptAs = PromptAs.NONE
    talks: bool = False
    env_allow: tuple[str, ...] = ()
    env_set: Mapping[str, str] = field(factory=dict)
    output_limit: int = 64 << 20
    close_ms: int = 8_000
    term_ms: int = 2_000
    cancel_ms: int = 5_000
    polite: Polite = Polite.INTERRUPT
    sweep_folder: bool = True
    sandbox: Sandbox = NOT_ASKED
    layers: Layers | None = None
    workspace: How | None = None


@frozen
class Started:
    """The agent runs, or ran; pid and start time identify it together with the boot id.

    Both are 0 when it cannot be told, because the shim broke during the start; `wait` tells more.
    """

    run_id: str
    pid: int
    start: int


@unique
class SpawnStage(StrEnum):
    """Where a start failed."""

    PREPARE = "prepare"
    """Before anything was started: the run's folder, its order, the shim."""
    FOLDER = "folder"
    """Entering the workspace."""
    SANDBOX = "sandbox"
    """Making the sandbox."""
    PROGRAM = "program"
    """Executing the program."""


@frozen
class SpawnFailed:
    """The agent did not start and left nothing behind; `errno_name` as in errno(3), or ""."""

    run_id: str
    stage: SpawnStage
    errno_name: str
    message: str


@unique
class EndCause(StrEnum):
    """Why a run ended."""

    EXITED = "exited"
    """By itself, also when a signal from elsewhere ended it."""
    STOPPED = "stopped"
    """By the stop ladder, on request."""
    KILLED = "killed"
    """At once, on request."""
    OWNER_DIED = "owner_died"
    """By the stop ladder, because the server was gone."""
    LOST = "lost"
    """Its shim or the machine went down; exit code and end are unknown, what was left was ended."""
    NEVER_STARTED = "never_started"
    """The server was gone before the agent was started: nothing ran."""
    SPAWN_FAILED = "spawn_failed"
    """The program could not be started: nothing ran."""


@frozen
class Exited:
    """The end of a run; at most one of `code` and `signal` is known.

    `output_bytes`: what the agent wrote, kept or not; `truncated`: some of it was not kept.
    `started_at`, `ended_at`: milliseconds since the epoch. `survivors`: pids that could not be
    ended; `swept`: how many left-over processes were ended. `disk_error`: errno name when
    output could not be written, else "".
    """

    code: int | None
    signal: int | None
    output_bytes: int
    truncated: bool
    started_at: int
    ended_at: int
    survivors: tuple[int, ...]
    cause: EndCause
    swept: int = 0
    disk_error: str = ""
    failure: SpawnFailed | None = None


@frozen
class Left:
    """A run of a server that is gone, brought to its end."""

    run_id: str
    workspace: Path
    outcome: Exited


@frozen
class RunRecord:
    """What is known of a run afterwards; variables by name only, their values may be secret.

    `outcome` is None while it runs, `workspace` where it is not known. Sizes are those of files,
    in bytes.
    """

    run_id: str
    argv: tuple[str, ...]
    folder: Path
    variables: tuple[str, ...]
    prompt: str
    stdout_bytes: int
    stderr_bytes: int
    created_at: int
    outcome: Exited | None
    sandbox: SandboxRecord = NOT_RECORDED
    workspace: How | None = None


@frozen
class Cursor:
    """How much of each stream a reader has seen, in bytes."""

    stdout: int = 0
    stderr: int = 0


@unique
class Stream(StrEnum):
    """Where output was written."""

    STDOUT = "stdout"
    STDERR = "stderr"


@frozen
class Output:
    """A piece of output; `after` is where to go on reading."""

    stream: Stream
    data: bytes
    after: Cursor


@frozen
class Progress:
    """How much output of the agent has been kept so far; told when it grew."""

    stdout_bytes: int
    stderr_bytes: int


@frozen
class Asked:
    """A program of the run asks and waits; `deadline_ms` is its own patience, None for ever."""

    question_id: str
    text: str
    options: tuple[str, ...]
    deadline_ms: int | None


@frozen
class Withdrawn:
    """The asker is gone or waits no longer; an answer would reach nobody."""

    question_id: str


@frozen
class Ended:
    """The last event of a run."""

    outcome: Exited


@unique
class Over(StrEnum):
    """Why no more is seen of the standard output of an agent that is spoken with."""

    CLOSED = "closed"
    """The agent has closed it and works on."""
    CUT = "cut"
    """It is longer than what is kept of it, or the disk is full."""


@frozen
class OutputOver:
    """No more is seen of what a living agent says, though it is spoken with; told once."""

    why: Over


RunEvent = Output | Progress | OutputOver | Asked | Withdrawn | Ended


@frozen
class Delivered:
    """The answer lies ready for the asker."""


@frozen
class Said:
    """What was said has been written to the agent's standard input."""


@frozen
class Deaf:
    """The agent cannot be spoken to, and why, in a few words."""

    why: str


@frozen
class NobodyAsks:
    """There is no such question, or its asker is gone, or it was answered before."""


class UnknownRunError(LookupError):
    """No run of this name was ever started here: a bug in the caller."""
