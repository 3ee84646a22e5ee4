"""Every status that Sennit knows. No other module spells one."""

from __future__ import annotations

from enum import StrEnum


class TaskState(StrEnum):
    """Where a task is on its way. A final task stays final: more work is a follow-up."""

    QUEUED = "queued"
    PREPARING = "preparing"
    RUNNING = "running"
    WAITING = "waiting"
    COMPLETED = "completed"
    PARTIAL = "partial"
    FAILED = "failed"
    CANCELLED = "cancelled"
    INTERRUPTED = "interrupted"
    SKIPPED = "skipped"
    BLOCKED = "blocked"


FINAL_TASK_STATES = frozenset(
    {
        TaskState.COMPLETED,
        TaskState.PARTIAL,
        TaskState.FAILED,
        TaskState.CANCELLED,
        TaskState.INTERRUPTED,
        TaskState.SKIPPED,
        TaskState.BLOCKED,
    }
)


class QueuedFor(StrEnum):
    """What a queued task waits for."""

    SLOT = "slot"
    DEPENDENCY = "dependency"
    RETRY = "retry"


class WaitingFor(StrEnum):
    """What a task in the middle of its work waits for."""

    ANSWER = "answer"
    PERMISSION = "permission"
    USER = "user"


class RunState(StrEnum):
    """Where one run of an agent is."""

    STARTING = "starting"
    RUNNING = "running"
    STOPPING = "stopping"
    ENDED = "ended"
    CAPTURED = "captured"
    QUARANTINED = "quarantined"


class TicketState(StrEnum):
    """Where a ticket is. The last five are written once."""

    RUNNING = "running"
    CANCELLING = "cancelling"
    CANCELLED = "cancelled"
    COMPLETED = "completed"
    PARTIAL = "partial"
    INTERRUPTED = "interrupted"
    FAILED = "failed"


FINAL_TICKET_STATES = frozenset(
    {
        TicketState.CANCELLED,
        TicketState.COMPLETED,
        TicketState.PARTIAL,
        TicketState.INTERRUPTED,
        TicketState.FAILED,
    }
)


class Integration(StrEnum):
    """How a revision goes together with those before it."""

    PENDING = "pending"
    CLEAN = "clean"
    NO_CHANGES = "noChanges"
    ALREADY_PRESENT = "alreadyPresent"
    CONFLICT = "conflict"
    FAILED = "failed"
    DISCARDED = "discarded"
    RETAINED = "retained"


class Checks(StrEnum):
    """What the user's checks say of the merged state."""

    UNCHECKED = "unchecked"


class Review(StrEnum):
    """What the user has decided about a revision."""

    OFFERED = "offered"
    ACCEPTED = "accepted"
    PARTLY_ACCEPTED = "partlyAccepted"
    REJECTED = "rejected"


class Decision(StrEnum):
    """What the user has decided about one unit."""

    UNDECIDED = "undecided"
    ACCEPTED = "accepted"
    REJECTED = "rejected"


class ApplicationState(StrEnum):
    """What has become of an application, or of a revision by its applications."""

    NONE = "none"
    APPLYING = "applying"
    APPLIED = "applied"
    PARTLY_APPLIED = "partlyApplied"
    UNKNOWN = "unknown"
    FAILED = "failed"
    UNDONE = "undone"


UNDOABLE_STATES = frozenset(
    {ApplicationState.APPLIED, ApplicationState.PARTLY_APPLIED, ApplicationState.UNKNOWN}
)
"""States of an application that can be taken back. An undo merges with the text as it is, so it is
safe where nobody knows what became of the edit."""


class Flag(StrEnum):
    """What a person should know beside the verdict. A flag never changes a verdict."""

    QUARANTINED = "quarantined"
    RECOVERED = "recovered"
    STALE = "stale"
    SOURCE_DRIFT = "sourceDrift"
    CLEANUP_ISSUE = "cleanupIssue"
    HEAD_MOVED = "headMoved"
    UNCHANGED = "unchanged"
    OUTPUT_TRUNCATED = "outputTruncated"


class UnitFlag(StrEnum):
    """Why a unit is never preselected."""

    UNCERTAIN = "uncertain"
    OUTSIDE_WRITES = "outsideWrites"
    DELETION = "deletion"
    MODE_CHANGE = "modeChange"
    NEW_EXECUTABLE = "newExecutable"
    LINK_OUT_OF_TREE = "linkOutOfTree"
    VERY_LARGE = "veryLarge"
    SENSITIVE = "sensitive"
    UNPORTABLE_NAME = "unportableName"
    GENERATED = "generated"


class FailureKind(StrEnum):
    """Why a run or a task did not do its work."""

    TIMEOUT = "timeout"
    STALLED = "stalled"
    MODEL_ERROR = "modelError"
    RATE_LIMITED = "rateLimited"
    NOT_SIGNED_IN = "notSignedIn"
    SPAWN = "spawn"
    EXIT = "exit"
    SIGNAL = "signal"
    PROTOCOL = "protocol"
    SETUP = "setup"
    DELIVERY = "delivery"
    SELECTION = "selection"
    NO_CHANGES = "noChanges"
    REFUSED = "refused"
    LIMIT = "limit"
    BUDGET = "budget"
    ESCAPED = "escaped"
    DISK_FULL = "diskFull"
    INTERNAL = "internal"


class Phase(StrEnum):
    """Which part of a task's life a time limit ended."""

    QUEUED = "queued"
    STARTING = "starting"
    RUNNING = "running"
    CANCELLING = "cancelling"


class Target(StrEnum):
    """Where an application goes."""

    EDITOR = "editor"
    DISK = "disk"
    PATCH = "patch"


class Offer(StrEnum):
    """When proposals are offered: as they come, when the ticket settles, or on request."""

    AUTO = "auto"
    SETTLED = "settled"
    MANUAL = "manual"


class WaitUntil(StrEnum):
    """What ends a wait."""

    SETTLED = "settled"
    ATTENTION = "attention"
    CHANGE = "change"


class Stopped(StrEnum):
    """How far a cancelled task had come."""

    NEVER_STARTED = "neverStarted"
    IN_THE_MIDDLE = "inTheMiddle"
    ALREADY_ENDED = "alreadyEnded"


class TrustState(StrEnum):
    """Whether programs named by a folder may run."""

    TRUSTED = "trusted"
    UNTRUSTED = "untrusted"
    CHANGED = "changed"
