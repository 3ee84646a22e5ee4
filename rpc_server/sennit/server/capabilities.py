"""The answer to ``initialize``: the same for every client but for the position encoding."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from sennit.server import lsp_words as types
from sennit.server.jsonrpc.lsp_types import lsp_converter
from sennit_protocol.methods import FEATURES, METHODS, Method, Sender
from sennit_protocol.version import PROTOCOL_VERSION

SERVER_NAME = "sennit"
CONTENT_SCHEME = "sennit"
COMMANDS = (
    "sennit.server.accept",
    "sennit.server.acceptFile",
    "sennit.server.answer",
    "sennit.server.apply",
    "sennit.server.cancel",
    "sennit.server.delegate",
    "sennit.server.follow",
    "sennit.server.open",
    "sennit.server.reject",
    "sennit.server.undo",
)
"""Names of the server's commands. Clients register every one, so that no extension may use them."""


def initialize_result(
    encoding: str, methods: Mapping[str, Method] = METHODS, commands: tuple[str, ...] = COMMANDS
) -> dict[str, object]:
    """Build the result of ``initialize`` as JSON value."""
    # Not at the top: most clients are answered by the handshake, and it imports a lot.
    from importlib.metadata import version  # noqa: PLC0415

    result = types.InitializeResult(
        capabilities=types.ServerCapabilities(
            position_encoding=encoding,
            text_document_sync=types.TextDocumentSyncOptions(
                open_close=True,
                change=types.TextDocumentSyncKind.Incremental,
                save=types.SaveOptions(include_text=False),
            ),
            code_action_provider=types.CodeActionOptions(
                code_action_kinds=[types.CodeActionKind.Empty, types.CodeActionKind.QuickFix]
            ),
            code_lens_provider=types.CodeLensOptions(resolve_provider=False),
            execute_command_provider=types.ExecuteCommandOptions(commands=list(commands)),
            workspace=types.WorkspaceOptions(
                workspace_folders=types.WorkspaceFoldersServerCapabilities(
                    supported=True, change_notifications=True
                ),
                text_document_content=types.TextDocumentContentOptions(schemes=[CONTENT_SCHEME]),
            ),
            experimental={"sennit": _extension(methods)},
        ),
        server_info=types.ServerInfo(name=SERVER_NAME, version=version("sennit")),
    )
    return cast("dict[str, object]", lsp_converter().unstructure(result))


def _extension(methods: Mapping[str, Method]) -> dict[str, object]:
    listed = [m.name for m in methods.values() if m.available and m.sender is Sender.CLIENT]
    return {
        "protocolVersion": PROTOCOL_VERSION,
        "methods": sorted(listed),
        "features": sorted(FEATURES),
    }
