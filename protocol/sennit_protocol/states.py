"""Every status that Sennit knows. No other module spells one."""

from __future__ import annotations

from enum import StrEnum


class TaskState(StrEnum):
    """Where a task is on its way. A final task stays final: more work is a follow-up."""

    QUEUED = "queued"
    """It waits for its turn; `queuedFor` says for what."""
    PREPARING = "preparing"
    """Its workspace is being made and its agent started."""
    RUNNING = "running"
    """Its agent works."""
    WAITING = "waiting"
    """Its agent has asked, or was interrupted; `waitingFor` says which. It takes no slot."""
    COMPLETED = "completed"
    """Final: its run ended well. What it changed is a proposal."""
    PARTIAL = "partial"
    """Final: its budget was spent, or its result does not fit. Its work is kept as `retained`."""
    FAILED = "failed"
    """Final: it did not start, or ended badly; `failure` says why. Its work is kept, too."""
    CANCELLED = "cancelled"
    """Final: somebody cancelled it. Its work is kept as `retained`."""
    INTERRUPTED = "interrupted"
    """Final: its server ended. Its work is kept as `retained`."""
    SKIPPED = "skipped"
    """Final: a hook kept it from starting. Reserved: this version runs no hooks."""
    BLOCKED = "blocked"
    """Final: what it depends on did not get that far; `failure` says what mends that."""


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
    """A free slot (`limits.tasks`, `maxConcurrent`), or the base of its ticket."""
    DEPENDENCY = "dependency"
    """The tasks that it depends on, and the merge of their proposals."""
    RETRY = "retry"
    """A moment before its next run: the one before failed without a trace."""
    PROVIDER = "provider"
    """Others of its provider to end: as many run as `limits.provider.NAME` allows."""
    MODEL = "model"
    """Others with its model to end: as many run as `limits.model.NAME` allows."""
    AGENT = "agent"
    """Others with its agent to end: as many run as `limits.agent.NAME` allows."""


class WaitingFor(StrEnum):
    """What a task in the middle of its work waits for."""

    ANSWER = "answer"
    """An answer to a question, by `sennit/answer`."""
    PERMISSION = "permission"
    """An answer whether its agent may do something, by `sennit/answer`."""
    USER = "user"
    """What is said next, by `sennit/steer`: `sennit/interrupt` ended its turn."""


class RunState(StrEnum):
    """Where one run of an agent is."""

    STARTING = "starting"
    """Its workspace is being made, then its program started."""
    RUNNING = "running"
    """Its program works."""
    STOPPING = "stopping"
    """Its program is being ended."""
    ENDED = "ended"
    """Its program was never started, or has ended and what it left is still to be taken."""
    CAPTURED = "captured"
    """What it left was taken, or could not be: then the failure of its task says why."""
    QUARANTINED = "quarantined"
    """Processes of it could not be ended; its workspace is kept and not read."""


class TicketState(StrEnum):
    """Where a ticket is. The last five are written once."""

    RUNNING = "running"
    """A task is not final, or a merge is under way."""
    CANCELLING = "cancelling"
    """All of it was cancelled, and not all of it has ended yet."""
    CANCELLED = "cancelled"
    """It was cancelled as a whole."""
    COMPLETED = "completed"
    """Every task is `completed`, and no proposal is `conflict`, `failed` or `retained`."""
    PARTIAL = "partial"
    """Not that, but a task is `completed` or `partial` and its merge has not failed."""
    INTERRUPTED = "interrupted"
    """Every task is `interrupted`."""
    FAILED = "failed"
    """It ended in none of the other ways."""


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
    """It has not been merged yet."""
    CLEAN = "clean"
    """It merges."""
    NO_CHANGES = "noChanges"
    """Nothing was changed."""
    ALREADY_PRESENT = "alreadyPresent"
    """What was merged before it holds the same changes."""
    CONFLICT = "conflict"
    """It collides with what was merged before it; later ones are merged without it."""
    FAILED = "failed"
    """Git could not merge it, or something that it builds on; `failure` says why."""
    DISCARDED = "discarded"
    """It was dropped by `sennit/drop`."""
    RETAINED = "retained"
    """Work of a run that did not complete: kept, not merged, never preselected."""


