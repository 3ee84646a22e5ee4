"""What each message does, by LSP's life cycle: requests run side by side, each answered once."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping
from enum import Enum, auto
from typing import assert_never

import anyio
from anyio.abc import TaskGroup
from attrs import frozen

from sennit.server import lsp_names
from sennit.server import lsp_words as types
from sennit.server.initialize import initialize_problems
from sennit.server.jsonrpc import envelopes
from sennit.server.jsonrpc.answers import CANCELLED, Answers, internal_error
from sennit.server.jsonrpc.client import read_client
from sennit.server.jsonrpc.connection import Connection
from sennit.server.jsonrpc.envelopes import Id, Mistake, Notification, Reply, Request
from sennit.server.jsonrpc.handlers import Handlers
from sennit.server.jsonrpc.incoming import InFlight, Sequence
from sennit.server.jsonrpc.outgoing import ID_PREFIX
from sennit.server.jsonrpc.routes import Call, Routes
from sennit.server.jsonrpc.workers import Workers
from sennit_protocol.errors import ErrorCode, Problem, RpcError, problems_error

logger = logging.getLogger(__name__)

CANCEL_GRACE_S = 2.0
"""How long cancelled handlers may take to put things in order before they are left alone."""
CLOSING_LIMIT_S = 10.0

CLEAN_END = 0
UNCLEAN_END = 1

_TELL_PROBLEMS_AFTER = (lsp_names.INITIALIZED, lsp_names.WORKSPACE_DID_CHANGE_CONFIGURATION)


class Phase(Enum):
    """Where LSP's life cycle stands."""

    FRESH = auto()
    RUNNING = auto()
    SHUT_DOWN = auto()


@frozen
class FirstAnswer:
    """The result of ``initialize``, and whether the first one was answered by the handshake."""

    result: Callable[[str], Mapping[str, object]]
    given: bool


