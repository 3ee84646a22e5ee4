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
