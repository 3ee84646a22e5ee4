"""What all events have.

``at`` is in milliseconds since 1970 UTC. ``seed`` is the randomness that new ids are made of.
``cause`` is the command that the event ends, where it ends one.
"""

from __future__ import annotations

from typing import ClassVar

from attrs import frozen

from sennit_protocol.ids import CommandId


@frozen(kw_only=True)
class Event:
    """What all events have."""

    TYPE: ClassVar[str] = "event"
    VERSION: ClassVar[int] = 1

    at: int
    seed: int = 0
    cause: CommandId | None = None
