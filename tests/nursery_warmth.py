"""What a process works out once, when it needs it first: done here, so that no fork does it again.

Left to the forks is what depends on their environment, settings or repositories.
"""

from __future__ import annotations

from importlib import import_module

from lsprotocol import types

from sennit.server.jsonrpc.protocol import message_classes, typed_converter
from sennit.server.starting import codec_of_this_program
from sennit_protocol import wire
from sennit_protocol.methods import METHODS

_AT_FIRST_USE = (
    "anyio._backends._asyncio",
    "anyio._core._fileio",
    "anyio._core._signals",
    "anyio._core._streams",
    "anyio._core._subprocesses",
    "encodings.ascii",
)
"""Modules that others import when they are called, which a start does not do."""
_OF_EDITORS = (
    types.TEXT_DOCUMENT_DID_OPEN,
    types.TEXT_DOCUMENT_DID_CHANGE,
    types.TEXT_DOCUMENT_DID_SAVE,
    types.TEXT_DOCUMENT_DID_CLOSE,
    types.WORKSPACE_APPLY_EDIT,
)
"""Messages of LSP that most tests with an editor send."""


def warm() -> None:
    """Import, and make the functions that read and write messages and rows."""
    for name in _AT_FIRST_USE:
        import_module(name)
    codec_of_this_program().complete()
    read, read_open = wire._strict(), wire._open()
    for method in METHODS.values():
        message_classes(method)
        for type_ in (method.params, method.result):
            if type_ is not None:
                read.get_structure_hook(type_)
                read.get_unstructure_hook(type_)
                read_open.get_structure_hook(type_)
    editors = typed_converter()
    for name in _OF_EDITORS:
        params = types.METHOD_TO_TYPES[name][2]
        editors.get_structure_hook(params)
        editors.get_unstructure_hook(params)
