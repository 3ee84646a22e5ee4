"""The SDK's connection over the standard input and output of a run."""

from __future__ import annotations

import asyncio
import importlib
import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Protocol

import anyio.to_thread
from attrs import define, field

from sennit.adapters.runs.values import Deaf, Said

Say = Callable[[bytes], Awaitable[Said | Deaf]]
Handler = Callable[[str, Any, bool], Awaitable[Any]]


class Unheard(ConnectionError):  # noqa: N818  a state of the agent, and so named
    """The agent does not take what is said to it."""


class Connection(Protocol):
    """What is used of `acp.connection.Connection`."""

    async def send_request(self, method: str, params: Mapping[str, object]) -> object:
        """Ask and wait; raises ConnectionError when the agent is gone, RequestError if it says so.

        Cancelling it forgets the answer and tells the agent nothing.
        """
        ...

    async def send_notification(self, method: str, params: Mapping[str, object]) -> None:
        """Tell; raises ConnectionError when the agent is gone."""
        ...

    async def close(self) -> None:
        """End all that waits."""
        ...


class Sdk(Protocol):
    """What is used of the SDK, once it is loaded."""

    def connect(self, handler: Handler, link: Link) -> Connection:
        """Start a connection over a link; needs the running loop."""
        ...

    @property
    def request_error(self) -> Callable[[int, str], Exception]:
        """Makes the exception that a handler raises to answer with an error."""
        ...


@define(eq=False)
class Link:
    """A transport for the SDK: messages as objects, never anything else.

    Messages are put in by ``deliver`` in the order in which they came. ``waiting``: how many
    requests of the agent were delivered and are not answered yet.
    """

    say: Say
    waiting: int = 0
    _asked: dict[object, str] = field(factory=dict)
    _arrived: asyncio.Queue[dict[str, Any] | None] = field(factory=asyncio.Queue)
    _is_over: bool = False

    def deliver(self, message: dict[str, Any]) -> None:
        """Hand a message of the agent to the SDK; without effect once that is over."""
        if not self._is_over:
            self.waiting += "method" in message
            self._arrived.put_nowait(message)

    def answered(self, number: object) -> str | None:
        """Give the method of our request that an answer is to, once; None for every other."""
        return self._asked.pop(number, None)

    def end(self) -> None:
        """Tell the SDK that no more will come."""
        self._is_over = True
        self._arrived.put_nowait(None)

    async def send(self, message: dict[str, Any]) -> None:
        """Write one message as one line; for the SDK. Raises Unheard, but not for an answer.

        Nobody waits for what becomes of an answer, and the end of its reader is told elsewhere.
        """
        if "method" not in message:
            self.waiting -= 1
        elif "id" in message:
            # Noted first, for the agent may be quick.
            self._asked[message["id"]] = message["method"]
        line = json.dumps(message, ensure_ascii=False, separators=(",", ":")) + "\n"
        said = await self.say(line.encode("utf-8", "replace"))
        if isinstance(said, Deaf) and "method" in message:
            raise Unheard(said.why)

    async def receive(self) -> dict[str, Any] | None:
        """Give the next message, None at the end; for the SDK."""
        return await self._arrived.get()

    async def close(self) -> None:
        """Take no more; the run's pipes belong to its executor; for the SDK."""
        self._is_over = True


class _Loaded:
    def __init__(self, connection: Any, exceptions: Any) -> None:  # noqa: ANN401  modules
        self._connection = connection
        self.request_error: Callable[[int, str], Exception] = exceptions.RequestError

    def connect(self, handler: Handler, link: Link) -> Connection:
        connection: Connection = self._connection.Connection(handler, link)
        return connection


async def load_sdk() -> Sdk:
    """Import the SDK in a thread: it takes most of a second, and only the first time."""

    def load() -> Sdk:
        return _Loaded(
            importlib.import_module("acp.connection"), importlib.import_module("acp.exceptions")
        )

    return await anyio.to_thread.run_sync(load)