class Dispatcher:
    """Takes the messages of one connection in their order."""

    def __init__(
        self,
        *,
        root: TaskGroup,
        connection: Connection,
        handlers: Handlers,
        routes: Routes,
        answers: Answers,
        in_flight: InFlight,
        first_answer: FirstAnswer,
        on_process: Callable[[int | None], object],
        on_exit: Callable[[int], None],
    ) -> None:
        self._root = root
        self._connection = connection
        self._handlers = handlers
        self._routes = routes
        self._answers = answers
        self._in_flight = in_flight
        self._first_answer = first_answer
        self._first_is_answered = first_answer.given
        self._on_process = on_process
        self._on_exit = on_exit
        self._sequence = Sequence()
        self._workers = Workers(root)
        self._winding_up = anyio.Lock()
        self._is_wound_up = False
        self._shown: tuple[Problem, ...] = ()
        self.phase = Phase.FRESH
        root.start_soon(self._sequence.run)

    def take(self, body: bytes) -> None:
        """Take the next message."""
        message = envelopes.read_message(body)
        match message:
            case Request():
                self._request(message)
            case Notification():
                self._notification(message)
            case Reply():
                self._connection.outgoing.settle(message)
            case Mistake(id=str(id_)) if id_.startswith(ID_PREFIX):
                # JavaScript leaves a result out that is undefined.
                self._connection.outgoing.settle(Reply(id_, None, None))
            case Mistake():
                self._answers.refuse(message.id, message.error)
            case _:
                assert_never(message)

    @property
    def code_of_end(self) -> int:
        """The exit code if the stream or the client ended the connection now."""
        return CLEAN_END if self.phase is Phase.SHUT_DOWN else UNCLEAN_END

    async def end(self, because: RpcError | None = None) -> None:
        """Settle what is open and close, if ``shutdown`` has not done so.

        Open requests are answered with ``because``, or that they were cancelled.
        """
        self.phase = Phase.SHUT_DOWN
        if because is not None:
            self._answers.settle_all(because)
        await self._wind_up(None)
        self._connection.outgoing.close()

    # Requests.

    def _request(self, request: Request) -> None:
        if request.id in self._in_flight:
            text = f"a request with the id {request.id!r} is still open; that one goes on"
            self._answers.refuse(request.id, RpcError(ErrorCode.INVALID_REQUEST, text))
        elif request.method == lsp_names.INITIALIZE:
            self._initialize(request)
        elif (refusal := self._refusal()) is not None:
            self._answers.error(request.id, refusal)
        elif request.method == lsp_names.SHUTDOWN:
            self.phase = Phase.SHUT_DOWN
            self._in_flight.open(request.id)
            self._root.start_soon(self._wind_up, request.id)
        else:
            self._start(request)

    def _start(self, request: Request) -> None:
        try:
            call = self._routes.request(request)
        except Exception:  # a bug met by one message must not end the connection
            logger.exception("%s cannot be read", request.method)
            call = internal_error(request.method)
        if isinstance(call, RpcError):
            self._answers.error(request.id, call)
            return
        scope = self._in_flight.open(request.id)
        after = self._sequence.arrived
        self._workers.start(lambda: self._run(request, call, scope, after))

    async def _run(
        self, request: Request, call: Call, scope: anyio.CancelScope, after: int
    ) -> None:
        outcome: object = CANCELLED
        with scope:
            try:
                await self._sequence.wait_for(after)
                outcome = self._settings_refusal(request.method) or await call()
            except Exception:  # a handler's bug must not end the connection
                logger.exception("the handler of %s failed", request.method)
                outcome = internal_error(request.method)
        self._answers.settle(request.id, request.method, outcome)

    def _refusal(self) -> RpcError | None:
        match self.phase:
            case Phase.FRESH:
                text = "the first request must be initialize"
                return RpcError(ErrorCode.SERVER_NOT_INITIALIZED, text)
            case Phase.SHUT_DOWN:
                return RpcError(ErrorCode.INVALID_REQUEST, "the server is shutting down")
            case Phase.RUNNING:
                return None
            case _:
                assert_never(self.phase)

    def _settings_refusal(self, method: str) -> RpcError | None:
        if not method.startswith("sennit/") or method in self._handlers.without_settings:
            return None
        problems = self._handlers.settings_problems()
        if not problems:
            return None
        return problems_error(ErrorCode.SETTINGS_INVALID, "the settings are wrong", problems)

    def _initialize(self, request: Request) -> None:
        answered, self._first_is_answered = self._first_is_answered, False
        if self.phase is not Phase.FRESH:
            text = "initialize may be sent only once"
            self._answers.error(request.id, RpcError(ErrorCode.INVALID_REQUEST, text))
            return
        params = {} if request.params is envelopes.ABSENT else request.params
        found = initialize_problems(params)
        if found or not isinstance(params, dict):
            problems = tuple(Problem(path, message) for path, message in found)
            error = problems_error(ErrorCode.INVALID_PARAMS, request.method, problems)
            self._answers.error(request.id, error)
            return
        client = read_client(params)
        self._connection.introduce(client)
        self.phase = Phase.RUNNING
        self._on_process(client.process_id)
        if not answered:
            result = self._first_answer.result(client.position_encoding.value)
            self._answers.result(request.id, result)

    # Notifications.

    def _notification(self, notification: Notification) -> None:
        method = notification.method
        if method == lsp_names.EXIT:
            self._on_exit(self.code_of_end)
        elif self.phase is not Phase.RUNNING:
            logger.info("dropped %s, which came before initialize or after shutdown", method)
        elif method == lsp_names.CANCEL_REQUEST:
            if (id_ := _id_in(notification.params, "id")) is not None:
                self._in_flight.cancel(id_)
        else:
            self._handle(notification)

    def _handle(self, notification: Notification) -> None:
        method = notification.method
        if method == lsp_names.WINDOW_WORK_DONE_PROGRESS_CANCEL:
            token = _id_in(notification.params, "token")
            on_cancel = None if token is None else self._connection.tokens.on_cancel(token)
            if on_cancel is not None:
                self._root.start_soon(_guarded, on_cancel)
        try:
            call = self._routes.notification(notification)
        except Exception:  # a bug met by one message must not end the connection
            logger.exception("%s cannot be read", method)
            return
        if call is not None:
            self._sequence.add(call)
        if method in _TELL_PROBLEMS_AFTER:
            self._sequence.add(self._show_settings_problems)

    async def _show_settings_problems(self) -> None:
        problems = self._handlers.settings_problems()
        if problems and problems != self._shown:
            error = problems_error(ErrorCode.SETTINGS_INVALID, "Sennit's settings", problems)
            self._connection.show_message(types.MessageType.Error, error.message)
        self._shown = problems

    # The end.

    async def _wind_up(self, shutdown: Id | None) -> None:
        """Settle what is open, close, and answer ``shutdown`` if that is what asked for it."""
        async with self._winding_up:
            if not self._is_wound_up:
                self._is_wound_up = True
                await self._settle_others(shutdown)
                await self._close()
            if shutdown is not None:
                self._answers.settle(shutdown, lsp_names.SHUTDOWN, None)

    async def _settle_others(self, but: Id | None) -> None:
        self._in_flight.cancel_all(but)
        for id_ in await self._in_flight.settled_within(CANCEL_GRACE_S, but):
            logger.error("the handler of request %r goes on in spite of its cancellation", id_)
            self._answers.settle(id_, "", CANCELLED)

    async def _close(self) -> None:
        with anyio.move_on_after(CLOSING_LIMIT_S) as limit:
            await _guarded(self._handlers.closing)
        if limit.cancelled_caught:
            logger.error("closing took longer than %s s", CLOSING_LIMIT_S)


async def _guarded(call: Callable[[], Awaitable[None]]) -> None:
    try:
        await call()
    except Exception:  # a bug there must not end the connection
        logger.exception("%r failed", call)


def _id_in(params: object, key: str) -> Id | None:
    return envelopes.valid_id(params.get(key)) if isinstance(params, dict) else None
