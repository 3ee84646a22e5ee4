"""What has happened to runs, from the workspace to what was taken from it."""

from __future__ import annotations

from typing import ClassVar

from attrs import frozen

from sennit.core.engine.event import Event
from sennit.core.engine.rows import Begun, Counts, RunReport
from sennit_protocol.ids import RunId, UnitId
from sennit_protocol.views import Failure, Notice


@frozen(kw_only=True)
class WorkspaceReady(Event):
    """The workspace of a run is there. Its base differs from the ticket's after dependencies."""

    TYPE: ClassVar[str] = "workspaceReady"

    run: RunId
    folder: bytes
    base_commit: str
    base_tree: str
    notices: tuple[Notice, ...] = ()
    begun: Begun | None = None
    unmerged: tuple[bytes, ...] = ()


@frozen(kw_only=True)
class WorkspaceFailed(Event):
    """The workspace of a run could not be made."""

    TYPE: ClassVar[str] = "workspaceFailed"

    run: RunId
    failure: Failure


@frozen(kw_only=True)
class RunStarted(Event):
    """The agent's program runs. It ends no command: the start is ended by the run's end."""

    TYPE: ClassVar[str] = "runStarted"

    run: RunId


@frozen(kw_only=True)
class RunEnded(Event):
    """The run and all of its descendants have ended, but for the ``survivors``.

    ``ran`` is false when the program could not be started at all.
    """

    TYPE: ClassVar[str] = "runEnded"

    run: RunId
    ran: bool = True
    failure: Failure | None = None
    output_bytes: int = 0
    output_truncated: bool = False
    survivors: tuple[int, ...] = ()
    report: RunReport | None = None


@frozen(kw_only=True)
class SessionKnown(Event):
    """An agent has opened a session, or gone on with one.

    ``resumed``: whether it goes on with the one that it was to go on with, None for a new one that
    nothing was wished of.
    """

    TYPE: ClassVar[str] = "sessionKnown"

    run: RunId
    session: str
    resumed: bool | None = None


@frozen(kw_only=True)
class RunNoted(Event):
    """Something about a run that belongs into its story, such as a permission that was given."""

    TYPE: ClassVar[str] = "runNoted"

    run: RunId
    text: str


@frozen(kw_only=True)
class RunHeld(Event):
    """The user has interrupted the agent's turn; it waits for what the user says next."""

    TYPE: ClassVar[str] = "runHeld"

    run: RunId


@frozen(kw_only=True)
class RunSteered(Event):
    """The user has said something to the agent; one that was held goes on with it."""

    TYPE: ClassVar[str] = "runSteered"

    run: RunId
    text: str


@frozen(kw_only=True)
class BudgetSpent(Event):
    """A run has used up what it may; ``stop``: it has no time to wrap up, or no more of it."""

    TYPE: ClassVar[str] = "budgetSpent"

    run: RunId
    text: str
    stop: bool


@frozen(kw_only=True)
class RunStalled(Event):
    """A run has shown no sign of life for longer than its task allows.

    ``unanswered``: its agent has told nothing at all since it was given something to do.
    """

    TYPE: ClassVar[str] = "runStalled"

    run: RunId
    idle_ms: int
    unanswered: bool = False


@frozen(kw_only=True)
class StopTaken(Event):
    """The stop ladder of a run is through, there was nothing to stop, or it broke (``failure``)."""

    TYPE: ClassVar[str] = "stopTaken"

    run: RunId
    failure: Failure | None = None


@frozen(kw_only=True)
class Captured(Event):
    """What a run left is in the store. ``tree`` is what it began with when nothing was changed.

    ``units`` is how many units it has, and ``same_units`` those that a unit of the revision before
    equals: that one's id, and the rest of the new one's behind the revision. ``incomplete``: some
    of it could not be read, so that the workspace holds what is nowhere else. ``whole``: nothing
    that the run has left there is nowhere else, also nothing that git ignores.
    """

    TYPE: ClassVar[str] = "captured"

    run: RunId
    commit: str
    tree: str
    counts: Counts
    notices: tuple[Notice, ...] = ()
    units: int = 0
    same_units: tuple[tuple[UnitId, str], ...] = ()
    incomplete: bool = False
    whole: bool = False


@frozen(kw_only=True)
class CaptureFailed(Event):
    """What a run left could not be taken; the workspace is kept, where it ``is_there``."""

    TYPE: ClassVar[str] = "captureFailed"

    run: RunId
    failure: Failure
    is_there: bool = True
