"""Starts the parts of a server: database, loop, recovery of what dead servers left, watchers."""

from __future__ import annotations

import errno
import logging
from collections.abc import Awaitable, Callable, Iterator, Mapping
from functools import cache, partial

import anyio
import anyio.to_thread
from anyio.abc import TaskGroup
from attrs import evolve, frozen

from sennit.adapters.git.disk_away import DiskAway, disk_away, made_on_its_disk
from sennit.adapters.git.git import git_for
from sennit.adapters.platform.lives import Life
from sennit.adapters.platform.processes import boot_id
from sennit.adapters.processes import LocalExecutor
from sennit.adapters.reserve import Reserve
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
from sennit.server import lsp_words as types
from sennit.server.asks import Asker
from sennit.server.burying import Undertaker, lives
from sennit.server.documents_shared import DocumentSharer
from sennit.server.drifting import DriftWatcher
from sennit.server.effects.setting_up import put_away_left_setups
from sennit.server.effects.table import effects
from sennit.server.errors import store_error
from sennit.server.forgetting import forget_settled
from sennit.server.jsonrpc import Connection
from sennit.server.object_files import sharing_wanted
from sennit.server.progress import TicketProgress
from sennit.server.publish import Publisher
from sennit.server.releasing import Releaser
from sennit.server.repositories import Repositories
from sennit.server.services import ClientLimits, Services, StateFolders
from sennit.server.settings_in_force import EVERYWHERE, SettingsInForce
from sennit.server.store_trouble import StoreTrouble
from sennit.server.workspace_kinds import make_ready
from sennit.settings.reader import RELATIVE, is_relative
from sennit_protocol.ids import IdKind, ServerId
from sennit_protocol.states import FINAL_TICKET_STATES, FailureKind
from sennit_protocol.views import Failure

logger = logging.getLogger(__name__)

POLITE_S = 4.0
"""How long an orderly end lets the stop ladders go their way, before it ends agents by force."""
DRAIN_S = 8.0
"""How long an orderly end takes at most; agents are ended and captured in it."""
DATABASE_LOST = 1
"""The exit code of a server whose database was taken away: its client starts another one."""
_PRIVATE = 0o700
_AGAIN_S = 5.0


@frozen
class Here:
    """Where this process is: its folders, its environment, its client.

    ``limit_messages`` sets the size, in bytes, above which a message of the client is refused;
    ``limits`` is how long the client may take. ``reserve`` is room on the disk of the state folder.
    ``life`` is one for the whole process, which may have to begin more than once.
    """

    folders: StateFolders
    environ: Mapping[str, str]
    connection: Connection
    limit_messages: Callable[[int], None]
    limits: ClientLimits
    reserve: Reserve
    life: Life


async def open_services(here: Here) -> tuple[Services, Store] | StoreProblem:
    """Open the database and build the parts that need no loop yet."""
    ids, clock = Ids(), SystemClock()
    server = ServerId(ids.new(IdKind.SERVER))
    if is_relative(here.environ, "SENNIT_STATE_DIR"):
        return _relative_state_folder(here)
    try:
        away = await anyio.to_thread.run_sync(make_folders, here.folders)
    except OSError as error:
        return _no_state_folder(here.folders, error)
    if away is not None:
        message = f"A part of the state folder is away. {away.told}. {away.advice}"
        return StoreProblem(StoreProblemKind.NOT_WRITABLE, str(here.folders.database), message)
    store = await _open(here, server)
    if isinstance(store, StoreProblem):
        return store
    life = here.life
    try:
        await anyio.to_thread.run_sync(life.hold, here.folders.root)
    except OSError as error:
        await store.close()
        return _no_state_folder(here.folders, error)
    git = git_for("git", here.environ)
    trust = TrustStore(here.folders.root)
    settings = SettingsInForce(environ=here.environ, trust=trust)
    repositories = Repositories(
        git=git,
        trust=trust,
        stores_root=lambda: services.stores_root,
        state=here.folders.root,
        workspaces=here.folders.workspaces,
        client_trusts=lambda: services.client_trusts,
        sharing=lambda: sharing_wanted(services),
    )
    services = Services(
        server=server,
        owner=life.owner,
        folders=here.folders,
        environ=here.environ,
        clock=clock,
        ids=ids,
        git=git,
        repositories=repositories,
        trust=trust,
        settings=settings,
        executor=LocalExecutor(here.folders.runs, here.environ, here.folders.root, life),
        setups=LocalExecutor(here.folders.setups, here.environ, here.folders.root, life),
        database=store,
        connection=here.connection,
        limits=here.limits,
        reserve=here.reserve,
    )
    return services, store


