"""Tells the user once that the database cannot be written, and that nothing is lost by it."""

from __future__ import annotations

from attrs import define, field

from sennit.core.stored import StoreProblem, StoreProblemKind
from sennit.runtime.ports import Clock
from sennit.server import lsp_words as types
from sennit.server.jsonrpc import Connection

AGAIN_S = 600.0
"""How long the same kind of trouble is not told again; it is tried again every second."""


@define(eq=False)
class StoreTrouble:
    """Hears of every try that failed while the end of something waits to be stored."""

    _connection: Connection
    _clock: Clock
    _told: dict[StoreProblemKind, float] = field(factory=dict, init=False)

    def hear(self, problem: StoreProblem) -> None:
        """Tell the user, unless that was done a short while ago.

        Of a database that is away whoever finds that it stays so tells, and nothing is kept then.
        """
        if problem.kind is StoreProblemKind.GONE:
            return
        now = self._clock.monotonic()
        if now - self._told.get(problem.kind, -AGAIN_S) < AGAIN_S:
            return
        self._told[problem.kind] = now
        self._connection.show_message(
            types.MessageType.Error,
            f"{problem.message} What has ended meanwhile is kept in memory and on the disk, and is"
            " stored as soon as that can be; do not end the server before.",
        )
