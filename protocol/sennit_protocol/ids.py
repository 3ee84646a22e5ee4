"""Ids: a prefix that tells the kind, an underscore and ten random base32 characters."""

from __future__ import annotations

from enum import StrEnum
from typing import NewType

TicketId = NewType("TicketId", str)
RunId = NewType("RunId", str)
ProposalId = NewType("ProposalId", str)
RevisionId = NewType("RevisionId", str)
UnitId = NewType("UnitId", str)
ApplicationId = NewType("ApplicationId", str)
QuestionId = NewType("QuestionId", str)
BaseId = NewType("BaseId", str)
ServerId = NewType("ServerId", str)
CommandId = NewType("CommandId", str)

RANDOM_BITS = 50
_ALPHABET = "abcdefghijklmnopqrstuvwxyz234567"


class IdKind(StrEnum):
    """The prefix of an id."""

    TICKET = "t"
    RUN = "n"
    PROPOSAL = "p"
    REVISION = "r"
    APPLICATION = "a"
    QUESTION = "q"
    BASE = "b"
    SERVER = "s"
    COMMAND = "c"


def encode_id(kind: IdKind, randomness: int) -> str:
    """Spell the lowest 50 bits of ``randomness`` as an id of that kind.

    The caller brings the randomness, since this package reads nothing of the outside world.
    """
    digits = [_ALPHABET[(randomness >> shift) & 31] for shift in range(0, RANDOM_BITS, 5)]
    return f"{kind.value}_{''.join(digits)}"
