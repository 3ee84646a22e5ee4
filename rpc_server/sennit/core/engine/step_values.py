"""What one step of the engine gives: changed rows, commands, an outcome for who asked."""

from __future__ import annotations

from typing import Any, Generic, Protocol, TypeVar

from attrs import field, frozen

from sennit_protocol.ids import CommandId


class Row(Protocol):
    """A row of a table: a frozen attrs value with a key that is unique among rows of its class."""

    @property
    def key(self) -> str:
        """The row's key."""


@frozen
class Put:
    """Insert the row, or replace the one with its class and key."""

    row: Row


@frozen
class Delete:
    """Remove the row of that class and key."""

    table: type
    key: str


Change = Put | Delete


@frozen
class Issued:
    """A command with its id. A ``once`` command is never repeated after a crash, only examined."""

    id: CommandId
    command: Any
    once: bool = False


OutcomeT_co = TypeVar("OutcomeT_co", covariant=True)


@frozen
class Step(Generic[OutcomeT_co]):
    """The result of one step.

    ``journal`` is what the event says to people in ``sennit/story``; ``done`` names the commands of
    the outbox that the event ends. A step without changes, commands and ``done`` is not stored.
    """

    changes: tuple[Change, ...] = ()
    commands: tuple[Issued, ...] = ()
    outcome: OutcomeT_co | None = None
    done: tuple[CommandId, ...] = ()
    journal: tuple[JournalLine, ...] = field(default=())


@frozen
class JournalLine:
    """One line of the story of a ticket, or of one of its tasks."""

    ticket: str
    task: str | None
    message: str