class Checks(StrEnum):
    """What the user's checks say of the merged state."""

    UNCHECKED = "unchecked"
    """No check was made; this version makes none."""


class Review(StrEnum):
    """What the user has decided about a revision."""

    OFFERED = "offered"
    """No unit is accepted, and not every one is rejected."""
    ACCEPTED = "accepted"
    """Every unit is accepted."""
    PARTLY_ACCEPTED = "partlyAccepted"
    """Some units are accepted."""
    REJECTED = "rejected"
    """Every unit is rejected."""


class Decision(StrEnum):
    """What the user has decided about one unit."""

    UNDECIDED = "undecided"
    """Nothing. In a choice of `sennit/decide`: an earlier decision is taken back."""
    ACCEPTED = "accepted"
    """It goes in when its proposal is applied."""
    REJECTED = "rejected"
    """It stays out."""


class ApplicationState(StrEnum):
    """What has become of an application, of one of its files, or of a revision by all of them."""

    NONE = "none"
    """Nothing was applied. Of an application: it made a patch. In a preview: to be written."""
    APPLYING = "applying"
    """It is under way."""
    APPLIED = "applied"
    """All of it is in the text."""
    PARTLY_APPLIED = "partlyApplied"
    """Some of it is; files that were left alone and units in conflict are not."""
    UNKNOWN = "unknown"
    """Nobody saw how it ended; the texts may tell later. It can be undone."""
    FAILED = "failed"
    """None of it is in the text; the file was left alone."""
    UNDONE = "undone"
    """It was taken back by `sennit/undo`."""


UNDOABLE_STATES = frozenset(
    {ApplicationState.APPLIED, ApplicationState.PARTLY_APPLIED, ApplicationState.UNKNOWN}
)
"""States of an application that can be taken back. An undo merges with the text as it is, so it is
safe where nobody knows what became of the edit."""


class Flag(StrEnum):
    """What a person should know beside the verdict. A flag never changes a verdict."""

    QUARANTINED = "quarantined"
    """Whether a run of it has ended is not known, or processes are left that cannot be ended."""
    RECOVERED = "recovered"
    """Its server died; another one took over what it left."""
    STALE = "stale"
    """What was checked is not what there is now. Reserved: this version makes no checks."""
    SOURCE_DRIFT = "sourceDrift"
    """Its repository changed while the ticket ran: files, refs, configuration or hooks."""
    CLEANUP_ISSUE = "cleanupIssue"
    """Something of it could not be deleted. Reserved: so far `sennit/doctor` alone tells that."""
    HEAD_MOVED = "headMoved"
    """HEAD moved, or another branch was taken, while the ticket ran."""
    UNCHANGED = "unchanged"
    """It changed nothing, and `expectChanges` is `flag`."""
    OUTPUT_TRUNCATED = "outputTruncated"
    """It wrote more than `limits.output.fileBytes`; the rest was not kept."""


class UnitFlag(StrEnum):
    """What is unusual about a unit. Any but `generated` keeps it from being preselected."""

    UNCERTAIN = "uncertain"
    """Git merges its file, and a second algorithm merges it to another text."""
    OUTSIDE_WRITES = "outsideWrites"
    """No glob of the task's `writes` names its path, or its path before a rename."""
    DELETION = "deletion"
    """It deletes a file that neither the prompt nor the agent's output mentions."""
    MODE_CHANGE = "modeChange"
    """It changes git's mode, or what the path is: file, link or submodule."""
    NEW_EXECUTABLE = "newExecutable"
    """It makes a path executable that was not."""
    LINK_OUT_OF_TREE = "linkOutOfTree"
    """It is a link that leads out of the repository, or may do so."""
    VERY_LARGE = "veryLarge"
    """Its file is larger than 5 MiB, and was not."""
    SENSITIVE = "sensitive"
    """The setting `review.sensitive` names its path, or its path before a rename."""
    UNPORTABLE_NAME = "unportableName"
    """Some systems cannot hold its new name, or take it for another one."""
    GENERATED = "generated"
    """The setting `review.generated` names its path: a review may fold it."""


