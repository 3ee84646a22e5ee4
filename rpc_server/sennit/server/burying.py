"""Notices servers that have died while this one runs, and takes over what they carried."""

from __future__ import annotations

import anyio
from attrs import define

from sennit.adapters.platform.lives import Owner, may_live
from sennit.adapters.platform.processes import boot_id
from sennit.core.engine.events import Event, ServersGone
from sennit.core.engine.rows import ServerRow
from sennit.core.stored import OutboxEntry, StoreProblem
from sennit.server.releasing import Releaser
from sennit.server.services import Services, StateFolders
from sennit_protocol.ids import ServerId

LOOK_S = 1.0


def lives(row: ServerRow, folders: StateFolders) -> bool:
    """Whether the process of a server is there, or may be; pids are used again."""
    # The database is on a local disk, where another boot is over.
    owner = Owner(row.pid, row.start_time, row.realm)
    return row.boot_id == boot_id() and may_live(owner, folders.root)


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
            row for row in self._services.state.rows(ServerRow) if row.id != self._services.server
        ]
        return frozenset(row.id for row in others if not lives(row, self._services.folders))

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
