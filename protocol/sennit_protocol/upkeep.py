"""Parameters and results of the methods about agents, what is kept, trust and health."""

from __future__ import annotations

from enum import StrEnum

from attrs import field, frozen

from sennit_protocol.describe import says
from sennit_protocol.ids import TicketId
from sennit_protocol.states import TrustState
from sennit_protocol.views import (
    Notice,
)


@frozen
class AgentsParams:
    """Asks for the catalogue."""

    versions: bool = field(
        default=False,
        metadata=says("Ask each program for its version, which starts it and takes seconds."),
    )


@frozen
class AgentAbilities:
    """What can be done with an agent; over ACP as far as the agent itself offers it."""

    asks: bool = field(default=False, metadata=says("It asks before what it is not allowed."))
    steers: bool = field(default=False, metadata=says("It takes messages while it works."))
    resumes: bool = field(default=False, metadata=says("A follow-up goes on with its session."))
    tells_tools: bool = field(default=False, metadata=says("It tells what it does."))
    tells_usage: bool = field(default=False, metadata=says("It tells how many tokens it used."))
    tells_cost: bool = field(default=False, metadata=says("It tells what it cost."))


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
    built_in: bool = field(
        default=False, metadata=says("Known to Sennit; its program may not be installed.")
    )
    found: bool = field(default=True, metadata=says("Its program is there."))
    version: str | None = field(
        default=None, metadata=says("What its program says, where it was asked for.")
    )
    output: str | None = field(
        default=None, metadata=says("What an agent of kind `command` writes.")
    )
    can: AgentAbilities = AgentAbilities()
    roles: tuple[str, ...] = ()
    model_class: str | None = None
    provider: str | None = None
    sandbox: str | None = field(default=None, metadata=says("Whether it needs a sandbox."))
    sign_in: str | None = field(
        default=None, metadata=says("The command line that signs a person in.")
    )


@frozen
class DefinitionView:
    """A definition of an agent: what a task is given beside its prompt when it names it."""

    name: str
    description: str = ""
    model: str | None = None
    tools: tuple[str, ...] = ()
    thinking: str | None = None
    read_only: bool = field(default=False, metadata=says("Tasks with it must not change files."))
    source: str = field(default="", metadata=says("The file, or that it is built in."))


@frozen
class AgentsResult:
    """The catalogue, and the definitions that tasks can name."""

    agents: tuple[AgentView, ...]
    definitions: tuple[DefinitionView, ...] = ()
    notices: tuple[Notice, ...] = field(
        default=(), metadata=says("Files with definitions that were skipped, and why.")
    )


@frozen
class RetainedItem:
    """One thing that is kept."""

    id: str
    kind: str
    ticket: TicketId | None = field(
        default=None, metadata=says("Absent for what belongs to no ticket any more.")
    )
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
