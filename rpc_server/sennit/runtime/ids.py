"""Where the randomness of ids comes from."""

from __future__ import annotations

import secrets
from collections.abc import Callable

from attrs import frozen

from sennit_protocol.ids import RANDOM_BITS, IdKind, encode_id

_SEED_BITS = 63


@frozen
class Ids:
    """Makes ids. ``bits`` gives an integer of that many random bits; tests pass their own."""

    bits: Callable[[int], int] = secrets.randbits

    def new(self, kind: IdKind) -> str:
        """A new id."""
        return encode_id(kind, self.bits(RANDOM_BITS))

    def seed(self) -> int:
        """The randomness of one event, for the ids that the engine makes of it."""
        return self.bits(_SEED_BITS)
