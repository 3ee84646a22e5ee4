"""What a client told of itself in ``initialize``, as a value."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from attrs import frozen
from lsprotocol import types

from sennit.core.text import PositionEncoding
from sennit.server.initialize import chosen_encoding
from sennit.server.jsonrpc.lsp_types import LSP_ERRORS, lsp_converter

logger = logging.getLogger(__name__)


@frozen
class SennitOptions:
    """``capabilities.experimental.sennit`` of the client."""

    protocol_version: str | None = None
    client_id: str | None = None
    ask: bool = False
    review: bool = False
    apply_report: bool = False
    output: bool = False
    unattended: bool = False


@frozen
class Client:
    """One client; workspace folders and trust change during the connection, by replacement."""

    name: str
    version: str | None
    process_id: int | None
    capabilities: types.ClientCapabilities
    position_encoding: PositionEncoding
    sennit: SennitOptions
    folders: tuple[types.WorkspaceFolder, ...]
    trusted: bool
    initialization_options: object

    @property
    def shows_progress(self) -> bool:
        """Whether the server may create progress of its own."""
        window = self.capabilities.window
        return window is not None and window.work_done_progress is True


def read_client(params: Mapping[str, object]) -> Client:
    """Make the client from parameters of ``initialize`` in which no problem was found."""
    capabilities = params["capabilities"]
    info = _object(params.get("clientInfo"))
    name, version = info.get("name"), info.get("version")
    process = params.get("processId")
    options = params.get("initializationOptions")
    return Client(
        name=name if isinstance(name, str) else "unknown client",
        version=version if isinstance(version, str) else None,
        process_id=process if isinstance(process, int) else None,
        capabilities=_capabilities(capabilities),
        position_encoding=PositionEncoding(chosen_encoding(dict(params))),
        sennit=_sennit_options(_object(_object(capabilities).get("experimental")).get("sennit")),
        folders=_folders(params),
        trusted=_object(options).get("trusted") is True,
        initialization_options=options,
    )


UNKNOWN_CLIENT = Client(
    name="unknown client",
    version=None,
    process_id=None,
    capabilities=types.ClientCapabilities(),
    position_encoding=PositionEncoding.UTF16,
    sennit=SennitOptions(),
    folders=(),
    trusted=False,
    initialization_options=None,
)
"""Stands for the client until it has introduced itself."""


def _capabilities(raw: object) -> types.ClientCapabilities:
    try:
        return lsp_converter().structure(raw, types.ClientCapabilities)
    except LSP_ERRORS:
        # One odd capability must not cost the connection: what cannot be read is not used.
        logger.warning("the client's capabilities cannot be read; none is used", exc_info=True)
        return types.ClientCapabilities()


def _sennit_options(raw: object) -> SennitOptions:
    options = _object(raw)
    version, client_id = options.get("protocolVersion"), options.get("clientId")
    return SennitOptions(
        protocol_version=version if isinstance(version, str) else None,
        client_id=client_id if isinstance(client_id, str) else None,
        ask=options.get("ask") is True,
        review=options.get("review") is True,
        apply_report=options.get("applyReport") is True,
        output=options.get("output") is True,
        unattended=options.get("unattended") is True,
    )


def _folders(params: Mapping[str, object]) -> tuple[types.WorkspaceFolder, ...]:
    folders = params.get("workspaceFolders")
    if isinstance(folders, list):
        read = [_object(folder) for folder in folders]
        return tuple(types.WorkspaceFolder(str(f["uri"]), str(f["name"])) for f in read)
    root, path = params.get("rootUri"), params.get("rootPath")
    if isinstance(root, str) and root:
        return (types.WorkspaceFolder(root, root.rpartition("/")[2]),)
    if isinstance(path, str) and Path(path).is_absolute():
        return (types.WorkspaceFolder(Path(path).as_uri(), Path(path).name),)
    return ()


def _object(value: object) -> Mapping[str, object]:
    return value if isinstance(value, dict) else MappingProxyType({})
