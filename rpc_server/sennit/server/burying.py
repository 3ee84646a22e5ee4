"""Notices servers that have died while this one runs, and takes over what they carried."""

from __future__ import annotations

import os

import anyio
from attrs import define

from sennit.adapters.platform.processes import boot_id, is_alive
from sennit.core.engine.events import Event, ServersGone
from sennit.core.engine.rows import ServerRow
from sennit.core.stored import OutboxEntry, StoreProblem
from sennit.server.releasing import Releaser
from sennit.server.services import Services
from sennit_protocol.ids import ServerId

LOOK_S = 1.0


def lives(row: ServerRow) -> bool:
    """Whether the process of a server is there; pids are used again, start times are not."""
    return row.boot_id == boot_id() and is_alive(row.pid, row.start_time)


@define(eq=False)
class Undertaker:
    """Looks after the other servers of the user."""

    _services: Services
    _releaser: Releaser

    async def run(self) -> None:
        """Look until cancelled."""
        while True:
            await anyio.sleep(LOOK_S)
            dead = self._dead()
            if dead:
                await self._bury(dead)

    def _dead(self) -> frozenset[ServerId]:
        others = [
            row
            for row in self._services.state.rows(ServerRow)
            if row.id != self._services.server and row.pid != os.getpid()
        ]
        return frozenset(row.id for row in others if not lives(row))

    async def _bury(self, dead: frozenset[ServerId]) -> None:
        services = self._services
        # Their runs are ended first: what is taken over asks how they ended.
        left = await services.executor.recover()

        def gone(outbox: tuple[OutboxEntry, ...]) -> Event:
            commands = tuple(entry.issued for entry in outbox)
            return services.event(
                ServersGone, server=services.server, dead=tuple(sorted(dead)), outbox=commands
            )

        outcome = await services.loop.recover(lambda owner: owner in dead, gone)
        if not isinstance(outcome, StoreProblem):
            await self._releaser.left(left)
