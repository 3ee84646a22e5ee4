"""The composition root: builds the server of one process and runs it."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import anyio
import anyio.to_thread
from anyio.abc import TaskGroup
from attrs import define, field

from sennit.adapters.platform.lives import Life
from sennit.adapters.reserve import Reserve
from sennit.adapters.store.writer import Store
from sennit.core.engine.events import ServerUnattended
from sennit.core.stored import StoreProblem, StoreProblemKind
from sennit.server import lsp_names
from sennit.server.capabilities import initialize_result
from sennit.server.errors import is_unknown, store_error
from sennit.server.handshake import Start, told_version
from sennit.server.jsonrpc import Context, Handlers, open_connection
from sennit.server.methods import table
from sennit.server.methods.doctor import doctor_without_database
from sennit.server.services import ClientLimits, Services, StateFolders
from sennit.server.settings_in_force import EVERYWHERE
from sennit.server.starting import Here, open_services, start, stop
from sennit.settings.reader import state_folder
from sennit_protocol.errors import Problem
from sennit_protocol.methods import METHODS

logger = logging.getLogger(__name__)

LOOK_AGAIN_S = 1.0
"""How soon a database that could not be used is tried again, when a request needs it."""


def serve_blocking(begun: Start) -> int:
    """Serve the client of this process until the end; gives the exit code."""
    logging.basicConfig(
        stream=sys.stderr, level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s"
    )
    return anyio.run(serve, begun)


async def serve(begun: Start, limits: ClientLimits | None = None) -> int:
    """Serve one client; the root of all tasks of this process.

    ``limits`` is how long the client may take, where that is not the usual time.
    """
    served = open_connection(
        begun, version=told_version(), methods=METHODS, initialize_result=initialize_result
    )
    environ = dict(os.environ)
    folders = StateFolders.below(state_folder(environ))
    async with anyio.create_task_group() as group:
        here = Here(
            folders,
            environ,
            served.connection,
            served.set_message_limit,
            limits or ClientLimits(),
            Reserve(folders.root),
            Life(),
        )
        server = Server(here, group)
        await server.begin()
        code = await served.serve(server.handlers())
        group.cancel_scope.cancel()
    await server.close()
    return code


@define(eq=False)
class Server:
    """One server: its services, or what is wrong with the database that they need."""

    _here: Here
    _group: TaskGroup
    _services: Services | None = None
    _store: Store | None = None
    _problem: StoreProblem | None = None
    _looked_at: float = 0.0
    _looking: anyio.Lock = field(factory=anyio.Lock)

    async def begin(self) -> None:
        """Open and start everything; a database that cannot be used is told by each request."""
        self._looked_at = anyio.current_time()
        problem = await self._begun()
        if (
            problem is not None
            and problem.kind is StoreProblemKind.FULL
            and await _done(self._here.reserve.let_go)
        ):
            problem = await self._begun()
        if problem is not None:
            self._refuse(problem)
            return
        await _done(self._here.reserve.hold)

    async def _begun(self) -> StoreProblem | None:
        opened = await open_services(self._here)
        if isinstance(opened, StoreProblem):
            return opened
        services, self._store = opened
        problem = await start(services, self._store, self._here, self._group)
        if problem is not None:
            await self.close()
            return problem
        self._services, self._problem = services, None
        return None

    def _refuse(self, problem: StoreProblem) -> None:
        if self._problem is None or self._problem.message != problem.message:
            logger.error("%s", problem.message)
        self._problem = problem

    async def _ready(self, context: Context) -> Services | None:
        """The services; what kept them away may be mended by now, and is looked at again."""
        async with self._looking:
            if self._services is None and self._looked_at + LOOK_AGAIN_S <= anyio.current_time():
                # A client that does not wait any more must not leave the half of a server.
                with anyio.CancelScope(shield=True):
                    await self._begin_late(context)
        return self._services

    async def _begin_late(self, context: Context) -> None:
        await self.begin()
        services = self._services
        if services is not None:
            await initialized(services, context, None)

    async def close(self) -> None:
        """Close the database; everything else has ended by then."""
        if self._store is not None:
            store, self._store = self._store, None
            await store.close()
        await _done(self._here.reserve.take_back)

    def handlers(self) -> Handlers:
        """All handlers, each bound to the services."""
        return Handlers(
            requests={name: self._request(work) for name, work in table.REQUESTS.items()},
            notifications={
                lsp_names.INITIALIZED: self._notified(initialized),
                **{name: self._notified(work) for name, work in table.NOTIFICATIONS.items()},
            },
            commands={name: self._command(work) for name, work in table.COMMANDS.items()},
            settings_problems=self._settings_problems,
            without_settings=table.WITHOUT_SETTINGS,
            closing=self._closing,
        )

    def _settings_problems(self) -> tuple[Problem, ...]:
        return () if self._services is None else self._services.settings.problems()

    def _request(self, work: table.Request) -> Callable[[Context, Any], Awaitable[object]]:
        async def handle(context: Context, params: Any) -> object:  # noqa: ANN401  by method
            services = self._services or await self._ready(context)
            if services is None and context.method == "sennit/doctor":
                here = self._here
                return await doctor_without_database(
                    here.folders, here.environ, self._the_problem()
                )
            if services is None:
                return self._unavailable()
            return await _with_a_second_look(services, lambda: work(services, context, params))

        return handle

    def _command(
        self, work: table.Command
    ) -> Callable[[Context, tuple[object, ...]], Awaitable[object]]:
        async def handle(context: Context, arguments: tuple[object, ...]) -> object:
            services = self._services or await self._ready(context)
            if services is None:
                return self._unavailable()
            return await _with_a_second_look(services, lambda: work(services, context, arguments))

        return handle

    def _notified(self, work: table.Notification) -> Callable[[Context, Any], Awaitable[None]]:
        async def handle(context: Context, params: Any) -> None:  # noqa: ANN401  by method
            if self._services is not None:
                await work(self._services, context, params)

        return handle

    def _unavailable(self) -> object:
        return store_error(self._the_problem())

    def _the_problem(self) -> StoreProblem:
        if self._problem is None:
            raise RuntimeError("the server has no services and knows no problem")
        return self._problem

    async def _closing(self) -> None:
        if self._services is not None:
            await stop(self._services)


async def _done(work: Callable[[], bool | None]) -> bool:
    """Do something with the reserve, which no failing disk makes a server end by."""
    try:
        return bool(await anyio.to_thread.run_sync(work))
    except OSError as error:
        logger.warning("The reserve of the state folder: %s.", error)
        return False


async def _with_a_second_look(services: Services, work: Callable[[], Awaitable[object]]) -> object:
    """Do it once more where it names what another server may have made a moment ago."""
    seen = services.loop.sequence
    answer = await work()
    if is_unknown(answer):
        await services.loop.catch_up()
        if services.loop.sequence != seen:
            answer = await work()
    return answer


async def initialized(services: Services, context: Context, _params: object) -> None:
    """Take what the client has said of trust and settings when it introduced itself."""
    options = context.connection.client.initialization_options
    said = options.get("trusted") if isinstance(options, Mapping) else None
    services.client_trusts = said if isinstance(said, bool) else None
    services.settings.initialization_options = options
    if context.connection.client.sennit.unattended:
        await services.tell(ServerUnattended, server=services.server)
    await services.settings.refresh(EVERYWHERE)
