"""What an agent tells while it works, whatever it speaks: values, in order."""

from __future__ import annotations

from attrs import frozen

from sennit_protocol.agents import ToDoEntry, ToolKind, ToolStatus, Usage
from sennit_protocol.states import FailureKind, Phase


@frozen
class SessionOpened:
    """The agent has a session that it may be able to resume by this name.

    ``resumed``: it is the earlier one that it was asked to go on with.
    """

    session: str
    resumed: bool = False


@frozen
class Prompted:
    """The agent has been given its task."""


@frozen
class TextSaid:
    """A piece of what the agent says to the user; pieces of one message follow each other."""

    text: str


@frozen
class MessageSaid:
    """A whole message to the user; it stands in place of the pieces before it."""

    text: str


@frozen
class ThoughtSaid:
    """A piece of the agent's reasoning."""

    text: str


@frozen
class ToolUpdated:
    """A call of a tool began or changed. None: as it was before.

    ``paths`` as the agent spells them. ``begins``: it is another call than the one before by its
    id, which some agents use again.
    """

    id: str
    title: str | None = None
    kind: ToolKind | None = None
    status: ToolStatus | None = None
    paths: tuple[str, ...] | None = None
    begins: bool = False


@frozen
class ToDoSet:
    """The agent's plan, whole."""

    entries: tuple[ToDoEntry, ...]


@frozen
class UsageTotal:
    """The usage of the whole run so far: it replaces what was known."""

    usage: Usage


@frozen
class UsageStep:
    """The usage of one more step: it is added to what was known."""

    usage: Usage


@frozen
class ContextFilled:
    """How full the model's context is, in tokens; no sum of what was used."""

    used: int
    size: int


@frozen
class Warned:
    """Something that a person should know, such as a tool that was refused to the agent."""

    text: str


@frozen
class PermissionSettled:
    """The agent asked whether it may use a tool, and what was answered and why."""

    title: str
    allowed: bool
    why: str


@frozen
class Logged:
    """A line that says nothing to us; kept with the output, never a failure."""

    text: str


@frozen
class Failed:
    """The agent says that its work failed, or it cannot be spoken with.

    ``resets_at`` is for rate limits: ms since 1970. ``phase`` is what a time limit ended.
    """

    kind: FailureKind
    text: str
    resets_at: int | None = None
    phase: Phase | None = None


@frozen
class Finished:
    """The agent says that its turn is complete; without it a stream ended in the middle.

    ``stop_reason`` is the agent's own word, an open set.
    """

    stop_reason: str = ""


AgentEvent = (
    SessionOpened
    | Prompted
    | TextSaid
    | MessageSaid
    | ThoughtSaid
    | ToolUpdated
    | ToDoSet
    | UsageTotal
    | UsageStep
    | ContextFilled
    | Warned
    | PermissionSettled
    | Logged
    | Failed
    | Finished
)
