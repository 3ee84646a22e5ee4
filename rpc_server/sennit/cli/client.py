"""A client of the real server: JSON-RPC over the standard streams of a child process."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, closing
from functools import partial
from math import inf
from pathlib import Path
from typing import Any, TypeVar

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream
from attrs import field, frozen

from sennit.cli.calls import Calls, Notification, ServerHandler
from sennit.cli.failures import CommandError
from sennit.cli.server_process import ServerProcess, started
from sennit_protocol.version import PROTOCOL_VERSION
from sennit_protocol.wire import structure_open, unstructure
from sennit_protocol.wire_problems import WireError

T = TypeVar("T")

# Without `-P` Python looks for modules in the current folder first, which is somebody's repository.
SERVER_COMMAND = (sys.executable, "-P", "-m", "sennit", "serve")
CLIENT_ID = "sennit-cli"
REQUEST_LIMIT_S = 60.0
START_LIMIT_S = 30.0
SHUTDOWN_LIMIT_S = 30.0
"""Ending the programs of a task takes up to the sum of `stop.*`, 15 s unless set otherwise."""


@frozen
class ClientOptions:
    """How to start the server and what to tell it.

    ``folder`` is absolute; ``capabilities`` are added to those that every client of ours has;
    ``environment`` is that of this process unless given. ``unattended``: nobody answers questions.
    """

    folder: Path
    trusted: bool = False
    command: tuple[str, ...] = SERVER_COMMAND
    environment: Mapping[str, str] | None = None
    capabilities: Mapping[str, object] = field(factory=dict)
    on_stderr: Callable[[str], None] | None = None
    unattended: bool = False


class Client:
    """One conversation with one server; made by `connected`."""

    def __init__(
        self, calls: Calls, notifications: MemoryObjectReceiveStream[Notification]
    ) -> None:
        """Speak through ``calls``."""
        self._calls = calls
        self.notifications = notifications

    async def ask(
        self, method: str, params: object, result: type[T], *, limit_s: float = REQUEST_LIMIT_S
    ) -> T:
        """Send a request with ``params`` of the protocol's types; gives its result.

        Raises `RefusedError` for an error in answer, `NoAnswerError` after ``limit_s`` seconds
        and `ServerGoneError`.
        """
        value = await self._calls.request(method, unstructure(params), limit_s)
        try:
            return structure_open(value, result)
        except WireError as error:
            raise self._calls.process.gone(
                f"The server's answer to `{method}` cannot be understood ({error}): "
                "the server and this command are probably of different versions."
            ) from error

    def tell(self, method: str, params: object) -> None:
        """Send a notification with ``params`` of the protocol's types or plain JSON values."""
        self._calls.notify(method, unstructure(params))


@asynccontextmanager
async def connected(
    options: ClientOptions, handlers: Mapping[str, ServerHandler]
) -> AsyncIterator[Client]:
    """Start a server, say hello, and end it in order whatever happens inside.

    ``handlers`` answer requests of the server; what they do not know is refused.
    """
    failure: CommandError | None = None
    process = await started(options.command, options.environment, options.on_stderr)
    send, receive = anyio.create_memory_object_stream[Notification](inf)
    calls = Calls(process, handlers, send)
    with send, receive, closing(calls):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(process.drain_stderr)
            tasks.start_soon(calls.write_all)
            tasks.start_soon(calls.read_all, tasks)
            leave = process.end
            try:
                await _say_hello(calls, options)
                leave = partial(_take_leave, calls, process)
                yield Client(calls, receive)
            except CommandError as error:
                # Carried past the group of tasks, which would wrap it.
                failure = error
            finally:
                with anyio.CancelScope(shield=True):
                    await leave()
                tasks.cancel_scope.cancel()
    if failure is not None:
        raise failure


async def _say_hello(calls: Calls, options: ClientOptions) -> None:
    await calls.request("initialize", _initialize_params(options), START_LIMIT_S)
    calls.notify("initialized", {})


async def _take_leave(calls: Calls, process: ServerProcess) -> None:
    try:
        if not calls.ended:
            await calls.request("shutdown", None, SHUTDOWN_LIMIT_S)
            calls.notify("exit", None)
    except CommandError:
        # It is ended by force below; what it had accepted is durable.
        pass
    await process.end()


def _initialize_params(options: ClientOptions) -> dict[str, Any]:
    folder = {"uri": options.folder.as_uri(), "name": options.folder.name}
    return {
        "processId": None,
        "clientInfo": {"name": CLIENT_ID},
        "rootUri": folder["uri"],
        "workspaceFolders": [folder],
        "initializationOptions": {"trusted": True} if options.trusted else None,
        "capabilities": {
            "general": {"positionEncodings": ["utf-8"]},
            "window": {"workDoneProgress": True},
            **options.capabilities,
            "experimental": {
                "sennit": {
                    "protocolVersion": PROTOCOL_VERSION,
                    "clientId": CLIENT_ID,
                    "ask": not options.unattended,
                    "unattended": options.unattended,
                    "review": True,
                    "applyReport": False,
                    "output": False,
                }
            },
        },
    }
