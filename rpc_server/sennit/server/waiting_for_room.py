"""Waits for a full disk where what an agent has left is nowhere else yet.

Its run would end as failed otherwise, and stay so once there is room. The command stays open
meanwhile: a server that ends leaves it to the next one.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, TypeVar

from attrs import define, field

from sennit.server import lsp_words as types

if TYPE_CHECKING:
    from sennit.server.services import Services

AnswerT = TypeVar("AnswerT")

logger = logging.getLogger(__name__)

FIRST_PAUSE_S = 1.0
LONGEST_PAUSE_S = 10.0
TELL_AGAIN_S = 600.0
"""How long the user is not told again, of whatever waits."""


@define(eq=False)
class RoomWaits:
    """What waits for room in this server, so that the user is told once and not by each."""

    _told: float | None = field(default=None, init=False)

    async def until_done(
        self,
        services: Services,
        work: Callable[[], Awaitable[AnswerT]],
        without_room: Callable[[AnswerT], str | None],
        given_up: Callable[[], bool],
    ) -> AnswerT:
        """Do the work again until a full or read-only disk does not keep it from being done.

        ``without_room`` tells whether that is what an answer means, and which disk, in sentences;
        ``given_up`` whether somebody has cancelled what it is done for.
        """
        was_given_up, pause = given_up(), FIRST_PAUSE_S
        while True:
            answer = await work()
            why = without_room(answer)
            if why is None or (given_up() and not was_given_up):
                return answer
            self._tell(services, why)
            await services.clock.sleep_until(services.clock.monotonic() + pause)
            pause = min(pause * 2, LONGEST_PAUSE_S)

    def _tell(self, services: Services, why: str) -> None:
        now = services.clock.monotonic()
        if self._told is not None and now - self._told < TELL_AGAIN_S:
            return
        self._told = now
        said = (
            f"{why} What agents have left stays in their workspaces until then, and is taken by"
            " itself as soon as that can be."
        )
        logger.error("%s", said)
        services.connection.show_message(types.MessageType.Error, said)