def make_folders(folders: StateFolders) -> DiskAway | None:
    """Make the state folders, for their user alone; the first whose disk is away is told.

    Stores need not be there before one is opened, which then tells the same.
    """
    folders.root.mkdir(mode=_PRIVATE, parents=True, exist_ok=True)
    for folder in (folders.runs, folders.workspaces, folders.looks):
        away = made_on_its_disk(folders.root, folder)
        if away is not None:
            return away
    if disk_away(folders.root, folders.stores) is None:
        made_on_its_disk(folders.root, folders.stores)
    return None


def _no_state_folder(folders: StateFolders, error: OSError) -> StoreProblem:
    where = error.filename or folders.root
    if error.errno in {errno.ENOSPC, errno.EDQUOT}:
        message = (
            f"There is no room on the disk of the state folder {folders.root} ({where}:"
            f" {error.strerror}). Make some, then try again; nothing has to be started anew."
        )
        return StoreProblem(StoreProblemKind.FULL, str(folders.database), message)
    message = (
        f"The state folder {folders.root} cannot be used: {where}: {error.strerror}. Move away what"
        " stands there, mend its permissions or its disk, or name another folder by"
        " SENNIT_STATE_DIR."
    )
    return StoreProblem(StoreProblemKind.NOT_WRITABLE, str(folders.database), message)


def _relative_state_folder(here: Here) -> StoreProblem:
    chosen = here.environ["SENNIT_STATE_DIR"]
    message = f"SENNIT_STATE_DIR, which is {chosen!r}, {RELATIVE}."
    return StoreProblem(StoreProblemKind.NOT_WRITABLE, str(here.folders.database), message)


@cache
def codec_of_this_program() -> Codec:
    """The one codec of all classes that are stored: what it has made ready, it keeps."""
    return Codec(ROWS, EVENTS, COMMANDS)


async def _open(here: Here, server: ServerId) -> Store | StoreProblem:
    path, codec = here.folders.database, codec_of_this_program()
    opened = await open_store(path, codec, server)
    if isinstance(opened, StoreProblem) and opened.moved_to is not None:
        # Work can begin anew; but who misses tickets has to know where they are.
        logger.error("%s", opened.message)
        here.connection.show_message(types.MessageType.Error, opened.message)
        return await open_store(path, codec, server)
    return opened


async def start(
    services: Services, store: Store, here: Here, group: TaskGroup
) -> StoreProblem | None:
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
        on_problem=StoreTrouble(services.connection, services.clock).hear,
    )
    sharer = DocumentSharer(services)
    services.attach(loop, TicketProgress(services, group), sharer)
    releaser = Releaser(services)
    try:
        problem = await _take_over(services, state, releaser)
    except OSError as error:
        problem = _no_state_folder(here.folders, error)
    if problem is not None:
        return problem
    services.settings.on_change = lambda: _enter_limits(services, here)
    await _enter_limits(services, here)
    timers = Timers(
        loop=loop,
        clock=services.clock,
        of=lambda now: _own_timers(services, now),
        fired=lambda timer, at: TimerFired(at=at, seed=services.ids.seed(), timer=timer.key),
    )
    group.start_soon(timers.run)
    group.start_soon(Publisher(services).run)
    group.start_soon(forget_settled, services)
    group.start_soon(Asker(services, group).run)
    for watches in (
        sharer.run,
        services.settings.watch,
        releaser.run,
        Undertaker(services, releaser).run,
        DriftWatcher(services).run,
        partial(make_ready, services),
        partial(services.disk_use.run, services),
    ):
        group.start_soon(_through_failing_disks, watches)
    group.start_soon(
        watch,
        loop,
        services.clock,
        lambda: _tick(services),
        lambda problem: _end_without(services, problem),
    )
    return None


