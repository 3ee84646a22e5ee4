"""Requests from the server to the client: each has a time limit and one outcome."""

from __future__ import annotations

import itertools
import logging
from collections.abc import Callable

import anyio
from attrs import frozen

from sennit.server import lsp_names
from sennit.server.jsonrpc import envelopes
from sennit.server.jsonrpc.messages import Messages, Problems

logger = logging.getLogger(__name__)
ID_PREFIX = "sennit-"


@frozen
class ClientError:
    """The client refused a request."""

    method: str
    code: int
    message: str
    data: object = None


@frozen
class ClientNonsense:
    """The client answered something that is no answer, so nobody knows what it has done."""

    method: str
    message: str


@frozen
class ClientTimeout:
    """The client did not answer in time."""

    method: str
    timeout_s: float


@frozen
class ClientGone:
    """The connection ended before the client answered."""

    method: str


ClientFailure = ClientError | ClientNonsense | ClientTimeout | ClientGone
BAD_REPLY = -32603


class Outgoing:
    """The requests of one connection that wait for the client."""

    def __init__(self, send: Callable[[dict[str, object]], None], messages: Messages) -> None:
        self._send = send
        self._messages = messages
        self._numbers = itertools.count(1)
        self._waiting: dict[str, _Waiter] = {}
        self._closed = False

    @property
    def waiting(self) -> int:
        """How many requests wait for the client."""
        return len(self._waiting)

    async def request(self, method: str, params: object, timeout_s: float) -> object:
        """Ask the client; gives its typed result or a ``ClientFailure``.

        When the time is over or the caller is cancelled, the client is told that the answer is no
        longer wanted, and an answer that comes all the same is dropped.
        """
        if self._closed:
            return ClientGone(method)
        plain = None if params is None else self._messages.plain(method, params)
        id_ = f"{ID_PREFIX}{next(self._numbers)}"
        waiter = self._waiting[id_] = _Waiter()
        try:
            self._send(envelopes.request(id_, method, plain))
            with anyio.move_on_after(timeout_s):
                await waiter.answered.wait()
            if waiter.reply is not None:
                return self._outcome(method, waiter.reply)
            return ClientGone(method) if waiter.is_orphan else ClientTimeout(method, timeout_s)
        finally:
            del self._waiting[id_]
            if waiter.reply is None and not waiter.is_orphan:
                self._send(envelopes.notification(lsp_names.CANCEL_REQUEST, {"id": id_}))

    def settle(self, reply: envelopes.Reply) -> None:
        """Hand a reply to its waiter; a reply to nobody is dropped."""
        waiter = self._waiting.get(reply.id) if isinstance(reply.id, str) else None
        if waiter is None or waiter.reply is not None:
            logger.info("dropped a reply that nobody waits for: %r", reply.id)
            return
        waiter.reply = reply
        waiter.answered.set()

    def close(self) -> None:
        """Tell every waiter that the client is gone."""
        self._closed = True
        for waiter in self._waiting.values():
            waiter.is_orphan = True
            waiter.answered.set()

    def _outcome(self, method: str, reply: envelopes.Reply) -> object:
        if reply.error is not None:
            return _client_error(method, reply.error)
        result = self._messages.read_result(method, reply.result)
        if isinstance(result, Problems):
            told = "; ".join(f"{p.path or 'it'} {p.message}" for p in result.problems)
            return ClientNonsense(method, f"the client's answer makes no sense: {told}")
        return result


class _Waiter:
    def __init__(self) -> None:
        self.answered = anyio.Event()
        self.reply: envelopes.Reply | None = None
        self.is_orphan = False


def _client_error(method: str, error: object) -> ClientError:
    if not isinstance(error, dict):
        return ClientError(method, BAD_REPLY, "the client answered with an error that is none")
    code, message = error.get("code"), error.get("message")
    return ClientError(
        method,
        code if isinstance(code, int) else BAD_REPLY,
        message if isinstance(message, str) else "the client gave no reason",
        error.get("data"),
    )