class FailureKind(StrEnum):
    """Why a run or a task did not do its work."""

    TIMEOUT = "timeout"
    """It took longer than `deadlineMs`, or its start than `task.startMs`; see `phase`."""
    STALLED = "stalled"
    """It gave no sign of life for `idleMs`."""
    MODEL_ERROR = "modelError"
    """The model or its provider failed, or answered with nothing at all."""
    RATE_LIMITED = "rateLimited"
    """The provider takes no more requests for now."""
    NOT_SIGNED_IN = "notSignedIn"
    """The agent is not signed in; the message says how to do that."""
    SPAWN = "spawn"
    """Its program could not be started."""
    EXIT = "exit"
    """Its program ended with another exit code than 0: `exitCode`."""
    SIGNAL = "signal"
    """Its program was ended by a signal: `signal`."""
    PROTOCOL = "protocol"
    """The agent did not keep to its protocol, or ended without ending its turn."""
    SETUP = "setup"
    """What it needs could not be made: base, workspace, or the work that it depends on."""
    DELIVERY = "delivery"
    """The agent's result does not fit `outputSchema`."""
    SELECTION = "selection"
    """The agent does not offer the model, thinking or way to sign in that was chosen."""
    NO_CHANGES = "noChanges"
    """It changed nothing, and `expectChanges` is `fail`."""
    REFUSED = "refused"
    """The model refused the task, or what the run left is not read, since it may still write."""
    LIMIT = "limit"
    """The model or the agent came to a limit of its own, of tokens or turns."""
    BUDGET = "budget"
    """Its `budget` was spent."""
    ESCAPED = "escaped"
    """The agent changed something outside its workspace: it says so, and the disk does."""
    DISK_FULL = "diskFull"
    """The disk is full."""
    INTERNAL = "internal"
    """A merge broke, a supervisor died, or a bug: the message and the server's log say more."""


class Phase(StrEnum):
    """Which part of a task's life a time limit ended."""

    QUEUED = "queued"
    """Before it began. Reserved: in this version it may be queued for any time."""
    STARTING = "starting"
    """Before its agent was given the task: the setting `task.startMs`."""
    RUNNING = "running"
    """While it worked: `deadlineMs`."""
    CANCELLING = "cancelling"
    """While it was being ended. Reserved: a run that cannot be ended is `quarantined`."""


class Target(StrEnum):
    """Where an application goes."""

    EDITOR = "editor"
    """To the client as `workspace/applyEdit`; the server writes what no edit can carry."""
    DISK = "disk"
    """To the files, by the server. The folder must be trusted."""
    PATCH = "patch"
    """Into the answer as a patch; no file is changed."""


class Offer(StrEnum):
    """When proposals that merge are offered to a client without a review interface.

    An offer is an edit that asks for confirmation, or a message that asks first.
    """

    AUTO = "auto"
    """Each as soon as it is `clean`."""
    SETTLED = "settled"
    """Those that are `clean` once their ticket has settled."""
    MANUAL = "manual"
    """None by itself."""


class WaitUntil(StrEnum):
    """What ends a wait. The end of the ticket ends each."""

    SETTLED = "settled"
    """The ticket is in a final state."""
    ATTENTION = "attention"
    """A question is open, or a proposal is in conflict and its task is not done again."""
    CHANGE = "change"
    """The ticket's `sequence` is greater than `since`."""


class Stopped(StrEnum):
    """How far a cancelled task had come."""

    NEVER_STARTED = "neverStarted"
    """It was `queued` or `preparing`: nothing is lost."""
    IN_THE_MIDDLE = "inTheMiddle"
    """Its agent was at work: it is ended, and what it has changed is kept."""
    ALREADY_ENDED = "alreadyEnded"
    """It was final: it stays as it is."""


class TrustState(StrEnum):
    """Whether programs named by a folder may run."""

    TRUSTED = "trusted"
    """They may: trust was granted, and no file that can start programs has changed since."""
    UNTRUSTED = "untrusted"
    """They may not: trust was not granted, was revoked, or its record cannot be read."""
    CHANGED = "changed"
    """They may not: files that can start programs have changed since trust was granted."""
