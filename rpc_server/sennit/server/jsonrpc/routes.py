"""From a request or notification to the call that handles it, or the error that answers it."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any

from sennit.server import lsp_names
from sennit.server import lsp_words as types
from sennit.server.jsonrpc.connection import Connection
from sennit.server.jsonrpc.envelopes import ABSENT, Id, Notification, Request, valid_id
from sennit.server.jsonrpc.handlers import Context, Handlers
from sennit.server.jsonrpc.messages import Messages, Problems
from sennit_protocol.errors import ErrorCode, Problem, ReasonData, RpcError, problems_error
from sennit_protocol.methods import Method, Sender

logger = logging.getLogger(__name__)
Call = Callable[[], Awaitable[object]]
NOT_AVAILABLE_YET = ReasonData("notAvailableYet")


class Routes:
    """Knows all methods of one connection."""

    def __init__(self, messages: Messages, handlers: Handlers, connection: Connection) -> None:
        self._messages = messages
        self._connection = connection
        self._requests, self._commands = handlers.requests, handlers.commands
        self._notifications = handlers.notifications
        documents = connection.documents
        self._at_once: Mapping[str, Callable[[Any], None]] = {
            lsp_names.TEXT_DOCUMENT_DID_OPEN: documents.opened,
            lsp_names.TEXT_DOCUMENT_DID_CHANGE: documents.changed,
            lsp_names.TEXT_DOCUMENT_DID_CLOSE: documents.closed,
            lsp_names.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS: connection.change_folders,
        }

    def request(self, request: Request) -> Call | RpcError:
        """Find the call for a request whose time is right."""
        if request.method == lsp_names.WORKSPACE_EXECUTE_COMMAND:
            return self._command(request)
        handler = self._requests.get(request.method)
        own = self._messages.methods.get(request.method)
        if own is not None and _is_request_of_client(own):
            if handler is None or not own.available:
                return _not_available_yet(request.method)
        elif own is not None or handler is None:
            return _no_request(request.method, own)
        params = self._params(request.method, request.params)
        if isinstance(params, RpcError):
            return params
        return partial(handler, self._context(request.method, request.params, request.id), params)

    def notification(self, notification: Notification) -> Call | None:
        """Take note of a notification and find the call for it, if any."""
        method = notification.method
        at_once = self._at_once.get(method)
        handler = self._notifications.get(method)
        if at_once is None and handler is None:
            own = self._messages.methods.get(method)
            if own is not None and _is_request_of_client(own):
                logger.warning("ignored %s, a request that came without an id", method)
            else:
                logger.info("ignored the notification %s", method)
            return None
        params = self._params(method, notification.params)
        if isinstance(params, RpcError):
            logger.warning("ignored %s: %s", method, params.message)
            if at_once is not None:
                self._lost(method, notification.params)
            return None
        if at_once is not None:
            at_once(params)
        if handler is None:
            return None
        return partial(handler, self._context(method, notification.params, None), params)

    def _command(self, request: Request) -> Call | RpcError:
        params = self._params(request.method, request.params)
        if isinstance(params, RpcError):
            return params
        if not isinstance(params, types.ExecuteCommandParams):
            raise TypeError("lsprotocol gave another type than the parameters of a command")
        handler = self._commands.get(params.command)
        if handler is None:
            known = tuple(sorted(self._commands))
            problem = Problem("command", f"no command is called {params.command}", known)
            return problems_error(ErrorCode.INVALID_PARAMS, request.method, (problem,))
        context = self._context(request.method, request.params, request.id)
        return partial(handler, context, tuple(params.arguments or ()))

    def _params(self, method: str, raw: object) -> object:
        raw = {} if raw is ABSENT else raw
        if not isinstance(raw, dict):
            read: object = Problems((Problem("", "must be an object"),))
        else:
            read = self._messages.read_params(method, raw)
        if isinstance(read, Problems):
            return problems_error(ErrorCode.INVALID_PARAMS, method, read.problems)
        return read

    def _context(self, method: str, params: object, id_: Id | None) -> Context:
        token = params.get("workDoneToken") if isinstance(params, dict) else None
        return Context(self._connection, method, id_, valid_id(token))

    def _lost(self, method: str, params: object) -> None:
        """A change that cannot be read leaves the text of its document unknown."""
        if method != lsp_names.TEXT_DOCUMENT_DID_CHANGE:
            return
        document = params.get("textDocument") if isinstance(params, dict) else None
        uri = document.get("uri") if isinstance(document, dict) else None
        self._connection.documents.lost(uri if isinstance(uri, str) else None)


def _is_request_of_client(method: Method) -> bool:
    return method.sender is Sender.CLIENT and method.result is not None


def _no_request(method: str, own: Method | None) -> RpcError:
    if own is None:
        known = "; `capabilities.experimental.sennit.methods` of `initialize` lists ours"
        text = f"no request is called {method}{known if method.startswith('sennit/') else ''}"
    elif own.sender is Sender.CLIENT:
        text = f"{method} is a notification; send it without an id"
    else:
        text = f"{method} is what the server sends; it does not answer it"
    return RpcError(ErrorCode.METHOD_NOT_FOUND, text)


def _not_available_yet(method: str) -> RpcError:
    text = f"{method} is not available yet in this version of the server"
    return RpcError(ErrorCode.METHOD_NOT_FOUND, text, NOT_AVAILABLE_YET)
