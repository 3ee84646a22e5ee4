"""What agents tell of their work, in the words of the protocol."""

from __future__ import annotations

from enum import StrEnum

from attrs import field, frozen

from sennit_protocol.describe import says


class ToolKind(StrEnum):
    """What a tool of an agent does; the words of the Agent Client Protocol (`ToolKind`)."""

    READ = "read"
    """It reads files or data."""
    EDIT = "edit"
    """It changes files."""
    DELETE = "delete"
    """It deletes files."""
    MOVE = "move"
    """It moves or renames files."""
    SEARCH = "search"
    """It looks for something."""
    EXECUTE = "execute"
    """It runs a command."""
    THINK = "think"
    """It plans."""
    FETCH = "fetch"
    """It gets something from elsewhere."""
    SWITCH_MODE = "switch_mode"
    """It changes the mode of the session."""
    OTHER = "other"
    """It does something else, or does not say."""


class ToolStatus(StrEnum):
    """Where the call of a tool is; the words of the Agent Client Protocol (`ToolCallStatus`)."""

    PENDING = "pending"
    """It has not begun, or waits for a permission."""
    IN_PROGRESS = "in_progress"
    """It works."""
    COMPLETED = "completed"
    """It has done its work."""
    FAILED = "failed"
    """It has failed."""


class ToDoStatus(StrEnum):
    """Where an entry of an agent's plan is (`PlanEntryStatus`)."""

    PENDING = "pending"
    """It has not begun."""
    IN_PROGRESS = "in_progress"
    """It is under way."""
    COMPLETED = "completed"
    """It is done."""


class UsageKnown(StrEnum):
    """How the numbers of a usage came about."""

    TOTAL = "total"
    """The agent gave the total of its turn."""
    SUM = "sum"
    """The sum of what it gave step by step."""
    LOWER_BOUND = "lowerBound"
    """It gave a part only, such as its last call: the truth is more."""


@frozen
class ToDoEntry:
    """One entry of an agent's plan."""

    text: str = field(metadata=says("What is to be done, cut to 500 characters."))
    status: ToDoStatus = field(metadata=says("How far it is."))


@frozen
class Usage:
    """What a run used, as far as its agent tells; an absent number is unknown, not zero."""

    known: UsageKnown = field(metadata=says("How the numbers came about."))
    input: int | None = field(default=None, metadata=says("Tokens read, without cached ones."))
    output: int | None = field(default=None, metadata=says("Tokens written."))
    cached_read: int | None = field(default=None, metadata=says("Tokens read from a cache."))
    cached_write: int | None = field(default=None, metadata=says("Tokens written to a cache."))
    reasoning: int | None = field(default=None, metadata=says("Tokens of hidden thought."))
    cost: float | None = field(default=None, metadata=says("Money, in `currency`."))
    currency: str | None = field(default=None, metadata=says("ISO 4217, such as `USD`."))
    turns: int | None = field(default=None, metadata=says("Calls of the model."))
