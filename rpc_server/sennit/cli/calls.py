"""Requests and answers in both directions over one stream."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from math import inf
from typing import Any

import anyio
from anyio.abc import TaskGroup
from anyio.streams.memory import MemoryObjectSendStream
from attrs import frozen

from sennit.cli.failures import CommandError, NoAnswerError, RefusedError
from sennit.cli.framing import Frames, RubbishError, framed
from sennit.cli.server_process import ServerProcess
from sennit_protocol.errors import ErrorCode

ServerHandler = Callable[[Any], Awaitable[object]]
"""Takes the JSON value of the parameters and gives that of the result.

It is cancelled when the server takes the request back. The handler named `CANCEL_REQUEST` is told
then, with `method` and `params` of that request; its result goes nowhere. A notification that has a
handler goes to it.
"""

CANCEL_REQUEST = "$/cancelRequest"
SHOW_MESSAGE = "window/showMessage"


@frozen
class Notification:
    """What the server tells without asking; ``params`` is the JSON value."""

    method: str
    params: Any


class _Pending:
    """A request that waits for its answer."""

    def __init__(self) -> None:
        self.answered = anyio.Event()
        self.answer: dict[str, Any] = {}


class Calls:
    """Matches answers with requests, and answers what the server asks."""

    def __init__(
        self,
        process: ServerProcess,
        handlers: Mapping[str, ServerHandler],
        notifications: MemoryObjectSendStream[Notification],
    ) -> None:
        """Speak with ``process``; what it tells goes into ``notifications``."""
        self.process = process
        self._handlers = handlers
        self._notifications = notifications
        self._pending: dict[int, _Pending] = {}
        self._served: dict[object, anyio.CancelScope] = {}
        self._last_id = 0
        self._end: CommandError | None = None
        self._out, self._to_write = anyio.create_memory_object_stream[bytes](inf)

    def close(self) -> None:
        """Write nothing any more."""
        self._out.close()
        self._to_write.close()

    @property
    def ended(self) -> bool:
        """Whether the server can no longer be spoken with."""
        return self._end is not None

    async def request(self, method: str, params: object, limit_s: float) -> object:
        """Send a request and wait for its result, ``limit_s`` seconds at most."""
        if self._end is not None:
            raise self._end
        self._last_id += 1
        number, pending = self._last_id, _Pending()
        self._pending[number] = pending
        self._send({"id": number, "method": method, "params": params})
        try:
            with anyio.move_on_after(limit_s):
                await pending.answered.wait()
                return self._result(pending.answer)
        finally:
            del self._pending[number]
            if not pending.answered.is_set():
                self.notify(CANCEL_REQUEST, {"id": number})
        raise NoAnswerError(method, limit_s)

    def notify(self, method: str, params: object) -> None:
        """Send a notification; what the server no longer reads is dropped."""
        self._send({"method": method, "params": params})

    async def write_all(self) -> None:
        """Write what was sent, in order, for as long as the server reads."""
        try:
            with self._to_write:
                async for data in self._to_write:
                    try:
                        await self.process.input.send(data)
                    except (anyio.BrokenResourceError, anyio.ClosedResourceError, OSError):
                        # The reader of its output finds out why, and says so.
                        return
        except anyio.get_cancelled_exc_class():
            # Nothing reaches the server any more, so that no answer is waited for either.
            self._finish(self.process.gone("The command was ended."))
            raise

    async def read_all(self, tasks: TaskGroup) -> None:
        """Read until the server ends; each of its requests is answered by a task of its own."""
        frames = Frames()
        try:
            async for data in self.process.output:
                for message in frames.feed(data):
                    self._take(message, tasks)
        except RubbishError as error:
            self._finish(self.process.gone(f"The server wrote what is {error}."))
            return
        except (anyio.BrokenResourceError, anyio.ClosedResourceError):
            pass
        self._finish(await self.process.ended())

    def _finish(self, end: CommandError) -> None:
        if self._end is None:
            self._end = end
        for pending in self._pending.values():
            pending.answered.set()
        self._notifications.close()

    def _result(self, answer: dict[str, Any]) -> object:
        if not answer:
            if self._end is None:
                raise RuntimeError("a request was woken without an answer")
            raise self._end
        error = answer.get("error")
        if isinstance(error, dict):
            code, message = error.get("code"), error.get("message")
            number = code if isinstance(code, int) else ErrorCode.INTERNAL_ERROR
            raise RefusedError(number, str(message), error.get("data"))
        return answer.get("result")

    def _send(self, message: dict[str, object]) -> None:
        parts = {
            key: value for key, value in message.items() if key != "params" or value is not None
        }
        try:
            self._out.send_nowait(framed({"jsonrpc": "2.0", **parts}))
        except (anyio.BrokenResourceError, anyio.ClosedResourceError):
            # Nobody writes any more, since the server has ended; requests are told by `_finish`.
            return

    def _take(self, message: dict[str, Any], tasks: TaskGroup) -> None:
        method, number = message.get("method"), message.get("id")
        if not isinstance(method, str):
            self._settle(number, message)
        elif method == CANCEL_REQUEST:
            self._take_back(message.get("params"))
        elif number is None and method in self._handlers:
            tasks.start_soon(_told, self._handlers[method], message.get("params"))
        elif number is None:
            self._notifications.send_nowait(Notification(method, message.get("params")))
        else:
            # Noted before its task begins, so that a cancel finds it from the start.
            self._served[number] = anyio.CancelScope()
            tasks.start_soon(self._serve, number, method, message.get("params"))

    def _take_back(self, params: object) -> None:
        scope = self._served.get(params.get("id")) if isinstance(params, dict) else None
        if scope is not None:
            scope.cancel()

    def _settle(self, number: object, message: dict[str, Any]) -> None:
        pending = self._pending.get(number) if isinstance(number, int) else None
        if pending is not None:
            pending.answer = message
            pending.answered.set()

    async def _serve(self, number: object, method: str, params: object) -> None:
        scope, result = self._served[number], None
        try:
            handler = self._handlers.get(method)
            if handler is None:
                text = f"The command line does not answer `{method}`."
                self._refuse(number, ErrorCode.METHOD_NOT_FOUND, text)
                return
            with scope:
                result = await handler(params)
        finally:
            del self._served[number]
        if not scope.cancelled_caught:
            self._send({"id": number, "result": result})
            return
        self._refuse(number, ErrorCode.REQUEST_CANCELLED, "It was taken back.")
        told = self._handlers.get(CANCEL_REQUEST)
        if told is not None:
            await told({"method": method, "params": params})

    def _refuse(self, number: object, code: ErrorCode, text: str) -> None:
        self._send({"id": number, "error": {"code": int(code), "message": text}})


async def _told(handler: ServerHandler, params: object) -> None:
    await handler(params)
