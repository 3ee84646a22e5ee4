"""What becomes of a call that asks to be admitted."""

from __future__ import annotations

from enum import StrEnum

from attrs import frozen

from sennit_protocol.ids import TicketId


class RefusedBecause(StrEnum):
    """Why a call was not admitted."""

    LIMIT = "limit"
    OPERATION_CONFLICT = "operationConflict"
    STOPPING = "stopping"
    NOT_ENDED = "notEnded"
    FOLLOWED = "followed"
    IN_USE = "inUse"
    GONE = "gone"


@frozen
class Admitted:
    """The call has a ticket; ``repeated`` when the same operation had been dispatched before."""

    ticket: TicketId
    repeated: bool = False


@frozen
class Refused:
    """The call was not admitted and nothing was started; ``ticket`` and ``task`` are in the way."""

    because: RefusedBecause
    message: str
    ticket: TicketId | None = None
    task: str | None = None
