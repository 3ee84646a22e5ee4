"""What the messages of a connection carry: read when they come, written when they go."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from attrs import frozen

from sennit.server import lsp_names
from sennit_protocol import wire
from sennit_protocol.errors import Problem
from sennit_protocol.methods import Method
from sennit_protocol.wire_problems import WireError

if TYPE_CHECKING:
    from sennit.server.jsonrpc.protocol import ServerProtocol

_NO_PARAMS = frozenset({lsp_names.INITIALIZED})
_NO_RESULT = frozenset({lsp_names.WINDOW_WORK_DONE_PROGRESS_CREATE})


@frozen
class Problems:
    """What came over the wire does not fit its type."""

    problems: tuple[Problem, ...]


class Messages:
    """Reads and writes the parameters and results of one connection.

    What is LSP's own is left to pygls' protocol, which is imported and made when it is needed:
    at once for an editor, perhaps never for a client of a terminal.
    """

    def __init__(self, version: str, methods: Mapping[str, Method]) -> None:
        """Know ``methods`` beside those of LSP; ``version`` is the server's."""
        self.methods = methods
        self._version = version
        self._lsp: ServerProtocol | None = None

    def learn_lsp(self) -> ServerProtocol:
        """Get ready for what is LSP's own: by pygls' protocol, with a server object of its own."""
        if self._lsp is None:
            from sennit.server.jsonrpc.protocol import make_protocol  # noqa: PLC0415  see the class

            self._lsp = make_protocol(self._version, self.methods)
        return self._lsp

    def read_params(self, method: str, raw: object) -> object:
        """Structure the parameters of a request or notification; ``Problems`` if they are wrong."""
        if (own := self.methods.get(method)) is not None:
            return problems_or(lambda: wire.structure(raw, own.params))
        return None if method in _NO_PARAMS else self.learn_lsp().read_params(method, raw)

    def read_result(self, method: str, raw: object) -> object:
        """Structure what a client answered; ``Problems`` if it is wrong."""
        if (own := self.methods.get(method)) is not None:
            result = own.result or type(None)
            return problems_or(lambda: wire.structure_open(raw, result))
        return None if method in _NO_RESULT else self.learn_lsp().read_result(method, raw)

    def plain(self, method: str, value: object) -> object:
        """Give the JSON value of parameters or of a result; an object may be given as it is."""
        if method in self.methods:
            return wire.unstructure(value)
        return value if value is None or isinstance(value, dict) else self.learn_lsp().plain(value)


def problems_or(structure: Callable[[], object]) -> object:
    """Give what is read, or the problems with it."""
    try:
        return structure()
    except WireError as error:
        return Problems(error.problems)
