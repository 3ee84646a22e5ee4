"""Starts the parts of a server: database, loop, recovery of what dead servers left, watchers."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator, Mapping
from pathlib import Path

import anyio
from anyio.abc import TaskGroup
from attrs import frozen
from sennit_protocol.ids import IdKind, ServerId
from sennit_protocol.states import FINAL_TICKET_STATES, FailureKind
from sennit_protocol.views import Failure

from sennit.adapters.git.git import git_for
from sennit.adapters.git.records import Owner
from sennit.adapters.platform.processes import boot_id, is_alive, start_time
from sennit.adapters.processes import LocalExecutor
from sennit.adapters.store.codec import Codec
from sennit.adapters.store.writer import Store, open_store
from sennit.adapters.trust import TrustStore
from sennit.core.engine.commands import COMMANDS
from sennit.core.engine.events import (
    EVENTS,
    CommandFailed,
    Event,
    ServerStarted,
    ServerStopped,
    ServerStopping,
    Tick,
    TimerFired,
)
from sennit.core.engine.rows import ROWS, ServerRow, TicketRow, TimerRow
from sennit.core.engine.state import State
from sennit.core.engine.step import step
from sennit.core.engine.step_values import Issued, Put
from sennit.core.stored import OutboxEntry, StoreProblem, StoreProblemKind
from sennit.runtime.clock import SystemClock
from sennit.runtime.ids import Ids
from sennit.runtime.loop import EffectEnd, Loop
from sennit.runtime.timers import Timer, Timers
from sennit.runtime.watch import watch
from sennit.server.asks import Asker
from sennit.server.documents_shared import DocumentSharer
from sennit.server.effects.table import effects
from sennit.server.jsonrpc import Connection
from sennit.server.progress import TicketProgress
from sennit.server.publish import Publisher
from sennit.server.repositories import Repositories
from sennit.server.services import Services, StateFolders
from sennit.server.settings_in_force import EVERYWHERE, SettingsInForce

logger = logging.getLogger(__name__)

DRAIN_S = 8.0
"""How long an orderly end waits for agents to be ended and captured."""
_PRIVATE = 0o700


@frozen
class Here:
    """Where this process is: its folders, its environment, its client."""

    folders: StateFolders
    environ: Mapping[str, str]
    connection: Connection


async def open_services(here: Here) -> tuple[Services, Store] | StoreProblem:
    """Open the database and build the parts that need no loop yet."""
    ids, clock = Ids(), SystemClock()
    server = ServerId(ids.new(IdKind.SERVER))
    make_folders(here.folders)
    store = await _open(here.folders.database, server)
    if isinstance(store, StoreProblem):
        return store
    pid = os.getpid()
    git = git_for("git", here.environ)
    trust = TrustStore(here.folders.root)
    settings = SettingsInForce(environ=here.environ, trust=trust)
    repositories = Repositories(
        git=git,
        trust=trust,
        stores_root=lambda: _stores_root(settings, here.folders),
        client_trusts=lambda: services.client_trusts,
    )
    services = Services(
        server=server,
        owner=Owner(pid, start_time(pid) or 0),
        folders=here.folders,
        environ=here.environ,
        clock=clock,
        ids=ids,
        git=git,
        repositories=repositories,
        trust=trust,
        settings=settings,
        executor=LocalExecutor(here.folders.runs, here.environ),
        database=store,
        connection=here.connection,
    )
    return services, store


def make_folders(folders: StateFolders) -> None:
    """Make the state folders, for their user alone."""
    for folder in (folders.root, folders.runs, folders.stores, folders.workspaces, folders.looks):
        folder.mkdir(mode=_PRIVATE, parents=True, exist_ok=True)


def _stores_root(settings: SettingsInForce, folders: StateFolders) -> Path:
    chosen = settings.of(EVERYWHERE).store_path
    return folders.stores if chosen is None else Path(chosen)


async def _open(path: Path, server: ServerId) -> Store | StoreProblem:
    codec = Codec(ROWS, EVENTS, COMMANDS)
    opened = await open_store(path, codec, server)
    if isinstance(opened, StoreProblem) and opened.kind is StoreProblemKind.CORRUPT:
        # It was moved aside and is named in the log; work can begin anew.
        logger.error("%s", opened.message)
        return await open_store(path, codec, server)
    return opened


async def start(services: Services, store: Store, group: TaskGroup) -> StoreProblem | None:
    """Load what is stored, take over from dead servers, and begin to watch."""
    await services.settings.refresh(EVERYWHERE)
    loaded = await store.load()
    if isinstance(loaded, StoreProblem):
        return loaded
    state = State()
    state.apply(Put(row) for row in loaded.rows)
    loop = Loop(
        state=state,
        sequence=loaded.sequence,
        step=step,
        store=store,
        effects=effects(services),
        clock=services.clock,
        tasks=group,
        failed=lambda issued, end, message: _failed(services, issued, end, message),
    )
    sharer = DocumentSharer(services)
    services.attach(loop, TicketProgress(services, group), sharer)
    problem = await _take_over(services, state)
    if problem is not None:
        return problem
    timers = Timers(
        loop=loop,
        clock=services.clock,
        of=lambda now: _own_timers(services, now),
        fired=lambda timer, at: TimerFired(at=at, seed=services.ids.seed(), timer=timer.key),
    )
    group.start_soon(timers.run)
    group.start_soon(Publisher(services).run)
    group.start_soon(Asker(services, group).run)
    group.start_soon(sharer.run)
    group.start_soon(services.settings.watch)
    group.start_soon(watch, loop, services.clock, lambda: _tick(services))
    return None


def _tick(services: Services) -> Event:
    return services.event(Tick, server=services.server)


def _own_timers(services: Services, state: State) -> Iterator[Timer]:
    for timer in state.rows(TimerRow):
        ticket = state.ticket(timer.ticket)
        if ticket is not None and ticket.owner == services.server:
            yield timer


def _failed(services: Services, issued: Issued, end: EffectEnd, message: str) -> Event:
    failure = Failure(FailureKind.INTERNAL, f"{end.value}: {message}")
    return services.event(CommandFailed, issued.id, command=issued.command, failure=failure)


async def _take_over(services: Services, state: State) -> StoreProblem | None:
    """Enter this server, and let the engine go on with what dead ones have left."""
    await services.executor.recover()
    dead = frozenset(row.id for row in state.rows(ServerRow) if not _lives(row))
    pid = os.getpid()
    row = ServerRow(
        id=services.server,
        pid=pid,
        start_time=services.owner.started,
        boot_id=boot_id(),
        since=services.clock.now_ms(),
        limit_tasks=services.settings.of(EVERYWHERE).limits.tasks,
    )
    known = frozenset(server.id for server in state.rows(ServerRow))

    def is_dead(owner: str) -> bool:
        return owner in dead or owner not in known

    def started(outbox: tuple[OutboxEntry, ...]) -> Event:
        commands = tuple(entry.issued for entry in outbox)
        return services.event(ServerStarted, server=row, dead=tuple(dead), outbox=commands)

    outcome = await services.loop.recover(is_dead, started)
    return outcome if isinstance(outcome, StoreProblem) else None


def _lives(row: ServerRow) -> bool:
    return row.boot_id == boot_id() and is_alive(row.pid, row.start_time)


async def stop(services: Services) -> None:
    """End in order: what runs is interrupted, ended and captured, for a bounded time."""
    await services.tell(ServerStopping, server=services.server)
    with anyio.move_on_after(DRAIN_S) as drained:
        await services.loop.wait_until(lambda state: not _carries(services, state))
    if drained.cancelled_caught:
        left = ", ".join(_carries(services, services.state))
        logger.warning("Ended before these tickets had settled; the next start ends them: %s", left)
        return
    await services.tell(ServerStopped, server=services.server)


def _carries(services: Services, state: State) -> tuple[str, ...]:
    return tuple(
        row.id
        for row in state.rows(TicketRow)
        if row.owner == services.server and row.state not in FINAL_TICKET_STATES
    )