async def _through_failing_disks(watches: Callable[[], Awaitable[None]]) -> None:
    """Look after something beside requests, which a disk that fails must not end a server by."""
    told = ""
    while True:
        try:
            await watches()
        except* OSError as errors:
            said = "; ".join(map(str, errors.exceptions))
            if said != told:
                logger.warning("%s. It is tried again.", said)
            told = said
        else:
            return
        await anyio.sleep(_AGAIN_S)


def _end_without(services: Services, problem: StoreProblem) -> None:
    """End the server, whose database is away: another one begins with what is there then."""
    logger.error("%s", problem.message)
    services.connection.show_message(types.MessageType.Error, problem.message)
    services.connection.stop(DATABASE_LOST, store_error(problem))


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


async def _take_over(services: Services, state: State, releaser: Releaser) -> StoreProblem | None:
    """Enter this server, and let the engine go on with what dead ones have left."""
    left = await services.executor.recover()
    await put_away_left_setups(services)
    dead = frozenset(row.id for row in state.rows(ServerRow) if not lives(row, services.folders))
    limits = services.settings.of(EVERYWHERE).limits
    row = ServerRow(
        id=services.server,
        pid=services.owner.pid,
        start_time=services.owner.started,
        boot_id=boot_id(),
        since=services.clock.now_ms(),
        limit_tasks=limits.tasks,
        limits=limits.named,
        realm=services.owner.realm,
    )
    known = frozenset(server.id for server in state.rows(ServerRow))

    def is_dead(owner: str) -> bool:
        return owner in dead or owner not in known

    def started(outbox: tuple[OutboxEntry, ...]) -> Event:
        commands = tuple(entry.issued for entry in outbox)
        return services.event(ServerStarted, server=row, dead=tuple(dead), outbox=commands)

    outcome = await services.loop.recover(is_dead, started)
    if isinstance(outcome, StoreProblem):
        return outcome
    await releaser.left(left)
    return None


async def _enter_limits(services: Services, here: Here) -> None:
    """Let limits count that were set anew: of messages here, of tasks for the whole machine."""
    limits = services.settings.of(EVERYWHERE).limits
    here.limit_messages(limits.message_bytes)
    row = services.state.get(ServerRow, services.server)
    if row is None:
        return
    limited = evolve(row, limit_tasks=limits.tasks, limits=limits.named)
    if limited != row:
        # The row of a server that is known is replaced; there is nobody to bury.
        await services.tell(ServerStarted, server=limited)
        await services.tell(Tick, server=services.server)


async def stop(services: Services) -> None:
    """End in order: what runs is interrupted, ended and captured, for a bounded time."""
    said = await services.tell(ServerStopping, server=services.server)
    with anyio.move_on_after(DRAIN_S) as drained:
        if isinstance(said, StoreProblem) and said.kind is StoreProblemKind.GONE:
            # Nothing settles any more, and nobody would ever capture what they go on to do.
            await _end_agents(services)
            return
        with anyio.move_on_after(POLITE_S):
            await _until_settled(services)
        await _end_agents(services)
        await _until_settled(services)
    if drained.cancelled_caught:
        left = ", ".join(_carries(services, services.state))
        logger.warning("Ended before these tickets had settled; the next start ends them: %s", left)
        return
    await services.tell(ServerStopped, server=services.server)


async def _end_agents(services: Services) -> None:
    for run in services.executor.running():
        await services.executor.stop(run, force=True)


async def _until_settled(services: Services) -> None:
    await services.loop.wait_until(lambda state: not _carries(services, state))


def _carries(services: Services, state: State) -> tuple[str, ...]:
    return tuple(
        row.id
        for row in state.rows(TicketRow)
        if row.owner == services.server and row.state not in FINAL_TICKET_STATES
    )
