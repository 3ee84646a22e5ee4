"""What the client tells: documents, trust, settings, what an edit really changed."""

from __future__ import annotations

from lsprotocol import types
from sennit_protocol.requests import DidChangeTrustParams
from sennit_protocol.review import DidApplyParams, DocumentInfoParams

from sennit.core.uris import file_path
from sennit.server.jsonrpc import Context
from sennit.server.open_documents import real_path
from sennit.server.services import Services
from sennit.server.settings_in_force import EVERYWHERE


async def did_apply(services: Services, _context: Context, params: DidApplyParams) -> None:
    """Keep what the editor says that an edit has changed; texts are compared with it."""
    services.reports[params.application] = params


async def document_info(services: Services, _context: Context, params: DocumentInfoParams) -> None:
    """Keep what only the editor knows of a document."""
    services.told[params.uri] = params


async def did_change_trust(
    services: Services, context: Context, params: DidChangeTrustParams
) -> None:
    """Take the user's word about the folders of this window."""
    context.connection.set_trusted(trusted=params.trusted)
    services.client_trusts = params.trusted


async def did_change_configuration(
    services: Services, _context: Context, params: types.DidChangeConfigurationParams
) -> None:
    """Take the editor's settings; problems are answered by every request until mended."""
    services.settings.configuration = params.settings
    await services.settings.refresh(EVERYWHERE)


async def document_changed(services: Services, _context: Context, params: object) -> None:
    """Let other servers know whether the document is unsaved here."""
    uri = _uri(params)
    path = None if uri is None else file_path(uri)
    if path is not None:
        services.sharer.touch(real_path(path))


def _uri(params: object) -> str | None:
    document = getattr(params, "text_document", None)
    return getattr(document, "uri", None)
