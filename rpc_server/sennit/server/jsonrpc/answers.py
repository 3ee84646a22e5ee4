"""Sends the one answer to each request."""

from __future__ import annotations

import logging
from collections.abc import Callable

from sennit.server.jsonrpc import envelopes
from sennit.server.jsonrpc.envelopes import Id
from sennit.server.jsonrpc.incoming import InFlight
from sennit.server.jsonrpc.messages import Messages
from sennit_protocol.errors import ErrorCode, RpcError
from sennit_protocol.wire import unstructure

logger = logging.getLogger(__name__)

CANCELLED = RpcError(ErrorCode.REQUEST_CANCELLED, "the request was cancelled")


class Answers:
    """Answers requests of one connection; which are open is told by ``in_flight``."""

    def __init__(
        self, send: Callable[[bytes], None], messages: Messages, in_flight: InFlight
    ) -> None:
        self._send = send
        self._messages = messages
        self._in_flight = in_flight

    def settle(self, id_: Id, method: str, outcome: object) -> None:
        """Answer an open request with what its handler gave, an ``RpcError`` too."""
        if not self._in_flight.settle(id_):
            return
        if isinstance(outcome, RpcError):
            self.error(id_, outcome)
            return
        try:
            plain = self._messages.plain(method, outcome)
            framed = envelopes.framed(envelopes.answer(id_, plain))
        except Exception:  # a result that cannot travel is a bug of its handler
            logger.exception("the result of %s cannot be sent", method)
            self.error(id_, internal_error(method))
            return
        self._send(framed)

    def settle_all(self, error: RpcError) -> None:
        """Answer all open requests with an error, and cancel their handlers."""
        self._in_flight.cancel_all(None)
        for id_ in self._in_flight.ids:
            self.settle(id_, "", error)

    def result(self, id_: Id, plain: object) -> None:
        """Answer with a JSON value."""
        self._send(envelopes.framed(envelopes.answer(id_, plain)))

    def error(self, id_: Id | None, error: RpcError) -> None:
        """Answer with an error; without an id it says that a message was no valid request."""
        try:
            data = None if error.data is None else unstructure(error.data)
            framed = envelopes.framed(envelopes.error_answer(id_, error, data))
        except Exception:  # the error itself still has to arrive
            logger.exception("the data of an error cannot be sent: %s", error.message)
            framed = envelopes.framed(envelopes.error_answer(id_, error, None))
        self._send(framed)

    def refuse(self, id_: Id | None, error: RpcError) -> None:
        """Answer what is no valid request; an id that is open would settle the wrong one."""
        logger.warning("refused a message: %s", error.message)
        self.error(None if id_ is None or id_ in self._in_flight else id_, error)


def internal_error(method: str) -> RpcError:
    """Make the error for a bug of ours."""
    text = f"{method} failed by a bug of the server; its log has the traceback"
    return RpcError(ErrorCode.INTERNAL_ERROR, text)
