"""The types of all messages, LSP's and ours, as pygls' protocol class looks them up."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, cast

import attrs
import cattrs
from attrs import frozen
from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol

from sennit.server.jsonrpc.lsp_types import LSP_ERRORS, lsp_converter, lsp_problems
from sennit.server.jsonrpc.messages import Problems
from sennit_protocol import wire
from sennit_protocol.methods import METHODS, Method


@frozen
class MessageClasses:
    """The classes of a method's message and of its answer, shaped like those of lsprotocol."""

    message: type
    response: type | None


class TypedMessages:
    """A mix-in for pygls' protocol classes that teaches them our methods.

    Servers and the clients of tests use the same one.
    """

    methods: Mapping[str, Method] = METHODS

    def get_message_type(self, method: str) -> type[Any] | None:
        """Give the class of a request or notification."""
        if (own := self.methods.get(method)) is not None:
            return message_classes(own).message
        return _of_lsp(method, 0)

    def get_result_type(self, method: str) -> type[Any] | None:
        """Give the class of the answer to a request."""
        if (own := self.methods.get(method)) is not None:
            return message_classes(own).response
        return _of_lsp(method, 1)


@cache
def message_classes(method: Method) -> MessageClasses:
    """Make the classes of a method's messages."""
    stem = "".join(part.capitalize() for part in method.name.replace("/", "_").split("_"))
    names = {"method": str, "jsonrpc": str, "params": method.params}
    if method.result is None:
        return MessageClasses(_made(f"{stem}Notification", names), None)
    request = _made(f"{stem}Request", {"id": str | int} | names)
    fields = {"id": str | int, "result": method.result, "jsonrpc": str}
    return MessageClasses(request, _made(f"{stem}Response", fields))


@cache
def typed_converter() -> cattrs.Converter:
    """Make a converter for LSP's types and ours; ours may have grown, as answers may."""
    converter = lsp_converter()
    converter.register_structure_hook_func(_is_ours, wire.structure_open)
    converter.register_unstructure_hook_func(_is_ours, wire.unstructure)
    return converter


# The two look-ups of pygls are methods in a cache, which have another type than methods.
class ServerProtocol(TypedMessages, LanguageServerProtocol):  # type: ignore[misc]
    """Reads and writes the parameters and results that are LSP's own; the pump does the rest."""

    def read_params(self, method: str, raw: object) -> object:
        """Structure the parameters of a request or notification; ``Problems`` if they are wrong."""
        type_ = _of_lsp(method, 2)
        return None if type_ is None else _read(lambda: self._converter.structure(raw, type_))

    def read_result(self, method: str, raw: object) -> object:
        """Structure what a client answered; ``Problems`` if it is wrong."""
        response = _of_lsp(method, 1)
        if response is None:
            return raw
        type_ = attrs.fields_dict(response)["result"].type
        return raw if type_ is None else _read(lambda: self._converter.structure(raw, type_))

    def plain(self, value: object) -> object:
        """Give the JSON value of parameters or of a result."""
        return self._converter.unstructure(value)


def make_protocol(version: str, methods: Mapping[str, Method]) -> ServerProtocol:
    """Make the protocol object of one connection with a server object of its own."""
    server = LanguageServer(
        "sennit", version, protocol_cls=ServerProtocol, converter_factory=typed_converter
    )
    protocol = server.protocol
    if not isinstance(protocol, ServerProtocol):
        raise TypeError("pygls made another protocol than it was asked for")
    protocol.methods = methods
    return protocol


def _read(structure: Any) -> object:  # noqa: ANN401  a function without parameters
    try:
        return structure()
    except LSP_ERRORS as error:
        return Problems(lsp_problems(error))


def _of_lsp(method: str, index: int) -> type[Any] | None:
    found = types.METHOD_TO_TYPES.get(method)
    return None if found is None else cast("type[Any] | None", found[index])


def _is_ours(type_: object) -> bool:
    return (
        isinstance(type_, type)
        and attrs.has(type_)
        and type_.__module__.startswith("sennit_protocol.")
    )


def _made(name: str, fields: dict[str, Any]) -> type:
    return attrs.make_class(name, {key: attrs.field(type=type_) for key, type_ in fields.items()})
