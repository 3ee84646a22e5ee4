"""What agents tell of their work, in the words of the protocol."""

from __future__ import annotations

from enum import StrEnum

from attrs import field, frozen

from sennit_protocol.describe import says


class ToolKind(StrEnum):
    """What a tool of an agent does; the words of the Agent Client Protocol (`ToolKind`)."""

    READ = "read"
    EDIT = "edit"
    DELETE = "delete"
    MOVE = "move"
    SEARCH = "search"
    EXECUTE = "execute"
    THINK = "think"
    FETCH = "fetch"
    SWITCH_MODE = "switch_mode"
    OTHER = "other"


class ToolStatus(StrEnum):
    """Where the call of a tool is; the words of the Agent Client Protocol (`ToolCallStatus`)."""

    PENDING = "pending"
    IN_PROGRESS = "in_progress"
    COMPLETED = "completed"
    FAILED = "failed"


class ToDoStatus(StrEnum):
    """Where an entry of an agent's plan is (`PlanEntryStatus`)."""

    PENDING = "pending"
    IN_PROGRESS = "in_progress"
    COMPLETED = "completed"


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

    text: str
    status: ToDoStatus


@frozen
class Usage:
    """What a run used, as far as its agent tells; an absent number is unknown, not zero."""

    known: UsageKnown
    input: int | None = field(default=None, metadata=says("Tokens read, without cached ones."))
    output: int | None = field(default=None, metadata=says("Tokens written."))
    cached_read: int | None = field(default=None, metadata=says("Tokens read from a cache."))
    cached_write: int | None = field(default=None, metadata=says("Tokens written to a cache."))
    reasoning: int | None = field(default=None, metadata=says("Tokens of hidden thought."))
    cost: float | None = field(default=None, metadata=says("Money, in `currency`."))
    currency: str | None = field(default=None, metadata=says("ISO 4217, such as `USD`."))
    turns: int | None = field(default=None, metadata=says("Calls of the model."))
