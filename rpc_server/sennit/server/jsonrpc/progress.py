"""Work done progress: by the token of a request, or by one that the server creates."""

from __future__ import annotations

import itertools
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Protocol

from attrs import frozen

from sennit.server import lsp_names
from sennit.server.jsonrpc.outgoing import (
    ClientError,
    ClientGone,
    ClientNonsense,
    ClientTimeout,
)

logger = logging.getLogger(__name__)
Token = str | int
OnCancel = Callable[[], Awaitable[None]]
CREATE_TIMEOUT_S = 5.0


class Wire(Protocol):
    """What progress needs of a connection."""

    def notify(self, method: str, params: object) -> None:
        """Send a notification."""

    async def request(self, method: str, params: object, timeout_s: float) -> object:
        """Send a request."""


@frozen
class Progress:
    """One progress of the client; without a token it goes nowhere."""

    _wire: Wire
    token: Token | None

    def report(self, message: str, percentage: int | None = None) -> None:
        """Show where the work is; percentage from 0 to 100."""
        told = {} if percentage is None else {"percentage": percentage}
        self._send({"kind": "report", "message": message, **told})

    def begin(self, title: str, *, cancellable: bool) -> None:
        """Show the work; ``progress`` does that."""
        self._send({"kind": "begin", "title": title, "cancellable": cancellable})

    def end(self, message: str | None) -> None:
        """Take the work from the screen; ``progress`` does that."""
        self._send({"kind": "end"} if message is None else {"kind": "end", "message": message})

    def _send(self, value: dict[str, object]) -> None:
        if self.token is not None:
            self._wire.notify(lsp_names.PROGRESS, {"token": self.token, "value": value})


class ProgressTokens:
    """The tokens in use on one connection, and what a cancel of each does."""

    def __init__(self) -> None:
        self._on_cancel: dict[Token, OnCancel | None] = {}
        self._numbers = itertools.count(1)

    def __len__(self) -> int:
        return len(self._on_cancel)

    def on_cancel(self, token: Token) -> OnCancel | None:
        """Give what to do when the user cancels this progress."""
        return self._on_cancel.get(token)

    @asynccontextmanager
    async def progress(
        self,
        wire: Wire,
        title: str,
        *,
        token: Token | None,
        may_create: bool,
        on_cancel: OnCancel | None,
    ) -> AsyncIterator[Progress]:
        """Show a progress while the block runs; its token is forgotten afterwards."""
        if token is None and may_create:
            token = await _created(wire, f"sennit-progress-{next(self._numbers)}")
        if token is None or token in self._on_cancel:
            yield Progress(wire, None)
            return
        self._on_cancel[token] = on_cancel
        progress = Progress(wire, token)
        try:
            progress.begin(title, cancellable=on_cancel is not None)
            yield progress
        finally:
            del self._on_cancel[token]
            progress.end(None)


async def _created(wire: Wire, token: Token) -> Token | None:
    method = lsp_names.WINDOW_WORK_DONE_PROGRESS_CREATE
    outcome = await wire.request(method, {"token": token}, CREATE_TIMEOUT_S)
    match outcome:
        case ClientError() | ClientNonsense() | ClientTimeout() | ClientGone():
            logger.info("the client shows no progress: %s", outcome)
            return None
        case _:
            return token
