"""What a client told of itself in ``initialize``, as a value."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from attrs import frozen

from sennit.core.text import PositionEncoding
from sennit.server.initialize import chosen_encoding


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
class Folder:
    """A folder of the client's window."""

    uri: str
    name: str


@frozen
class Abilities:
    """What the server asks of ``capabilities``; what is told wrongly counts as not told.

    ``documents``: those of a text editor, whatever they are. ``operations`` are the resource
    operations of an edit: create, rename, delete.
    """

    documents: bool = False
    edits: bool = False
    document_changes: bool = False
    operations: frozenset[str] = frozenset()
    annotations: bool = False
    code_action_literals: bool = False
    code_lens_refresh: bool = False
    text_contents: bool = False
    show_document: bool = False
    progress: bool = False


@frozen
class Client:
    """One client; workspace folders and trust change during the connection, by replacement."""

    name: str
    version: str | None
    process_id: int | None
    abilities: Abilities
    position_encoding: PositionEncoding
    sennit: SennitOptions
    folders: tuple[Folder, ...]
    trusted: bool
    initialization_options: object


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
        abilities=_abilities(_object(capabilities)),
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
    abilities=Abilities(),
    position_encoding=PositionEncoding.UTF16,
    sennit=SennitOptions(),
    folders=(),
    trusted=False,
    initialization_options=None,
)
"""Stands for the client until it has introduced itself."""


def _abilities(capabilities: Mapping[str, object]) -> Abilities:
    workspace, window = _object(capabilities.get("workspace")), _object(capabilities.get("window"))
    document = _object(capabilities.get("textDocument"))
    edit, action = _object(workspace.get("workspaceEdit")), _object(document.get("codeAction"))
    operations = edit.get("resourceOperations")
    return Abilities(
        documents=bool(document),
        edits=workspace.get("applyEdit") is True,
        document_changes=edit.get("documentChanges") is True,
        operations=frozenset(map(str, operations if isinstance(operations, list) else ())),
        annotations=edit.get("changeAnnotationSupport") is not None,
        code_action_literals=action.get("codeActionLiteralSupport") is not None,
        code_lens_refresh=_object(workspace.get("codeLens")).get("refreshSupport") is True,
        text_contents=workspace.get("textDocumentContent") is not None,
        show_document=_object(window.get("showDocument")).get("support") is True,
        progress=window.get("workDoneProgress") is True,
    )


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


def _folders(params: Mapping[str, object]) -> tuple[Folder, ...]:
    folders = params.get("workspaceFolders")
    if isinstance(folders, list):
        read = [_object(folder) for folder in folders]
        return tuple(Folder(str(f["uri"]), str(f["name"])) for f in read)
    root, path = params.get("rootUri"), params.get("rootPath")
    if isinstance(root, str) and root:
        return (Folder(root, root.rpartition("/")[2]),)
    if isinstance(path, str) and Path(path).is_absolute():
        return (Folder(Path(path).as_uri(), Path(path).name),)
    return ()


def _object(value: object) -> Mapping[str, object]:
    return value if isinstance(value, dict) else MappingProxyType({})
