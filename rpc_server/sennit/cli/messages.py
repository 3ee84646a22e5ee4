"""What the server wants its user to read, beside what the command has asked it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from attrs import define, field

from sennit.cli.failures import CommandError, RefusedError
from sennit_protocol.errors import ErrorCode

_WARNING = 2
"""LSP's `MessageType`: 1 is an error, 2 a warning, what is above is chatter."""
_TOLD_BY_THE_ANSWER = (ErrorCode.SETTINGS_INVALID, ErrorCode.STORE_UNAVAILABLE)


@define(eq=False)
class Messages:
    """Collects messages until the command has said what it has to say.

    ``at_once`` tells that it waits now, perhaps for long, so that they are told by ``tell``.
    """

    _tell: Callable[[str], None]
    _at_once: Callable[[], bool]
    _told: set[str] = field(factory=set, init=False)
    _heard: list[str] = field(factory=list, init=False)

    async def hear(self, params: Any) -> object:  # noqa: ANN401  a JSON value
        """Take a ``window/showMessage``."""
        if isinstance(params, dict) and params.get("type", _WARNING) <= _WARNING:
            text = str(params.get("message"))
            if text in self._told or text in self._heard:
                return None
            if self._at_once():
                self._told.add(text)
                self._tell(text)
            else:
                self._heard.append(text)
        return None

    def told(self, failure: CommandError | None) -> tuple[str, ...]:
        """What is to be read, unless the failure of the command says the same."""
        if isinstance(failure, RefusedError) and failure.code in _TOLD_BY_THE_ANSWER:
            return ()
        return tuple(self._heard)
