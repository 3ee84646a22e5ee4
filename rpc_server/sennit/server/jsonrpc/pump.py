"""The run of one connection: reads until something ends it, then ends it in order."""

from __future__ import annotations

import logging
from typing import assert_never

import anyio
from anyio.abc import TaskGroup
from attrs import frozen

from sennit.server import lsp_names
from sennit.server.handshake import signals_that_end
from sennit.server.jsonrpc.answers import Answers
from sennit.server.jsonrpc.connection import Connection
from sennit.server.jsonrpc.dispatcher import UNCLEAN_END, Dispatcher, FirstAnswer
from sennit.server.jsonrpc.framing import BadHeader, Body, Frame, Framer, OverLimit
from sennit.server.jsonrpc.handlers import Handlers
from sennit.server.jsonrpc.incoming import InFlight
from sennit.server.jsonrpc.messages import Messages
from sennit.server.jsonrpc.parent import wait_until_gone
from sennit.server.jsonrpc.routes import Routes
from sennit.server.jsonrpc.transport import Sink, Source
from sennit_protocol.errors import ErrorCode, RpcError

logger = logging.getLogger(__name__)

FLUSH_LIMIT_S = 1.0
_ENDED_BY_SIGNAL = 128


@frozen
class Ends:
    """The two ends of the stream, the machine between bytes and messages, and who started us."""

    source: Source
    sink: Sink
    framer: Framer
    ancestors: frozenset[int]


class Pump:
    """Moves the messages of one connection; made for one run."""

    def __init__(
        self,
        ends: Ends,
        messages: Messages,
        connection: Connection,
        handlers: Handlers,
        first_answer: FirstAnswer,
    ) -> None:
        self._ends = ends
        self._messages = messages
        self._connection = connection
        self._handlers = handlers
        self._first_answer = first_answer
        self._in_flight = InFlight()
        self._answers = Answers(ends.sink.send, messages, self._in_flight)
        self._code: int | None = None
        self._because: RpcError | None = None
        self._reading = anyio.CancelScope()
        connection.on_stop = self._stop

    async def run(self, first: bytes) -> int:
        """Serve until the end; gives the exit code. ``first`` is what was read before."""
        async with anyio.create_task_group() as root:
            dispatcher = self._dispatcher(root)
            root.start_soon(self._obey_signals)
            root.start_soon(self._ends.sink.run)
            root.start_soon(self._notice_broken_sink, dispatcher)
            with self._reading:
                await self._read(dispatcher, first)
            self._ends.source.close()
            await dispatcher.end(self._because)
            root.cancel_scope.cancel()
        with anyio.move_on_after(FLUSH_LIMIT_S):
            await self._ends.sink.flush()
        self._ends.sink.close()
        return UNCLEAN_END if self._code is None else self._code

    def _dispatcher(self, root: TaskGroup) -> Dispatcher:
        return Dispatcher(
            root=root,
            connection=self._connection,
            handlers=self._handlers,
            routes=Routes(self._messages, self._handlers, self._connection),
            answers=self._answers,
            in_flight=self._in_flight,
            first_answer=self._first_answer,
            on_process=lambda pid: root.start_soon(self._stop_with_parent, pid),
            on_exit=self._stop,
        )

    async def _read(self, dispatcher: Dispatcher, first: bytes) -> None:
        framer = self._ends.framer

        def take(data: bytes) -> bool:
            if self._code is not None:
                return False
            frame = next(framer.feed(data), None)
            if frame is None:
                return False
            self._take(dispatcher, frame)
            return framer.holds_more

        await self._ends.source.pour(take, first)
        if framer.holds_a_part:
            logger.warning("the stream ended in the middle of a message")
        self._stop(dispatcher.code_of_end)

    def _take(self, dispatcher: Dispatcher, frame: Frame) -> None:
        match frame:
            case Body():
                dispatcher.take(frame.content)
            case OverLimit():
                self._drained(frame)
            case BadHeader():
                self._answers.refuse(None, RpcError(ErrorCode.INVALID_REQUEST, frame.message))
            case _:
                assert_never(frame)

    def _drained(self, frame: OverLimit) -> None:
        seen = frame.glimpse
        is_unknown = seen.method is None and seen.id is None
        if seen.method == lsp_names.TEXT_DOCUMENT_DID_CHANGE or is_unknown:
            self._connection.documents.lost(seen.uri)
        text = f"a message of {frame.length} bytes is over the limit of {frame.limit} bytes"
        data = {"reason": "messageTooLong", "length": frame.length, "limit": frame.limit}
        self._answers.refuse(seen.id, RpcError(ErrorCode.INVALID_REQUEST, text, data))

    def _stop(self, code: int, because: RpcError | None = None) -> None:
        """End the connection in order; the first code, and reason, counts."""
        if self._code is None:
            self._code, self._because = code, because
        self._reading.cancel()

    async def _obey_signals(self) -> None:
        with anyio.open_signal_receiver(*signals_that_end()) as signals:
            async for number in signals:
                logger.info("ended by %s", number.name)
                self._stop(_ENDED_BY_SIGNAL + number)

    async def _notice_broken_sink(self, dispatcher: Dispatcher) -> None:
        await self._ends.sink.broken.wait()
        logger.info("the client does not read any more")
        self._stop(dispatcher.code_of_end)

    async def _stop_with_parent(self, pid: int | None) -> None:
        await wait_until_gone(pid, self._ends.ancestors)
        logger.warning("the editor's process %s is gone", pid)
        self._stop(UNCLEAN_END)
