"""Puts the parts of one connection together."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from attrs import frozen

from sennit.server.handshake import Start
from sennit.server.jsonrpc.connection import Connection
from sennit.server.jsonrpc.dispatcher import FirstAnswer
from sennit.server.jsonrpc.framing import DEFAULT_LIMIT, Framer
from sennit.server.jsonrpc.handlers import Handlers
from sennit.server.jsonrpc.messages import Messages
from sennit.server.jsonrpc.pump import Ends, Pump
from sennit.server.jsonrpc.transport import Sink, Source
from sennit_protocol.methods import Method


@frozen
class Served:
    """A connection that is ready to be served, once."""

    connection: Connection
    _ends: Ends
    _messages: Messages
    _first_answer: FirstAnswer
    _first: bytes

    def set_message_limit(self, limit: int) -> None:
        """Refuse messages of more bytes than this from now on."""
        self._ends.framer.limit = limit

    async def serve(self, handlers: Handlers) -> int:
        """Serve until the end; gives the exit code of the process.

        Runs on the main thread of an ``anyio.run``, for it takes SIGTERM and SIGINT over.
        """
        pump = Pump(self._ends, self._messages, self.connection, handlers, self._first_answer)
        return await pump.run(self._first)


def open_connection(
    start: Start,
    *,
    version: str,
    methods: Mapping[str, Method],
    initialize_result: Callable[[str], Mapping[str, object]],
    message_limit: int = DEFAULT_LIMIT,
) -> Served:
    """Open the connection that the handshake began; each has one server object of its own."""
    messages = Messages(version, methods)
    ends = Ends(Source(start.source), Sink(start.sink), Framer(message_limit), start.ancestors)
    connection = Connection(ends.sink, messages)
    first_answer = FirstAnswer(initialize_result, start.answered)
    return Served(connection, ends, messages, first_answer, start.first)
