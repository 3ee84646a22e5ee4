"""What answers requests: functions by method. They never see an envelope."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any

from attrs import field, frozen

from sennit_protocol.errors import Problem

if TYPE_CHECKING:
    from sennit.server.jsonrpc.connection import Connection
    from sennit.server.jsonrpc.envelopes import Id


@frozen
class Context:
    """The circumstances of one message. A cancelled request is a cancelled task, as in anyio."""

    connection: Connection
    method: str
    request_id: Id | None
    work_done_token: str | int | None


RequestHandler = Callable[[Context, Any], Awaitable[object]]
"""Takes typed parameters; gives the typed result or an ``RpcError``."""
NotificationHandler = Callable[[Context, Any], Awaitable[None]]
"""Takes typed parameters. Handlers run one after the other, in the order of arrival, and a request
waits for those of the notifications before it; they must be short."""
CommandHandler = Callable[[Context, tuple[object, ...]], Awaitable[object]]
"""Takes the arguments of ``workspace/executeCommand``; gives a JSON value or an ``RpcError``."""


def _no_problems() -> tuple[Problem, ...]:
    return ()


async def _nothing_to_close() -> None:
    pass


@frozen(kw_only=True)
class Handlers:
    """All handlers of a server.

    While ``settings_problems`` lists any, every request under ``sennit/`` that is not in
    ``without_settings`` is answered with them. ``closing`` is awaited once, at the end, however it
    comes, before the connection is gone where that can be.
    """

    requests: Mapping[str, RequestHandler] = field(factory=dict)
    notifications: Mapping[str, NotificationHandler] = field(factory=dict)
    commands: Mapping[str, CommandHandler] = field(factory=dict)
    settings_problems: Callable[[], tuple[Problem, ...]] = _no_problems
    without_settings: frozenset[str] = frozenset({"sennit/doctor"})
    closing: Callable[[], Awaitable[None]] = _nothing_to_close
