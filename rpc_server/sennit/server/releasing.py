"""Lets go of the records of runs once their end is stored; survivors are swept again and again."""

from __future__ import annotations

import anyio
from attrs import define, field

from sennit.adapters.runs.values import Left, UnknownRunError
from sennit.core.engine.rows import RunRow
from sennit.core.engine.step_values import Put
from sennit.server.services import Services
from sennit_protocol.ids import RunId
from sennit_protocol.states import RunState

SWEEP_AGAIN_S = 10.0
_STORED = frozenset({RunState.ENDED, RunState.CAPTURED})


@define(eq=False)
class Releaser:
    """Follows the runs that this server carries, and those that dead servers had not released."""

    _services: Services
    _quarantined: set[RunId] = field(factory=set, init=False)
    _found: tuple[Left, ...] = field(default=(), init=False)

    async def run(self) -> None:
        """Follow the state until cancelled."""
        async with anyio.create_task_group() as group:
            group.start_soon(self._sweep)
            with self._services.loop.changes() as batches:
                # What was recovered before anybody listened has its end by now, or tells it yet.
                await self.left(self._found)
                async for batch in batches:
                    for change in batch.changes:
                        if isinstance(change, Put) and isinstance(change.row, RunRow):
                            await self._consider(change.row)

    async def left(self, found: tuple[Left, ...]) -> None:
        """Release what was found at a start and whose end is stored, or that nobody knows."""
        self._found = found
        for one in found:
            row = self._services.state.get(RunRow, one.run_id)
            if row is None:
                await self._release(RunId(one.run_id))
            else:
                await self._consider(row)

    async def _consider(self, run: RunRow) -> None:
        ticket = self._services.state.ticket(run.ticket)
        if ticket is not None and ticket.owner != self._services.server:
            return
        if run.state in _STORED:
            await self._release(run.id)
        elif run.state is RunState.QUARANTINED:
            self._quarantined.add(run.id)

    async def _release(self, run: RunId) -> None:
        try:
            await self._services.executor.release(run)
        except (UnknownRunError, FileNotFoundError):
            # It never came to a record, or its ticket has been dropped with it meanwhile.
            return

    async def _sweep(self) -> None:
        while True:
            await anyio.sleep(SWEEP_AGAIN_S)
            for run in tuple(self._quarantined):
                await self._sweep_one(run)

    async def _sweep_one(self, run: RunId) -> None:
        try:
            left = await self._services.executor.sweep(run)
        except FileNotFoundError:
            left = ()
        if not left:
            self._quarantined.discard(run)
            await self._release(run)
